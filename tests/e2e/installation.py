"""The product in a cluster, installed as a user would: image, manifests, and all of it Ready."""

from __future__ import annotations

from collections.abc import Mapping

from liqo.cli.playground import installing
from liqo.playground.cluster import Site


async def install(site: Site, labels: Mapping[str, str] | None = None) -> None:
    """On a cluster of a playground; its cluster ID is its name. Twice is as good as once."""
    archive = await installing.product(print)
    await installing.install(site, archive, labels or {}, print)


def of(site: Site) -> str:
    return f"--kubeconfig={site.kubeconfig}"
