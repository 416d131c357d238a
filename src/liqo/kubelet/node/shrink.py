"""Shrink: a node that offers less than its pods ask for says which of them no longer fit.

Nothing is ended for that: what runs goes on. But a pod that is lost may not come back, and whoever
has to make room should know where to begin.

Runs on   consumer, in the virtual kubelet
Watches   Node (its own)
Writes    Events about its Node and the pods
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial

from liqo.api.kubernetes import Node, Pod
from liqo.api.meta import Key
from liqo.api.sizes import size_of
from liqo.kube.cache import Caches
from liqo.kube.paths import Scope, named
from liqo.kubelet.pods.status import is_finished
from liqo.kubelet.site import Site
from liqo.rules.fit import Bound, Displaced, amount, displaced, in_all
from liqo.rules.usage import Amounts, amounts, taken
from liqo.runtime.controller import Controller
from liqo.runtime.plan import NOTHING, Action, Plan, Record, do

REASON = "NoLongerFits"
NAMED = 10  # pods in one sentence: who wants to know of all asks for them


@dataclass(frozen=True)
class State:
    site: Site
    node: Node
    pods: tuple[Pod, ...]  # bound to it


class Offers:
    """What the Node offered when it was last seen.

    Nobody else need remember it: while no kubelet runs, nobody changes what the Node says.
    """

    def __init__(self) -> None:
        self._last: Amounts = {}

    def shrinking(self, node: Node) -> tuple[Key, ...]:
        """The Node, if it offers less of anything. Of a change we are told what was, then what is.

        One that was made anew says nothing at first: that is no offer.
        """
        offered = offer_of(node)
        if not offered:
            return ()
        before, self._last = self._last, offered
        shrinks = any(offered.get(resource, 0) < nano for resource, nano in before.items())
        return (node.key,) if shrinks else ()


def controller(here: Caches, site: Site) -> Controller[State]:
    return Controller(
        name="kubelet/node/shrink",
        watches={here.of(Node, named(Key("", site.node))): Offers().shrinking},
        observe=partial(observe, here, site),
        plan=plan,
    )


def observe(here: Caches, site: Site, key: Key) -> State | None:
    """All pods at once: that is seldom, while pods change all the time."""
    node = here.of(Node, named(key)).get(key)
    if node is None:
        return None
    pods = here.of(Pod, Scope(fields=f"spec.nodeName={site.node}"))
    return State(site, node, tuple(pods))


def plan(state: State) -> Plan:
    """
    pods of the node ask | what is done
    ---------------------+---------------------------------------------------------
    for no more than that| nothing
    for more             | tell the Node which do not fit, and each of them by itself
    """
    live = [pod for pod in state.pods if not is_finished(pod)]
    bound = [Bound(pod.key, _made(pod), taken(size_of(pod.raw_spec))) for pod in live]
    out = displaced(bound, offer_of(state.node))
    return do(*_told(state, live, bound, out)) if out else NOTHING


def _told(
    state: State, live: Iterable[Pod], bound: Iterable[Bound], out: tuple[Displaced, ...]
) -> Iterator[Action]:
    yield Record(state.node, REASON, _sentence(state, bound, out), "Warning")
    pods = {pod.key: pod for pod in live}
    for each in out:
        yield Record(pods[each.key], REASON, _of_pod(state.site, each), "Warning")


def _sentence(state: State, bound: Iterable[Bound], out: tuple[Displaced, ...]) -> str:
    offered, asked = offer_of(state.node), in_all(bound)
    short = [
        f"{name}: {amount(name, offered.get(name, 0))} for {amount(name, asked[name])}"
        for name in sorted({each.short.resource for each in out})
    ]
    names = [str(each.key) for each in out[:NAMED]]
    more = f" and {len(out) - NAMED} more" if len(out) > NAMED else ""
    return (
        f'cluster "{state.site.provider}" offers less than the pods of this node ask for '
        f"({', '.join(short)}). Nothing is ended, and the oldest keep their place; see: "
        f"liqoctl explain capacity {state.site.node}. No longer fit: {', '.join(names)}{more}"
    )


def _of_pod(site: Site, out: Displaced) -> str:
    short = out.short
    return (
        f'cluster "{site.provider}" offers less than the pods of node "{site.node}" ask for: of '
        f"{short.resource}, this one asks for {short.asked}, and older ones leave {short.left}. "
        "It is not ended, but if it is lost, it may have to wait for room"
    )


def offer_of(node: Node) -> Amounts:
    return amounts(node.status.get("allocatable"))


def _made(pod: Pod) -> str:
    return pod.metadata.creation_timestamp or ""
