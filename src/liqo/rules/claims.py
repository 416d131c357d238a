"""What one peering command consists of on the provider, before and after it is claimed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from liqo.api import labels
from liqo.api.authentication import PeeringClaim
from liqo.api.kubernetes import ClusterRole, Role, ServiceAccount
from liqo.api.meta import JSON, Key
from liqo.rules import names


def rules(name: str, *, may_claim: bool) -> list[JSON]:
    """Of the Role that is named like the claim. Which name is created, no Role can restrict."""
    kind = {"apiGroups": [PeeringClaim.KIND.group], "resources": [PeeringClaim.KIND.plural]}
    claiming = [{**kind, "verbs": ["create"]}] if may_claim else []
    return [*claiming, {**kind, "resourceNames": [name], "verbs": ["get", "list", "watch"]}]


def may_claim(rules: Sequence[JSON]) -> bool:
    return any("create" in rule.get("verbs", ()) for rule in rules)


def own_binding(account: Key) -> JSON:
    """The RoleBinding that comes with the token: to the Role of the same name."""
    return _binding(account, account, Role, account.name)


def bindings(account: Key, tenant_namespace: str) -> Mapping[Key, JSON]:
    """What makes it a peering user: to act in the tenant namespace, to look around in ours."""
    inside = Key(tenant_namespace, account.name)
    around = Key(account.namespace, f"{account.name}-liqo-ns")
    return {
        inside: _binding(inside, account, ClusterRole, names.PEERING_USER_CLUSTER_ROLE),
        around: _binding(around, account, Role, names.PEERING_USER_ROLE),
    }


def _binding(key: Key, account: Key, role: type[Role | ClusterRole], name: str) -> JSON:
    marks = {labels.PEERING_CLAIM: account.name, labels.MANAGED: "true"}
    who = {"kind": ServiceAccount.KIND.name, "name": account.name, "namespace": account.namespace}
    return {
        "metadata": {"name": key.name, "namespace": key.namespace, "labels": marks},
        "roleRef": {"apiGroup": role.KIND.group, "kind": role.KIND.name, "name": name},
        "subjects": [who],
    }
