"""A peering in five words: what the columns of `kubectl get foreignclusters` print."""

from __future__ import annotations

from liqo.api.core import Module, Modules, PeeringStatus, PeeringSummary, Role
from liqo.rules import conditions


def summary(role: Role, said: Modules, proxy: str) -> PeeringSummary:
    """`role` is the peer's: from a provider we borrow, which is the outgoing direction."""
    nodes = conditions.find(said.offloading.conditions, "OffloadingNodeStatus")
    tenant = conditions.find(said.authentication.conditions, "AuthTenantStatus")
    proven = all(each.status == "Ready" for each in said.authentication.conditions)
    return PeeringSummary(
        type="InBand" if proxy else "OutOfBand",
        outgoing=_progress("Provider" in role, nodes is not None and nodes.status == "Ready"),
        incoming=_progress("Consumer" in role, tenant is not None and tenant.status == "Ready"),
        networking=_line(said.networking),
        authentication=_progress(said.authentication.enabled, proven),
    )


def _progress(wanted: bool, done: bool) -> PeeringStatus:
    if not wanted:
        return "None"
    return "Established" if done else "Pending"


def _line(networking: Module) -> PeeringStatus:
    if not networking.enabled:
        return "Disabled"
    found = conditions.find(networking.conditions, "NetworkConnectionStatus")
    if found is not None and found.status in ("Established", "Error"):
        return "Established" if found.status == "Established" else "Error"
    return "Pending"
