"""Whether a slice may have more pods: one annotation of it, on the provider."""

from __future__ import annotations

from liqo.api import labels
from liqo.api.authentication import ResourceSlice
from liqo.api.meta import Key
from liqo.cli.call import Call, at_most
from liqo.cli.peering import namespaces
from liqo.cli.writing import WRITER
from liqo.errors import LiqoError
from liqo.kube.cluster import Cluster
from liqo.kube.errors import NotFound


async def cordon(call: Call, name: str, consumer: str, timeout: float) -> None:
    await mark(call, name, consumer, timeout, "true")
    call.out.info(f'ResourceSlice "{name}" cordoned')


async def uncordon(call: Call, name: str, consumer: str, timeout: float) -> None:
    await mark(call, name, consumer, timeout, None)
    call.out.info(f'ResourceSlice "{name}" uncordoned')


async def mark(call: Call, name: str, consumer: str, timeout: float, value: str | None) -> None:
    """With the annotation at this value, or without it."""
    async with (
        call.cluster() as cluster,
        at_most(timeout, f'the ResourceSlice "{name}" is as it was'),
    ):
        asked = await known(cluster, Key(await namespaces.known(cluster, consumer), name))
        if not asked.received:
            call.out.warning(
                f'the ResourceSlice "{asked.key}" is a request of this cluster: only its '
                "provider can cordon it, with its own kubeconfig"
            )
        change = {"metadata": {"annotations": {labels.CORDON: value}}}
        await cluster.patch(ResourceSlice.KIND, asked.key, change, how="merge", manager=WRITER)


async def known(cluster: Cluster, key: Key) -> ResourceSlice:
    try:
        return await cluster.get(ResourceSlice, key)
    except NotFound:
        raise LiqoError(
            f'there is no ResourceSlice "{key.name}" in the namespace "{key.namespace}"; see: '
            "kubectl get resourceslices.authentication.liqo.io -A"
        ) from None
