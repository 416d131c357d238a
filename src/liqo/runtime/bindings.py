"""Bindings of roles: made where they are missing, put right where somebody changed them."""

from __future__ import annotations

from liqo.api.kubernetes import ClusterRoleBinding, RoleBinding
from liqo.runtime.plan import Action, Apply, Create, Manifest


def bound(wanted: Manifest, there: RoleBinding | ClusterRoleBinding | None) -> list[Action]:
    """
    binding                     | what is done
    ----------------------------+-----------------------------------------------------------
    none that has our label     | made; one of its name that lacks the label is put right
    of another role, to another | put right; another role Kubernetes refuses, and it is said
    as wanted                   | nothing
    """
    if there is None:
        return [Create(wanted, or_apply=True)]
    as_wanted = there.role_ref == wanted.body["roleRef"], there.subjects == wanted.body["subjects"]
    return [] if all(as_wanted) else [Apply(wanted)]
