"""Rights that our programs hold and no test sees them use: each with its reason."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, TypeAlias

from liqo.install.rights import APPROVAL, AUTHENTICATION, CORE, LEASES, OFFLOADING, RBAC, Right
from liqo.rules import names

Place: TypeAlias = Literal["everywhere", "liqo", "default", "kube-system", "tenants"]

UNSEEN = "the API server asks for it when"  # and writes no line of its own

# By who holds them, and where.
UNUSED: Mapping[tuple[str, Place], tuple[tuple[Right, str], ...]] = {
    (names.CONTROLLER_MANAGER, "everywhere"): (
        (Right(RBAC, "clusterroles", "bind"), f"{UNSEEN} a binding is made"),
        (Right(APPROVAL, "signers", "approve"), f"{UNSEEN} a signing request is approved"),
        (
            Right(CORE, "events", "patch"),
            "for the same sentence about the same object, again after ten minutes",
        ),
        (
            Right(APPROVAL, "certificatesigningrequests", "delete"),
            "for one that somebody else made under our name, or that was signed too long ago",
        ),
        (Right(RBAC, "clusterrolebindings", "patch"), "for one that somebody changed"),
        (
            Right(AUTHENTICATION, "identities", "delete"),
            "for a slice that is not believed any more",
        ),
        (Right(CORE, "pods/eviction", "create"), "for pods on a virtual node that goes"),
        (Right(CORE, "nodes", "patch"), "for a virtual node that goes while it has pods"),
        (Right(OFFLOADING, "shadowpods/status", "patch"), "for a pod that has finished"),
        (
            Right("discovery.k8s.io", "endpointslices", "delete"),
            "for one of an earlier ShadowEndpointSlice, where we are quicker than Kubernetes",
        ),
    ),
    (names.CONTROLLER_MANAGER, "tenants"): (
        (
            Right(CORE, "secrets", "get"),
            f"{UNSEEN} a virtual kubelet is given the right to read its own credential",
        ),
        (
            Right(LEASES, "leases", "create get patch"),
            f"{UNSEEN} a virtual kubelet is given the right to hold its own leases",
        ),
    ),
    (names.CONTROLLER_MANAGER, "liqo"): (
        (Right(RBAC, "roles", "bind"), f"{UNSEEN} a claim is answered"),
        (
            Right(CORE, "secrets", "patch"),
            "for a tombstone: since when its provider does not know us",
        ),
        (
            Right(CORE, "secrets", "delete"),
            "for a tombstone: its provider died, in clusters whose requests are not recorded",
        ),
        (
            Right(AUTHENTICATION, "peeringclaims", "get"),
            f"{UNSEEN} the Role of a token, which has it too, is changed",
        ),
    ),
}
