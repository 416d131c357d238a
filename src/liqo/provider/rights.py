"""What a consumer may do here: bindings of its users to the roles of the installation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import msgspec

from liqo.api import labels
from liqo.api.authentication import Tenant
from liqo.api.kubernetes import ClusterRole, ClusterRoleBinding, RoleBinding
from liqo.api.meta import JSON, Key
from liqo.kube.cache import Caches
from liqo.kube.indexes import Label
from liqo.rules import names
from liqo.rules.ownership import owned_by
from liqo.runtime.bindings import bound
from liqo.runtime.plan import Action, Delete, Manifest
from liqo.runtime.tenants import OF_PEERS

# Roles are found by this name, as a label: the real one follows the name of the installation.
CONTROL_PLANE = "remote-controlplane"  # in the tenant namespace
EVERYWHERE = "virtual-kubelet-remote-clusterwide"  # in the whole cluster
HANDED_OUT = frozenset({CONTROL_PLANE, EVERYWHERE})
BY_NAME = Label(labels.APP_NAME)
API_GROUP = ClusterRole.KIND.group


@dataclass(frozen=True)
class Rights:
    """The roles to be bound (empty: not installed), and the bindings there are."""

    control_plane: str = ""
    everywhere: str = ""
    in_namespace: RoleBinding | None = None
    in_cluster: ClusterRoleBinding | None = None
    in_mapped: tuple[RoleBinding, ...] = ()  # of its users, in the namespaces made for it


def observe(here: Caches, tenant: Tenant) -> Rights:
    roles = {
        role.metadata.labels[labels.APP_NAME]: role.metadata.name
        for short in HANDED_OUT
        for role in here.of(ClusterRole).by(BY_NAME, short)
    }
    inner, outer = roles.get(CONTROL_PLANE, ""), roles.get(EVERYWHERE, "")
    where = Key(tenant.metadata.namespace, names.binding(inner))
    everywhere = Key("", names.cluster_binding(outer, tenant.spec.cluster_id))
    return Rights(
        inner,
        outer,
        here.of(RoleBinding, OF_PEERS).get(where),
        here.of(ClusterRoleBinding, OF_PEERS).get(everywhere),
        mapped(here, tenant.metadata.namespace, tenant.spec.cluster_id),
    )


def mapped(here: Caches, home: str, consumer: str) -> tuple[RoleBinding, ...]:
    """Those that NamespaceMaps of this consumer led to, whether the maps are still there or not."""
    found = here.of(RoleBinding, OF_PEERS).by(Label(labels.REMOTE_CLUSTER_ID), consumer)
    return tuple(each for each in found if _manager(each).startswith(f"{home}/"))


def _manager(binding: RoleBinding) -> str:
    return binding.metadata.annotations.get(labels.MANAGED_BY_NAMESPACE_MAP, "")


def are_of(role: ClusterRole) -> bool:
    """Whether it is one of those that consumers have."""
    return role.metadata.labels.get(labels.APP_NAME) in HANDED_OUT


def missing(rights: Rights) -> Sequence[str]:
    """Roles that nobody installed."""
    found = {CONTROL_PLANE: rights.control_plane, EVERYWHERE: rights.everywhere}
    return [role for role, name in found.items() if not name]


def to_namespace(tenant: Tenant, rights: Rights) -> list[Action]:
    """The control plane of the consumer may put its requests where we look for them."""
    consumer = tenant.spec.cluster_id
    metadata = {
        "name": names.binding(rights.control_plane),
        "namespace": tenant.metadata.namespace,
        "labels": _marks(consumer),
        "ownerReferences": [msgspec.to_builtins(owned_by(tenant))],
    }
    body = role_to(rights.control_plane, "User", consumer)
    wanted = Manifest(RoleBinding.KIND, {"metadata": metadata, **body})
    return bound(wanted, rights.in_namespace)


def to_cluster(tenant: Tenant, rights: Rights) -> list[Action]:
    """Its users, all of them one group, may read what has no namespace."""
    consumer = tenant.spec.cluster_id
    metadata = {
        "name": names.cluster_binding(rights.everywhere, consumer),
        "labels": _marks(consumer),
    }
    body = role_to(rights.everywhere, "Group", consumer)
    wanted = Manifest(ClusterRoleBinding.KIND, {"metadata": metadata, **body})
    return bound(wanted, rights.in_cluster)


def taken_back(rights: Rights) -> list[Action]:
    """All of them, as far as they are there."""
    given = (rights.in_cluster, rights.in_namespace, *rights.in_mapped)
    return [Delete(binding) for binding in given if binding is not None]


def _marks(consumer: str) -> JSON:
    return {
        labels.APP_MANAGED_BY: "liqo",
        labels.REMOTE_CLUSTER_ID: consumer,
        labels.MANAGED: "true",
    }


def role_to(role: str, kind: str, name: str) -> JSON:
    return {
        "roleRef": {"apiGroup": API_GROUP, "kind": ClusterRole.KIND.name, "name": role},
        "subjects": [{"apiGroup": API_GROUP, "kind": kind, "name": name}],
    }
