"""What a pod may still hold of a size that its ShadowPod no longer says.

A ShadowPod that gets smaller says so at once; its pod follows when its node has done it, or never:
`pods/resize` may be refused, and a node may put it off or find it impossible. Until then it counts
with what it was. That is written on the ShadowPod by those who admit the change, so that whoever
counts next knows it; and the provider's controller says in its status which generation the pod has
the size of.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from liqo.api import labels
from liqo.api.kubernetes import Pod
from liqo.api.meta import Model
from liqo.api.offloading import ShadowPod
from liqo.api.sizes import ContainerSize, PodSize, SizedShadowPod, Sizes, size_of
from liqo.api.values import ResourceList
from liqo.rules.capacity import form_of
from liqo.rules.quantity import Quantity
from liqo.rules.usage import Amounts, amounts, countable, of_container, raise_to

RESIZING = frozenset({"PodResizePending", "PodResizeInProgress"})  # conditions of a pod


def still_held(shadow: ShadowPod | SizedShadowPod) -> Amounts:
    """Empty where its pod has the size that it says."""
    told = shadow.metadata.annotations.get(labels.STILL_TAKES)
    if told is None or is_carried_out(shadow):
        return {}
    try:
        return amounts(_amounts.decode(told))
    except (msgspec.DecodeError, ValueError):
        return {}  # of a consumer's own, from when nobody counted


def is_carried_out(shadow: ShadowPod | SizedShadowPod) -> bool:
    done = shadow.status.observed_generation if shadow.status is not None else 0
    return done >= shadow.metadata.generation


def to_hold(held: Amounts, before: PodSize, after: PodSize) -> str:
    """What is written on a ShadowPod that becomes `after`: all that was more; empty if nothing."""
    most, less = countable(before), countable(after)
    raise_to(most, held)
    more = {
        name: str(Quantity(amount, form_of(name)))
        for name, amount in sorted(most.items())
        if amount > less.get(name, 0)
    }
    return msgspec.json.encode(more).decode() if more else ""


class _Told(Model, frozen=True):
    """Of a container, by its node."""

    name: str = ""
    resources: Sizes | None = None
    allocated_resources: ResourceList | None = None


class _Condition(Model, frozen=True):
    type: str = ""
    status: str = ""


class _Status(Model, frozen=True):
    observed_generation: int = 0
    conditions: tuple[_Condition, ...] = ()
    container_statuses: tuple[_Told, ...] = ()
    init_container_statuses: tuple[_Told, ...] = ()


_amounts = msgspec.json.Decoder(dict[str, str])
_status = msgspec.json.Decoder(_Status | None)


def has_its_size(shadow: ShadowPod, pod: Pod) -> bool:
    """No more of anything than its ShadowPod says: by its spec, and by its node.

    What the provider adds where a ShadowPod says nothing is no part of it.
    """
    wanted, there = size_of(shadow.spec.raw_pod), size_of(pod.raw_spec)
    status = _status.decode(pod.raw_status) or _Status()
    if any(each.type in RESIZING and each.status == "True" for each in status.conditions):
        return False
    heard, latest = status.observed_generation, pod.metadata.generation
    if there.node_name and 0 < heard < latest:
        return False  # it may have allocated, in between, what its spec does not say any more
    told = {
        each.name: each for each in (*status.container_statuses, *status.init_container_statuses)
    }
    sizes = {each.name: of_container(each) for each in _lasting(there)}
    is_known = not there.node_name or 0 < latest <= heard
    for container in _lasting(wanted):
        by_node = _by_node(told.get(container.name, _Told()))
        if not is_known and not by_node:
            return False  # its node has not started it, and may not have heard yet
        granted = of_container(container)
        for holds in (sizes.get(container.name, {}), *by_node):
            if any(amount > granted.get(name, amount) for name, amount in holds.items()):
                return False
    return True


def _by_node(told: _Told) -> list[Amounts]:
    given = told.resources.requests if told.resources is not None else None
    return [amounts(each) for each in (given, told.allocated_resources) if each is not None]


def _lasting(pod: PodSize) -> Iterator[ContainerSize]:
    """Those whose size can change: others end before these start."""
    yield from pod.containers or ()
    yield from (each for each in pod.init_containers or () if each.restart_policy == "Always")
