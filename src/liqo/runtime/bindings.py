"""Bindings of roles: made where they are missing, put right where somebody changed them."""

from __future__ import annotations

from liqo.api.kubernetes import ClusterRoleBinding, RoleBinding
from liqo.runtime.plan import Action, Apply, Create, Manifest


def bound(wanted: Manifest, there: RoleBinding | ClusterRoleBinding | None) -> list[Action]:
    """Whom a role is given to may change; the role may not: Kubernetes refuses, and it is said."""
    if there is None:
        return [Create(wanted)]
    as_wanted = there.role_ref == wanted.body["roleRef"], there.subjects == wanted.body["subjects"]
    return [] if all(as_wanted) else [Apply(wanted)]
