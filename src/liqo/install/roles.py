"""Service accounts, roles, and who has which role."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from liqo.api.kubernetes import ClusterRole, ClusterRoleBinding, RoleBinding, ServiceAccount
from liqo.api.meta import JSON, Kind
from liqo.install import rights
from liqo.install.kinds import RBAC, ROLE, manifest
from liqo.install.marks import marks
from liqo.install.rights import Right
from liqo.install.settings import Settings
from liqo.rules import names

PREFIX = "liqo-"
PEERING_USER = "peering-user"
CLUSTER_ROLES = {
    names.CONTROLLER_MANAGER: rights.CONTROLLERS,
    names.CONTROLLER_MANAGER_TENANT_ROLE: rights.CONTROLLERS_IN_TENANTS,
    names.WEBHOOK: rights.WEBHOOKS,
    names.WEBHOOK_TENANT_ROLE: rights.WEBHOOKS_IN_TENANTS,
    rights.REMOTE_CONTROL_PLANE: rights.REMOTE_CONTROL_PLANES,
    rights.REMOTE_KUBELET: rights.REMOTE_KUBELETS,
    rights.REMOTE_KUBELET_EVERYWHERE: rights.REMOTE_KUBELETS_EVERYWHERE,
    rights.LOCAL_KUBELET: rights.LOCAL_KUBELETS,
    rights.TENANT_KUBELET: rights.TENANT_KUBELETS,
    rights.NAMESPACE_KUBELET: rights.NAMESPACE_KUBELETS,
    rights.NODE_KUBELET: rights.NODE_KUBELETS,
    rights.PEERING_USER: rights.PEERING_USERS_IN_TENANTS,
}
RUNNING = (names.CONTROLLER_MANAGER, names.WEBHOOK)  # each with a service account of that name


def manifests(settings: Settings) -> Iterator[JSON]:
    home = settings.namespace
    for name in RUNNING:
        yield manifest(ServiceAccount.KIND, name, _marks(settings, name), home)
    for name, table in CLUSTER_ROLES.items():
        yield role(settings, ClusterRole.KIND, name, table)
    for name in RUNNING:
        yield binding(settings, ClusterRoleBinding.KIND, name)
    at_home = {
        names.CONTROLLER_MANAGER: rights.CONTROLLERS_AT_HOME,
        names.WEBHOOK: rights.WEBHOOKS_AT_HOME,
    }
    for name, table in at_home.items():
        yield from _in_namespace(settings, name, home, table)
    yield from _in_namespace(
        settings, names.CONTROLLER_MANAGER, "default", rights.CONTROLLERS_AT_THE_API_SERVER
    )
    yield role(settings, ROLE, "liqo-peering-user-liqo-ns", rights.PEERING_USERS_AT_HOME, home)


def _in_namespace(
    settings: Settings, name: str, namespace: str, table: Sequence[Right]
) -> Iterable[JSON]:
    yield role(settings, ROLE, name, table, namespace)
    yield binding(settings, RoleBinding.KIND, name, namespace)


def _marks(settings: Settings, name: str) -> dict[str, str]:
    """Roles are found by these: the label says the name without what an installation adds."""
    short = name.removeprefix(PREFIX)
    return marks(settings, short, PEERING_USER if short.startswith(PEERING_USER) else "")


def role(
    settings: Settings, kind: Kind, name: str, table: Sequence[Right], namespace: str = ""
) -> JSON:
    begun = manifest(kind, name, _marks(settings, name), namespace)
    return {**begun, "rules": [right.rule for right in table]}


def binding(settings: Settings, kind: Kind, name: str, namespace: str = "") -> JSON:
    """The role of that name, for the service account of that name."""
    role = ROLE if kind == RoleBinding.KIND else ClusterRole.KIND
    account = {"kind": ServiceAccount.KIND.name, "name": name, "namespace": settings.namespace}
    return {
        **manifest(kind, name, _marks(settings, name), namespace),
        "roleRef": {"apiGroup": RBAC, "kind": role.name, "name": name},
        "subjects": [account],
    }
