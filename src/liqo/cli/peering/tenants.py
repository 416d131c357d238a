"""The Tenant of a consumer: found by whom it stands for; its name may be any."""

from __future__ import annotations

from collections.abc import Iterable

from liqo.api.authentication import Tenant
from liqo.cli.peering.sides import Side
from liqo.kube.paths import Scope


def of_consumer(tenants: Iterable[Tenant], consumer: str) -> list[Tenant]:
    """One at the most, where a webhook saw them come."""
    return [each for each in tenants if each.spec.cluster_id == consumer]


async def find(provider: Side, namespace: str, consumer: str) -> list[Tenant]:
    listing = await provider.cluster.list(Tenant, scope=Scope(namespace), resource_version="")
    return of_consumer(listing.items, consumer)
