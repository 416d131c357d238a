"""What of a pod's size can change while it runs: what `pods/resize` of Kubernetes 1.35 takes.

Anything else would stand in a ShadowPod and never reach its pod.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TypeAlias

from liqo.api.sizes import NO_SIZES, ContainerSize, PodSize, Sizes
from liqo.api.values import ResourceList
from liqo.rules.quantity import parse

RESIZABLE = frozenset({"cpu", "memory"})

Worth: TypeAlias = int | str
"""Of a quantity, however it is written; of what is none, the words themselves."""

Said: TypeAlias = dict[tuple[str, str], Worth]
"""By `requests` or `limits`, and resource."""


def objections(old: PodSize, new: PodSize) -> Iterator[str]:
    """Why it cannot be resized so. Both have the same containers."""
    if _sizes(old) == _sizes(new):
        return
    if (old.resources or NO_SIZES) != NO_SIZES:
        yield "a pod that says its size as a whole keeps that of its containers"
    for before, after in zip(old.containers or (), new.containers or (), strict=False):
        yield from _objections(before, after)
    for before, after in zip(old.init_containers or (), new.init_containers or (), strict=False):
        if before.restart_policy == "Always":
            yield from _objections(before, after)
        elif _said(before) != _said(after):
            yield f"resources of the init container {before.name} stay"
    was, would_be = qos_class(old), qos_class(new)
    if was != would_be:
        yield f"its QoS class is {was}, and would become {would_be}"


def _sizes(pod: PodSize) -> list[Said]:
    return [_said(each) for each in (*(pod.containers or ()), *(pod.init_containers or ()))]


def _objections(before: ContainerSize, after: ContainerSize) -> Iterator[str]:
    where = f"of the container {before.name}"
    had, has = _said(before), _said(after)
    for word, name in sorted(had.keys() | has.keys()):
        if name not in RESIZABLE:
            if had.get((word, name)) != has.get((word, name)):
                yield f"{word} of {name} {where} stay: only cpu and memory change"
        elif (word, name) not in has:
            yield f"{word} of {name} {where} can change, and not be taken away"


def qos_class(pod: PodSize) -> str:
    """Of all containers; that of a pod as a whole never changes."""
    sizes = [
        each.resources or NO_SIZES
        for each in (*(pod.containers or ()), *(pod.init_containers or ()))
    ]
    told = [(_computing(each.limits), _computing(_requests(each))) for each in sizes]
    if not any(limits or requests for limits, requests in told):
        return "BestEffort"
    if all(limits.keys() == RESIZABLE and limits == requests for limits, requests in told):
        return "Guaranteed"
    return "Burstable"


def _requests(sizes: Sizes) -> ResourceList:
    return {**(sizes.limits or {}), **(sizes.requests or {})}


def _computing(written: ResourceList | None) -> Mapping[str, Worth]:
    said = {name: worth(each) for name, each in (written or {}).items() if name in RESIZABLE}
    return {name: each for name, each in said.items() if each != 0}


def _said(container: ContainerSize) -> Said:
    sizes = container.resources or NO_SIZES
    parts = (("requests", sizes.requests), ("limits", sizes.limits))
    return {
        (word, name): worth(each) for word, part in parts for name, each in (part or {}).items()
    }


def worth(written: str | int) -> Worth:
    try:
        return parse(written).nano
    except ValueError:
        return str(written)
