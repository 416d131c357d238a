"""Whether a consumer may have more, or anything at all: one field of its Tenant."""

from __future__ import annotations

from collections.abc import Sequence

from liqo.api.authentication import Tenant, TenantCondition
from liqo.cli.call import Call, at_most
from liqo.cli.writing import WRITER
from liqo.errors import LiqoError
from liqo.kube.cluster import Cluster


async def cordon(call: Call, name: str, timeout: float) -> None:
    async with call.cluster() as cluster, at_most(timeout, f'the Tenant "{name}" is not cordoned'):
        tenant = await known(cluster, name)
        if tenant.spec.tenant_condition != "Active":
            call.out.warning(f'Tenant "{name}" is not active. Activate the tenant to cordon it.')
            return
        await become(cluster, tenant, "Cordoned")
    call.out.info(f'Tenant "{name}" cordoned')


async def uncordon(call: Call, name: str, timeout: float) -> None:
    async with call.cluster() as cluster, at_most(timeout, f'the Tenant "{name}" is cordoned'):
        tenant = await known(cluster, name)
        if tenant.spec.tenant_condition != "Cordoned":
            call.out.warning(f'Tenant "{name}" is not cordoned')
            return
        await become(cluster, tenant, "Active")
    call.out.info(f'Tenant "{name}" uncordoned')


async def drain(call: Call, name: str, timeout: float) -> None:
    async with call.cluster() as cluster, at_most(timeout, f'the Tenant "{name}" is not drained'):
        await become(cluster, await known(cluster, name), "Drained")
    call.out.info(f'Tenant "{name}" drained')


async def activate(call: Call, name: str, timeout: float) -> None:
    async with call.cluster() as cluster, at_most(timeout, f'the Tenant "{name}" is not active'):
        await become(cluster, await known(cluster, name), "Active")
    call.out.info(f'Tenant "{name}" activated')


async def known(cluster: Cluster, name: str) -> Tenant:
    """By its name, in whichever tenant namespace."""
    return chosen((await cluster.list(Tenant, resource_version="")).items, name)


def chosen(tenants: Sequence[Tenant], name: str) -> Tenant:
    for tenant in tenants:
        if tenant.metadata.name == name:
            return tenant
    there = ", ".join(sorted(each.metadata.name for each in tenants)) or "none"
    raise LiqoError(
        f'there is no Tenant "{name}" in this cluster (there: {there}); a Tenant is known to the '
        "provider: see that it is its kubeconfig that is used"
    )


async def become(cluster: Cluster, tenant: Tenant, condition: TenantCondition) -> None:
    change = {"spec": {"tenantCondition": condition}}
    await cluster.patch(Tenant.KIND, tenant.key, change, how="merge", manager=WRITER)
