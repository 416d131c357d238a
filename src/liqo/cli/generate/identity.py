"""The provider's answer in a handshake by hand: where it is, and what it signed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from liqo.api.authentication import AuthParams, Tenant
from liqo.cli import objects
from liqo.cli.call import Call, at_most
from liqo.cli.installation import find
from liqo.cli.objects import Stamp, printed
from liqo.cli.peering import namespaces
from liqo.cli.peering.complaints import heeded
from liqo.cli.peering.tenants import of_consumer
from liqo.errors import LiqoError
from liqo.kube.cluster import Cluster
from liqo.kube.paths import Scope
from liqo.kube.waiting import until_all
from liqo.rules import names


async def generate(call: Call, consumer: str, said: Mapping[str, Any]) -> None:
    async with call.cluster() as cluster:
        home = await find(cluster, said["liqo_namespace"], "--liqo-namespace")
        namespace = await namespaces.known(cluster, consumer, said["namespace"])
        with call.out.step("Waiting for tenant status to be filled", "Tenant status is filled"):
            granted = await admitted(cluster, namespace, consumer, said["timeout"])
    there = said["remote_tenant_namespace"] or names.tenant_namespace(home.id)
    identity = objects.identity(home.id, there, granted, namespace)
    call.out.document(printed(identity, Stamp.of(call.settings)), said["form"] or "yaml")


async def admitted(cluster: Cluster, namespace: str, consumer: str, timeout: float) -> AuthParams:
    """What the consumer was granted, once its proof has been verified."""
    scope = Scope(namespace)
    tenants = (await cluster.list(Tenant, scope=scope, resource_version="")).items
    known = of_consumer(tenants, consumer)
    if not known:
        raise LiqoError(
            f'there is no Tenant of "{consumer}" in the namespace "{namespace}"; on the consumer, '
            "generate it with: liqoctl generate tenant, and apply it here"
        )

    tenant = known[0]

    def is_granted(found: Sequence[Tenant]) -> bool:
        return granted(found, consumer) is not None

    async with at_most(
        timeout,
        f'the status of the Tenant "{tenant.key}", which the controllers of Liqo fill; see that '
        "they run",
    ):
        filled = until_all(cluster, Tenant, scope, is_granted)
        params = granted(await heeded(cluster, tenant, filled), consumer)
    assert params is not None
    return params


def granted(tenants: Sequence[Tenant], consumer: str) -> AuthParams | None:
    found = of_consumer(tenants, consumer)
    return found[0].status.auth_params if found else None
