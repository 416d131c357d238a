"""What a pod takes from the node it runs on, counted as Kubernetes' scheduler counts it.

Containers run side by side. Those that prepare the way run before them, one after the other, beside
the sidecars that were started by then. A pod may say more simply what it takes as a whole; whatever
its runtime needs comes on top.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from liqo.api.sizes import NO_SIZES, ContainerSize, PodSize, Sizes
from liqo.rules.quantity import NANO, parse

Amounts: TypeAlias = Mapping[str, int]
"""By resource, in nano-units: sums of many thousand are made of these."""

PODS = "pods"
ONE_POD = NANO


def taken(pod: PodSize) -> dict[str, int]:
    """By the pod itself as well: a node has room for so many of them."""
    return {**requested(pod), PODS: ONE_POD}


def countable(pod: PodSize) -> dict[str, int]:
    """What cannot be a pod takes nothing: without containers, or with a quantity that is none."""
    try:
        asked = taken(pod) if pod.containers else {}
    except ValueError:
        return {}
    return {name: max(0, amount) for name, amount in asked.items()}


def requested(pod: PodSize) -> dict[str, int]:
    together: dict[str, int] = {}
    for container in pod.containers or ():
        add(together, of_container(container))
    sidecars: dict[str, int] = {}
    before: dict[str, int] = {}  # the most that is taken at one time before the containers start
    for container in pod.init_containers or ():
        asked = of_container(container)
        if container.restart_policy == "Always":
            add(together, asked)
            add(sidecars, asked)
            raise_to(before, sidecars)
        else:
            raise_to(before, add(dict(sidecars), asked))
    raise_to(together, before)
    _as_a_whole(pod.resources or NO_SIZES, together)
    return add(together, amounts(pod.overhead))


def _as_a_whole(sizes: Sizes, together: dict[str, int]) -> None:
    """What a pod says for all of its containers: never less than they ask for themselves.

    Where it says only how much they may take, and they ask for nothing, it asks for that much.
    """
    for name, amount in amounts(sizes.limits).items():
        together.setdefault(name, amount)
    raise_to(together, amounts(sizes.requests))


def of_container(container: ContainerSize) -> dict[str, int]:
    """Who limits itself and asks for nothing asks for as much; the API server says so, too."""
    sizes = container.resources or NO_SIZES
    return {**amounts(sizes.limits), **amounts(sizes.requests)}


def amounts(written: Mapping[str, str | int] | None) -> dict[str, int]:
    return {name: parse(value).nano for name, value in (written or {}).items()}


def add(total: dict[str, int], more: Amounts) -> dict[str, int]:
    for name, amount in more.items():
        total[name] = total.get(name, 0) + amount
    return total


def raise_to(total: dict[str, int], least: Amounts) -> None:
    for name, amount in least.items():
        total[name] = max(total.get(name, 0), amount)
