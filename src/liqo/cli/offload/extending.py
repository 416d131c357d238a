"""Namespaces go out: each is asked for, and then waited for until its twins are there."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from typing import Literal

from liqo.api.meta import Key, Meta
from liqo.api.offloading import NamespaceOffloading
from liqo.cli import installation
from liqo.cli.call import Call, TimedOut, at_most
from liqo.cli.documents import in_order
from liqo.cli.objects import Stamp
from liqo.cli.offload.choice import Choice, chosen
from liqo.cli.offload.policy import Policy, asked, manifest, one_name_each, printed
from liqo.cli.offload.several import Failures
from liqo.cli.offload.words import NO_CLUSTER, failure, where_it_stands, why_nowhere
from liqo.cli.peering.sides import Side, alone
from liqo.errors import LiqoError
from liqo.kube.waiting import until
from liqo.rules import offloading

NONE = "No namespaces can be offloaded"
STRICTER = (
    "The PodOffloadingStrategy was mutated to a more restrictive setting",
    "Existing pods violating this policy might still be running",
)
SETTLED = ("Ready", "NoClusterSelected", "SomeFailed", "AllFailed")
EXPLAINING = 5.0  # seconds, after a time-out, to see how far it came


@dataclass(frozen=True)
class Going:
    """A namespace that is to be extended, and how it is extended now."""

    namespace: Meta
    wanted: Policy
    present: NamespaceOffloading | None

    @property
    def key(self) -> Key:
        return Key(self.namespace.name, offloading.NAME)


async def show(call: Call, choice: Choice, wanted: Policy, form: Literal["json", "yaml"]) -> None:
    """As documents that kubectl applies; nothing is changed."""
    names: Sequence[str] = list(dict.fromkeys(choice.names))
    if choice.selector:
        async with call.cluster() as cluster:
            names = [each.metadata.name for each in await chosen(cluster, choice)]
    one_name_each(wanted, names)
    for name in names:
        call.out.document(in_order(printed(name, wanted, Stamp.of(call.settings))), form)
        if form == "yaml":
            call.out.result("---")
    if not names:
        call.out.info(NONE)


async def offload(
    call: Call, choice: Choice, wanted: Policy, liqo_namespace: str, timeout: float
) -> None:
    async with call.cluster() as cluster:
        home = await installation.find(cluster, liqo_namespace)
        side = alone(call, cluster, home)
        going = [each async for each in possible(side, choice, wanted)]
        one_name_each(wanted, [each.namespace.name for each in going])
        if not going:
            call.out.info(NONE)
        failures = Failures("offloading", len(going))
        enabled = [
            each for each in going if await failures.kept(each.namespace.name, enable(side, each))
        ]
        for each in enabled:
            done = failures.completed(each.namespace.name)
            await failures.kept(each.namespace.name, complete(side, each.key, timeout, done))
        failures.told()


async def possible(side: Side, choice: Choice, wanted: Policy) -> AsyncIterator[Going]:
    """Who names one that cannot be is refused; of a selector's, those that cannot are left out."""
    for each in await chosen(side.cluster, choice):
        name = each.metadata.name
        present = await side.find(NamespaceOffloading, Key(name, offloading.NAME))
        going = Going(each.metadata, wanted, present)
        problem = refusal(going, side)
        if problem and name in choice.names:
            raise LiqoError(problem)
        if problem:
            side.out.warning(f"{problem}: it is left out")
        else:
            yield going


def refusal(going: Going, side: Side) -> str:
    """Why it cannot be extended like this, as a sentence; empty where it can."""
    namespace, wanted, present = going.namespace, going.wanted, going.present
    if namespace.deletion_timestamp is not None:
        return f'the namespace "{namespace.name}" is being deleted, and cannot be offloaded'
    if no := offloading.check_namespace(namespace.name, namespace.labels, side.namespace):
        return no
    if present is None:
        return offloading.check_name(asked(namespace.name, wanted), side.id)
    mapping, name = present.spec.namespace_mapping_strategy, present.spec.remote_namespace_name
    if (mapping, name) != (wanted.mapping, wanted.remote_name):
        called = " ".join(filter(None, (mapping, name)))
        return (
            f'the namespace "{namespace.name}" is offloaded with the NamespaceMappingStrategy '
            f"{called}, which cannot be changed; take it back first, with: "
            f"liqoctl unoffload namespace {namespace.name}"
        )
    return ""


async def enable(side: Side, going: Going) -> None:
    name = going.namespace.name
    with side.out.step(f'Enabling namespace offloading for "{name}"'):
        await side.put(manifest(name, going.wanted), NamespaceOffloading)
    side.out.info(f'Offloading of namespace "{name}" correctly enabled')
    present = going.present
    if present is not None and offloading.is_stricter(
        present.spec.pod_offloading_strategy, going.wanted.pods
    ):
        for warning in STRICTER:
            side.out.warning(warning)


async def complete(side: Side, key: Key, timeout: float, done: str) -> None:
    with side.out.step(f'Waiting for offloading of namespace "{key.namespace}" to complete'):
        settled = await _settled(side, key, timeout)
    match settled.status.offloading_phase:
        case "Ready":
            side.out.info(done)
        case "NoClusterSelected":
            side.out.warning(NO_CLUSTER)
            side.out.warning(why_nowhere(settled))
        case _:
            raise LiqoError(failure(settled))


async def _settled(side: Side, key: Key, timeout: float) -> NamespaceOffloading:
    try:
        async with asyncio.timeout(timeout):
            return await until(side.cluster, NamespaceOffloading, key, is_settled)
    except TimeoutError:
        async with at_most(EXPLAINING, "the API server does not answer"):
            last = await side.find(NamespaceOffloading, key)
        stands = where_it_stands(last) if last is not None else "it was deleted meanwhile"
        raise TimedOut(
            f"timed out waiting for the condition: the offloading of namespace "
            f'"{key.namespace}" is not complete: {stands} (waited {timeout:g} s)'
        ) from None


def is_settled(seen: NamespaceOffloading) -> bool:
    is_current = seen.status.observed_generation == seen.metadata.generation
    return is_current and seen.status.offloading_phase in SETTLED
