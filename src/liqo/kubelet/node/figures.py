"""Figures: who wonders why `kubectl top` shows nothing of a virtual node, finds out at the Node.

Neither `top` nor an autoscaler can tell: all they know is that nobody measured.

Runs on   consumer, in the virtual kubelet
Watches   whether the provider had no figures when it was last asked; Node (its own)
Writes    Events about its Node
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial

from liqo.api.kubernetes import Node
from liqo.api.meta import Key
from liqo.kube.cache import Caches
from liqo.kube.paths import named
from liqo.kubelet.site import Site
from liqo.runtime.controller import Controller
from liqo.runtime.plan import NOTHING, Plan, Record, do
from liqo.runtime.value import Value


@dataclass(frozen=True)
class State:
    node: Node
    provider: str
    missing: bool


def controller(here: Caches, site: Site, missing: Value[bool]) -> Controller[State]:
    def this(_: object) -> Iterable[Key]:
        return (Key("", site.node),)

    return Controller(
        name="kubelet/node/figures",
        watches={missing: this, here.of(Node, named(Key("", site.node))): this},
        observe=partial(observe, here, site, missing),
        plan=plan,
    )


def observe(here: Caches, site: Site, missing: Value[bool], key: Key) -> State | None:
    node = here.of(Node, named(key)).get(key)
    return State(node, site.provider, missing.now) if node is not None else None


def plan(state: State) -> Plan:
    """The same Event is told again every ten minutes at most, as all are."""
    if not state.missing:
        return NOTHING
    message = (
        f'the cluster "{state.provider}" serves no metrics.liqo.io: kubectl top and autoscalers '
        "see nothing of the pods there; its administrator brings it with liqoctl upgrade and the "
        "settings that it was installed with, but metricAgent.enabled=true"
    )
    return do(Record(state.node, "NoFigures", message, type="Warning"))
