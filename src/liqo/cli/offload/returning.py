"""Namespaces come back: first their pods, then what is left of them elsewhere is deleted."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

from liqo.api import labels
from liqo.api.kubernetes import Namespace, Pod
from liqo.api.meta import JSON, Key
from liqo.api.offloading import NamespaceOffloading
from liqo.cli.call import Call, TimedOut, at_most
from liqo.cli.offload.choice import Choice, chosen
from liqo.cli.offload.losses import Abroad, abroad, counted, look, sentences, virtual_nodes
from liqo.cli.offload.several import Failures
from liqo.cli.offload.words import where_it_stands
from liqo.cli.peering.sides import Side, alone
from liqo.cli.writing import WRITER
from liqo.kube.cluster import Cluster
from liqo.kube.errors import Conflict, NotFound, Throttled
from liqo.kube.paths import Scope, named
from liqo.kube.reading import Metadata, metadata
from liqo.kube.waiting import absent, until_all
from liqo.rules import offloading
from liqo.rules.opening import CLOSED

EXPLAINING = 5.0  # seconds, after a time-out, to see how far it came
AT_A_TIME = 16  # evictions


async def unoffload(call: Call, choice: Choice, timeout: float) -> None:
    async with call.cluster() as cluster:
        side = alone(call, cluster)
        leaving = [each async for each in offloaded(side, choice)]
        if not leaving:
            call.out.info("No namespaces can be unoffloaded")
            return
        nodes = await virtual_nodes(cluster)
        there = [await look(cluster, each.metadata.name, nodes) for each in leaving]
        for sentence in (text for each in there for text in sentences(each)):
            call.out.warning(sentence)
        call.out.confirm("unoffload namespace", skip=call.settings.skip_confirm)
        failures = Failures("unoffloading", len(leaving))
        gone = [
            each.namespace
            for each, namespace in zip(there, leaving, strict=True)
            if await failures.kept(each.namespace, disable(side, namespace, each, timeout))
        ]
        for name in gone:
            await failures.kept(name, complete(side, name, timeout, failures.completed(name)))
        failures.told()


async def offloaded(side: Side, choice: Choice) -> AsyncIterator[Metadata]:
    """Who names one that is at home is told; it is as wanted."""
    listing = await side.cluster.list(metadata(NamespaceOffloading), resource_version="")
    known = {each.metadata.namespace for each in listing.items}
    for each in await chosen(side.cluster, choice):
        name = each.metadata.name
        if name in known:
            yield each
        elif name in choice.names:
            side.out.info(f'the namespace "{name}" is not offloaded')


async def disable(side: Side, namespace: Metadata, there: Abroad, timeout: float) -> None:
    name = there.namespace
    if there.owned:
        pods = counted(len(there.owned), "pod")
        doing = f'Rescheduling {pods} of namespace "{name}" onto this cluster'
        with side.out.step(doing, f'Pods of namespace "{name}" left the other clusters'):
            async with explained(side, there, timeout):
                await bring_home(side.cluster, there)
    with side.out.step(f'Disabling namespace offloading for "{name}"'):
        if namespace.metadata.labels.get(labels.ENABLED) == "true":
            await unlabel(side.cluster, name)
        await side.remove(NamespaceOffloading, Key(name, offloading.NAME))
    side.out.info(f'Offloading of namespace "{name}" correctly disabled')


async def bring_home(cluster: Cluster, there: Abroad) -> None:
    """No further pod may leave before those that left come back."""
    stay: JSON = {"spec": {"podOffloadingStrategy": "Local"}}
    key = Key(there.namespace, offloading.NAME)
    await cluster.patch(NamespaceOffloading.KIND, key, stay, how="merge", manager=WRITER)
    namespace = Key("", there.namespace)
    closed: JSON = {"metadata": CLOSED}
    await cluster.patch(Namespace.KIND, namespace, closed, how="merge", manager=WRITER)
    await until_all(cluster, metadata(Namespace), named(namespace), _is_closed)
    turns = asyncio.Semaphore(AT_A_TIME)
    async with asyncio.TaskGroup() as tasks:  # one that must wait holds up no other
        for pod in there.owned:
            tasks.create_task(evict(cluster, pod, turns))
    left = {pod.metadata.uid for pod in there.owned}
    await until_all(
        cluster,
        metadata(Pod),
        Scope(there.namespace),
        lambda found: not left & {each.metadata.uid for each in found},
    )


async def evict(cluster: Cluster, pod: Pod, turns: asyncio.Semaphore) -> None:
    """As `kubectl drain` does it: a disruption budget may want us to wait."""
    while True:
        try:
            async with turns:
                await cluster.evict(pod.key, uid=pod.metadata.uid)
        except Throttled as later:
            await asyncio.sleep(later.retry_after)
        except (Conflict, NotFound):
            return  # gone by itself
        else:
            return


async def unlabel(cluster: Cluster, namespace: str) -> None:
    """While it has that label, it is offloaded again and again."""
    change: JSON = {"metadata": {"labels": {labels.ENABLED: None}}}
    await cluster.patch(Namespace.KIND, Key("", namespace), change, how="merge", manager=WRITER)


async def complete(side: Side, name: str, timeout: float, done: str) -> None:
    key = Key(name, offloading.NAME)
    with side.out.step(f'Waiting for unoffloading of namespace "{name}" to complete', done):
        try:
            async with asyncio.timeout(timeout):
                await absent(side.cluster, metadata(NamespaceOffloading), named(key))
        except TimeoutError:
            async with at_most(EXPLAINING, "the API server does not answer"):
                last = await side.find(NamespaceOffloading, key)
            stands = where_it_stands(last) if last is not None else "gone in the last moment"
            raise TimedOut(
                "timed out waiting for the condition: the unoffloading of namespace "
                f'"{name}" goes on: {stands} (waited {timeout:g} s)'
            ) from None


@asynccontextmanager
async def explained(side: Side, there: Abroad, timeout: float) -> AsyncIterator[None]:
    """What did not come back in time."""
    try:
        async with asyncio.timeout(timeout):
            yield
    except TimeoutError:
        async with at_most(EXPLAINING, "the API server does not answer"):
            pods = await side.cluster.list(Pod, scope=Scope(there.namespace), resource_version="")
        nodes = frozenset(pod.spec.get("nodeName", "") for pod in there.pods)
        left = ", ".join(f'"{pod.metadata.name}"' for pod in abroad(pods.items, nodes)) or "none"
        raise TimedOut(
            f'timed out waiting for the condition: pods of namespace "{there.namespace}" that are '
            f"still elsewhere: {left}; a PodDisruptionBudget may hold them: delete them by hand, "
            "and run the same command again. Until then new pods of the namespace stay here: its "
            f"podOffloadingStrategy is Local now (waited {timeout:g} s)"
        ) from None


def _is_closed(found: Sequence[Metadata]) -> bool:
    return all(labels.SCHEDULING_ENABLED not in each.metadata.labels for each in found)
