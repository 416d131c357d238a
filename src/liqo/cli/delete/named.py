"""What is deleted by its name, wherever it is."""

from __future__ import annotations

from collections.abc import Sequence

from liqo.api.authentication import ResourceSlice
from liqo.api.meta import Key, Resource
from liqo.api.offloading import VirtualNode
from liqo.cli.call import Call, at_most
from liqo.cli.writing import remove
from liqo.errors import LiqoError
from liqo.kube.cluster import Cluster
from liqo.kube.paths import named
from liqo.kube.reading import O
from liqo.kube.waiting import absent
from liqo.rules.tenancy import is_copy


async def delete_resourceslice(call: Call, name: str, namespace: str, timeout: float) -> None:
    """Ours: what a consumer asks us for is the consumer's to take back."""
    async with call.cluster() as cluster:
        with call.out.step("Deleting ResourceSlice", "ResourceSlice deleted"):
            every = await called(cluster, ResourceSlice, name, namespace)
            ours = [each for each in every if not is_copy(each)]
            await delete(cluster, only(ours, ResourceSlice, name, namespace), timeout)


async def delete_virtualnode(call: Call, name: str, namespace: str, timeout: float) -> None:
    async with call.cluster() as cluster:
        with call.out.step("Deleting virtual node", "Virtual node deleted"):
            every = await called(cluster, VirtualNode, name, namespace)
            await delete(cluster, only(every, VirtualNode, name, namespace), timeout)


async def called(cluster: Cluster, kind: type[O], name: str, namespace: str) -> Sequence[O]:
    scope = named(Key(namespace, name))
    return (await cluster.list(kind, scope=scope, resource_version="")).items


def only(there: Sequence[O], kind: type[O], name: str, namespace: str) -> O:
    """The one that is meant."""
    what = f'{kind.KIND.name} "{name}"'
    if not there:
        where = f'in the namespace "{namespace}"' if namespace else "of this cluster"
        raise LiqoError(f"there is no {what} {where}; see: kubectl get {_plural(kind)} -A")
    if len(there) > 1:
        places = ", ".join(sorted(each.metadata.namespace for each in there))
        raise LiqoError(f"there are several: a {what} in each of {places}; choose with --namespace")
    return there[0]


async def delete(cluster: Cluster, thing: Resource, timeout: float) -> None:
    kind, key = type(thing), thing.key
    await remove(cluster, kind.KIND, key)
    what = (
        f'the {kind.KIND.name} "{key}" is being deleted, and its finalizers have not let go: '
        f"{', '.join(thing.metadata.finalizers) or 'none'}"
    )
    async with at_most(timeout, what):
        await absent(cluster, kind, named(key))


def _plural(kind: type[Resource]) -> str:
    return f"{kind.KIND.plural}.{kind.KIND.group}"
