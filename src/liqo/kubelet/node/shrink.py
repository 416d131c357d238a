"""Shrink: a node that offers less than its pods ask for says which of them no longer fit.

Nothing is ended for that: what runs goes on. But a pod that is lost may not come back, and whoever
has to make room should know where to begin. Where several virtual nodes share a slice, the one that
follows it speaks for the pods of all.

Runs on   consumer, in the virtual kubelet
Watches   Node (its own); keeps the sum of what its pods ask for
Writes    Events about its Node and the pods
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

from liqo.api.kubernetes import Node, Pod
from liqo.api.meta import Key
from liqo.kube.cache import Caches
from liqo.kube.copy import Copy
from liqo.kube.paths import Scope, named
from liqo.kubelet.node.demand import Demand
from liqo.kubelet.node.neighbours import Neighbours, neighbours
from liqo.kubelet.site import Site
from liqo.rules.fit import Bound, Displaced, amount, first_displaced, in_all, is_enough
from liqo.rules.usage import Amounts, add, amounts
from liqo.runtime.controller import Controller
from liqo.runtime.plan import NOTHING, Action, Plan, Record, do

REASON = "NoLongerFits"
NAMED = 10  # pods in one sentence: who wants to know of all asks for them
TOLD = 100  # pods that are told one by one: thousands of Events would be read by nobody


@dataclass(frozen=True)
class State:
    site: Site
    node: Node
    asked: Amounts  # by all of its pods that have not finished …
    bound: tuple[Bound, ...]  # … and by each of them
    pods: tuple[Pod, ...]
    is_first: bool = False  # look since this kubelet started: what was told before, nobody knows
    beside: tuple[str, ...] = ()  # other nodes of the same slice, whose pods are among these


class Offers:
    """What the Node offered when it was last seen.

    Nobody else need remember it: while no kubelet runs, nobody changes what the Node says. But the
    last one may have ended between the Node's smaller offer and the Event about it. So what is seen
    first is looked at as well.
    """

    def __init__(self) -> None:
        self._last: Amounts | None = None  # None: nothing was seen yet
        self.is_first = False  # nothing was seen to change since

    def shrinking(self, node: Node) -> tuple[Key, ...]:
        """The Node, if it offers less of anything, or is seen for the first time.

        Of a change we are told what was, then what is. A Node that was made anew says nothing at
        first: that is no offer.
        """
        offered = offer_of(node)
        if not offered:
            return ()
        before, self._last = self._last, offered
        if before is None:
            self.is_first = True
            return (node.key,)
        shrinks = any(offered.get(resource, 0) < nano for resource, nano in before.items())
        self.is_first = self.is_first and not shrinks
        return (node.key,) if shrinks else ()


def controller(here: Caches, there: Caches, site: Site) -> Controller[State]:
    demand, offers = Demand(), Offers()
    _pods(here, site).subscribe(demand.follow)
    return Controller(
        name="kubelet/node/shrink",
        watches={here.of(Node, named(Key("", site.node))): offers.shrinking},
        observe=partial(observe, here, neighbours(here, there, site), demand, offers),
        plan=plan,
    )


def observe(
    here: Caches, around: Neighbours, demand: Demand, offers: Offers, key: Key
) -> State | None:
    node = here.of(Node, named(key)).get(key)
    if node is None:
        return None
    site, beside = around.site, around.names()
    pods, is_first = tuple(_pods(here, site)), offers.is_first
    state = State(site, node, demand.total(), demand.each(), pods, is_first)
    return with_others(state, beside, tuple(around.pods(beside))) if beside else state


def with_others(
    state: State, beside: tuple[str, ...], others: Sequence[tuple[Pod, Bound]]
) -> State:
    asked = add(dict(state.asked), in_all(bound for _, bound in others))
    bound = (*state.bound, *(bound for _, bound in others))
    pods = (*state.pods, *(pod for pod, _ in others))
    return replace(state, asked=asked, bound=bound, pods=pods, beside=beside)


def plan(state: State) -> Plan:
    """
    pods of the node ask | what is done
    ---------------------+---------------------------------------------------------------------
    for no more than that| nothing
    for more             | tell the Node which do not fit, and the first of them each by itself
    for more, when this  | tell the Node alone: the last kubelet may have told all, and each one
    kubelet has started  | that starts would repeat a hundred Events
    """
    offered = offer_of(state.node)
    if is_enough(offered, state.asked):
        return NOTHING  # without a look at each: that is long where they are thousands
    out, count = first_displaced(state.bound, offered, TOLD)
    return do(*_told(state, out, count)) if out else NOTHING


def _told(state: State, out: Sequence[Displaced], count: int) -> Iterator[Action]:
    yield Record(state.node, REASON, _sentence(state, out, count), "Warning")
    chosen = {} if state.is_first else {each.key: each for each in out}
    for pod in state.pods:
        if (each := chosen.get(pod.key)) is not None:
            yield Record(pod, REASON, _of_pod(state, each), "Warning")


def _pods(here: Caches, site: Site) -> Copy[Pod]:
    return here.of(Pod, Scope(fields=f"spec.nodeName={site.node}"))


def _sentence(state: State, out: Sequence[Displaced], count: int) -> str:
    offered = offer_of(state.node)
    short = [
        f"{name}: {amount(name, offered.get(name, 0))} for {amount(name, asked)}"
        for name, asked in sorted(state.asked.items())
        if not is_enough(offered, {name: asked})
    ]
    names = ", ".join(str(each.key) for each in out[:NAMED])
    more = f" and {count - NAMED} more" if count > NAMED else ""
    untold = f"; only the first {TOLD} have an Event of their own" if count > TOLD else ""
    whose = " and of ".join(("this node", *state.beside))
    return (
        f'cluster "{state.site.provider}" offers less than the pods of {whose} ask for '
        f"({', '.join(short)}). Nothing is ended, and the oldest keep their place; see: "
        f"liqoctl explain capacity {state.site.node}. No longer fit: {names}{more}{untold}"
    )


def _of_pod(state: State, out: Displaced) -> str:
    short, site = out.short, state.site
    whose = " and ".join(f'"{name}"' for name in (site.node, *state.beside))
    return (
        f'cluster "{site.provider}" offers less than the pods of node {whose} ask for: of '
        f"{short.resource}, this one asks for {short.asked}, and older ones leave {short.left}. "
        "It is not ended, but if it is lost, it may have to wait for room"
    )


def offer_of(node: Node) -> Amounts:
    return amounts(node.status.get("allocatable"))
