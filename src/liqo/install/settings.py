"""One installation, as a value: where it goes, what it is called, and what was set."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from liqo.install.values import KNOWN, Values

NAMESPACE = "liqo"


@dataclass(frozen=True)
class Settings:
    cluster_id: str
    version: str  # of liqoctl
    namespace: str = NAMESPACE
    values: Values = field(default_factory=lambda: dict(KNOWN))  # complete

    def __getitem__(self, key: str) -> Any:
        return self.values[key]

    @property
    def image(self) -> str:
        return f"{self['image.name']}:{self.tag}"

    @property
    def tag(self) -> str:
        """What everybody takes for the version of the installation."""
        return str(self["tag"]) or self.version

    @property
    def labels(self) -> Mapping[str, str]:
        """Of the cluster: they end up on the nodes that stand for it elsewhere."""
        given: Mapping[str, str] = self["discovery.config.clusterLabels"]
        return given

    @property
    def pod_cidrs(self) -> tuple[str, ...]:
        """In the order given; the older key for a single one comes first."""
        single = [self["ipam.podCIDR"]] if self["ipam.podCIDR"] else []
        return tuple(dict.fromkeys([*single, *self["ipam.podCIDRs"]]))
