"""Why a provider does not admit us: a Tenant has no conditions, so its Events have to say it."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Sequence
from typing import Any, ClassVar, NoReturn, TypeVar

from liqo.api.authentication import Tenant
from liqo.api.meta import Kind, Resource
from liqo.errors import LiqoError, first_error
from liqo.kube.cluster import Cluster
from liqo.kube.errors import KubeError
from liqo.kube.paths import Scope
from liqo.kube.waiting import until_all
from liqo.runtime.events import EVENT

Result = TypeVar("Result")

PATIENCE = 5.0  # seconds: what is said before may be of a moment, such as a nonce not seen yet


class Complaint(Resource, frozen=True):
    """An Event of the type Warning."""

    KIND: ClassVar[Kind] = EVENT

    reason: str = ""
    message: str = ""
    last_timestamp: str | None = None


async def heeded(
    cluster: Cluster,
    tenant: Tenant,
    waited_for: Coroutine[Any, Any, Result],
    patience: float = PATIENCE,
) -> Result:
    """What is waited for; or the provider's complaint, if it comes first."""
    try:
        async with asyncio.TaskGroup() as group:
            complaint = group.create_task(_raised(cluster, tenant, patience))
            try:
                return await waited_for
            finally:
                complaint.cancel()
    except BaseExceptionGroup as failed:
        raise first_error(failed) from None


def newest(found: Sequence[Complaint]) -> Complaint:
    return max(found, key=lambda each: each.last_timestamp or "")


async def _raised(cluster: Cluster, tenant: Tenant, patience: float) -> NoReturn:
    await asyncio.sleep(patience)
    about = f"involvedObject.uid={tenant.metadata.uid},type=Warning"
    try:
        found = await until_all(
            cluster, Complaint, Scope(tenant.metadata.namespace, fields=about), bool
        )
    except KubeError:  # a peering user may not read Events
        await asyncio.Event().wait()
        raise
    worst = newest(found)
    raise LiqoError(
        f'the Tenant "{tenant.key}" of {cluster.name} is not admitted: {worst.reason}: '
        f"{worst.message}"
    )
