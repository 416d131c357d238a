"""What the aggregated API answers to: what it is, and one path per figure of a consumer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from liqo.api.meta import JSON
from liqo.api.metrics import GROUP, ROOT, SCRAPE, VERSION

# Of a kubelet; each is asked for by its path there.
FIGURES = frozenset({"metrics", "metrics/cadvisor", "metrics/resource", "metrics/probes"})

_GROUP_VERSION = {"groupVersion": f"{GROUP}/{VERSION}", "version": VERSION}
_GROUP: JSON = {
    "kind": "APIGroup",
    "apiVersion": "v1",
    "name": GROUP,
    "versions": [_GROUP_VERSION],
    "preferredVersion": _GROUP_VERSION,
}
_RESOURCES: JSON = {
    "kind": "APIResourceList",
    "apiVersion": "v1",
    "groupVersion": f"{GROUP}/{VERSION}",
    "resources": [
        {
            "name": "scrape/metrics",
            "singularName": "",
            "namespaced": False,
            "kind": "Scrape",
            "verbs": ["get"],
        }
    ],
}
_INFO = {"title": "liqo", "version": VERSION}

# Whoever may ask may read these: they tell nothing about anybody.
DOCUMENTS: Mapping[str, JSON] = {
    "/": _RESOURCES,
    ROOT: _RESOURCES,
    "/apis": {"kind": "APIGroupList", "apiVersion": "v1", "groups": [_GROUP]},
    f"/apis/{GROUP}": _GROUP,
    "/openapi/v2": {"swagger": "2.0", "info": _INFO, "paths": {}},
    "/openapi/v3": {"paths": {}},
}


@dataclass(frozen=True)
class Scrape:
    consumer: str  # its cluster ID
    figure: str  # the path on a kubelet


def scrape(path: str) -> Scrape | None:
    """What that path asks for; None where it is no scrape, or of something that is not told."""
    if not path.startswith(SCRAPE):
        return None
    consumer, _, figure = path.removeprefix(SCRAPE).partition("/")
    figure = figure.rstrip("/")
    return Scrape(consumer, figure) if consumer and figure in FIGURES else None
