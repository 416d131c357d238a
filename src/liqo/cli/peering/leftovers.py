"""What an earlier peering may have left in the way of a new one."""

from __future__ import annotations

from collections.abc import Sequence

from liqo.api.authentication import Tenant
from liqo.api.meta import Key
from liqo.cli.peering.sides import Side
from liqo.errors import LiqoError
from liqo.kube.paths import named
from liqo.kube.waiting import until_all


async def ended(provider: Side, key: Key) -> None:
    """Wait for a Tenant that is being deleted; refuse one that would not let us in."""

    def is_settled(found: Sequence[Tenant]) -> bool:
        return not any(each.metadata.deletion_timestamp for each in found)

    for tenant in await until_all(provider.cluster, Tenant, named(key), is_settled):
        if tenant.spec.tenant_condition == "Drained":
            raise LiqoError(
                f'the Tenant "{key}" of {provider.cluster.name} is drained; its administrator '
                f"admits it again with: liqoctl activate tenant {key.name}"
            )
        if tenant.spec.authz_policy == "TolerateNoHandshake":
            raise LiqoError(
                f'the Tenant "{key}" of {provider.cluster.name} was made for peering by hand, '
                "without a handshake; delete it to peer with one"
            )
