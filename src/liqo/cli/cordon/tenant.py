"""Whether a consumer may have more, or anything at all: one field of its Tenant."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from liqo.api.authentication import Tenant, TenantCondition
from liqo.cli.call import Call, at_most
from liqo.cli.writing import WRITER
from liqo.errors import LiqoError
from liqo.kube.cluster import Cluster


@dataclass(frozen=True)
class Change:
    """What one verb makes of a Tenant, in the words for it."""

    to: TenantCondition
    done: str
    late: str  # what still holds when time is over
    only: TenantCondition | None = None  # what it must be before
    otherwise: str = ""


CORDON = Change(
    "Cordoned",
    done="cordoned",
    late="is not cordoned",
    only="Active",
    otherwise="is not active. Activate the tenant to cordon it.",
)
UNCORDON = Change(
    "Active", done="uncordoned", late="is cordoned", only="Cordoned", otherwise="is not cordoned"
)
DRAIN = Change("Drained", done="drained", late="is not drained")
ACTIVATE = Change("Active", done="activated", late="is not active")


async def change(call: Call, name: str, wanted: Change, timeout: float) -> None:
    async with call.cluster() as cluster, at_most(timeout, f'the Tenant "{name}" {wanted.late}'):
        tenant = await known(cluster, name)
        if wanted.only not in {None, tenant.spec.tenant_condition}:
            call.out.warning(f'Tenant "{name}" {wanted.otherwise}')
            return
        body = {"spec": {"tenantCondition": wanted.to}}
        await cluster.patch(Tenant.KIND, tenant.key, body, how="merge", manager=WRITER)
    call.out.info(f'Tenant "{name}" {wanted.done}')


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
