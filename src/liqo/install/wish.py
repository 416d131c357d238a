"""From what a user said, what the cluster tells and what is there already to one Settings."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from liqo.api import labels
from liqo.errors import LiqoError
from liqo.install.providers import Facts
from liqo.install.settings import NAMESPACE, Settings
from liqo.install.surroundings import Surroundings
from liqo.install.values import Values, combined, complete, overridden

ID = "discovery.config.clusterID"
LABELS = "discovery.config.clusterLabels"
ADDRESS = "apiServer.address"
NEEDED = {
    "--pod-cidr": ("ipam.podCIDRs", "ipam.podCIDR"),
    "--service-cidr": ("ipam.serviceCIDR",),
}


@dataclass(frozen=True)
class Wish:
    """What a user said; of several files the first has the last word."""

    provider: str = ""
    namespace: str = NAMESPACE
    flags: Values = field(default_factory=dict)
    files: Sequence[Values] = ()
    sets: Sequence[Values] = ()  # --set, then --set-string

    def given(self, facts: Facts) -> dict[str, Any]:
        own = {LABELS: {labels.PROVIDER: self.provider}} if self.provider else {}
        told = overridden({**facts.values, **own}, self.flags)
        values = combined(told, *reversed(self.files))
        for layer in self.sets:
            values = overridden(values, layer)
        return values


@dataclass(frozen=True)
class Place:
    """The cluster that it is for."""

    facts: Facts
    seen: Surroundings
    server: str  # as our kubeconfig has it


def settle(wish: Wish, place: Place, version: str, make_name: Callable[[], str]) -> Settings:
    """The ID is the one given, or the one it has, or its name elsewhere, or a new one."""
    given = wish.given(place.facts)
    for flag, keys in NEEDED.items():
        if not any(given.get(key) for key in keys):
            raise LiqoError(
                f"{flag} is needed: the network cannot be found out, unless you say what kind of "
                "cluster it is (playground, kind, kubeadm, k3s)"
            )
    if place.facts.is_reachable:
        given.setdefault(ADDRESS, place.server)
    cluster_id = given.get(ID) or place.seen.cluster_id or place.facts.name or make_name()
    values = complete({**given, ID: cluster_id})
    return Settings(cluster_id, version, wish.namespace, values)
