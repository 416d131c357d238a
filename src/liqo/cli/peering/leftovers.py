"""What an earlier peering may have left in the way of a new one."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

from liqo.api.authentication import Renew, Tenant
from liqo.cli.peering.sides import Side
from liqo.cli.peering.tenants import of_consumer
from liqo.errors import LiqoError
from liqo.kube.errors import Forbidden
from liqo.kube.paths import Scope
from liqo.kube.waiting import until_all
from liqo.rules import tenancy


async def ended(provider: Side, namespace: str, consumer: str) -> None:
    """Wait for a Tenant that is being deleted, or will be; refuse one that would not let us in."""
    found = await _settled(provider, namespace, consumer)
    if found and await _was_withdrawn(provider, namespace):
        found = await _settled(provider, namespace, consumer)
    for tenant in found:
        if why := obstacle(tenant):
            raise LiqoError(f'the Tenant "{tenant.key}" of {provider.cluster.name} {why}')


async def _settled(provider: Side, namespace: str, consumer: str) -> list[Tenant]:
    def is_settled(found: Sequence[Tenant]) -> bool:
        return not any(each.metadata.deletion_timestamp for each in of_consumer(found, consumer))

    found = await until_all(provider.cluster, Tenant, Scope(namespace), is_settled)
    return of_consumer(found, consumer)


async def _was_withdrawn(provider: Side, namespace: str) -> bool:
    """Whether we had left word that we are gone; the provider has heeded it when this ends.

    Who may not look for that has not left it either: a peering user tells the provider itself.
    """
    looks = 0

    def is_heeded(found: Sequence[Renew]) -> bool:
        nonlocal looks
        looks += 1
        return not any(map(tenancy.is_withdrawal, found))

    with suppress(Forbidden):
        await until_all(provider.cluster, Renew, Scope(namespace), is_heeded)
    return looks > 1


def obstacle(tenant: Tenant) -> str:
    """
    Tenant                   | why it does not let us in
    -------------------------+----------------------------------------------------------
    drained                  | until its administrator says so
    made without a handshake | nobody would look at ours
    of another name          | ours would be a second one, and there may only be one
    any other                | it does: empty
    """
    if tenant.spec.tenant_condition == "Drained":
        return (
            "is drained; its administrator admits it again with: liqoctl activate tenant "
            f"{tenant.metadata.name}"
        )
    if tenant.spec.authz_policy == "TolerateNoHandshake":
        return "was made for peering by hand, without a handshake; delete it to peer with one"
    if tenant.metadata.name != tenant.spec.cluster_id:
        return "was made by hand, under another name than ours; end that peering: liqoctl unpeer"
    return ""
