"""Volumes do not follow a pod yet: its owner is told which of them it will miss.

Here is the place for claims and what they stand for, once providers offer storage; until then no
virtual node says that it has any.

Runs on   consumer, in the virtual kubelet
Watches   Pod (bound to the node)
Writes    nothing
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

from liqo.api.kubernetes import Pod, PodSpec
from liqo.api.meta import Key
from liqo.kube.cache import Caches
from liqo.kube.copy import Copy
from liqo.kube.paths import Scope
from liqo.kubelet.pods.status import glance
from liqo.kubelet.site import Site
from liqo.runtime.controller import Controller
from liqo.runtime.plan import NOTHING, Plan, Record, do

NAME = "kubelet/reflect/volumes"
COMPONENT = "liqo-persistentvolumeclaim-reflection"  # who tells it, as dashboards know it
MISSING = "VolumesNotReflected"
CLAIM, GENERIC = "persistentVolumeClaim", "ephemeral"  # by which a volume is of a claim
CLAIMS, GENERICS = CLAIM.encode(), f'"{GENERIC}":'.encode()


@dataclass(frozen=True)
class State:
    site: Site
    local: Pod


def controller(here: Caches, site: Site) -> Controller[State]:
    pods = here.of(Pod, Scope(fields=f"spec.nodeName={site.node}"))
    return Controller(
        name=NAME, watches={pods: claiming}, observe=partial(observe, pods, site), plan=plan
    )


def claiming(pod: Pod) -> tuple[Key, ...]:
    """Asked at every change of every pod: where no claim is mentioned, nothing is decoded."""
    spec = bytes(pod.raw_spec)
    return (pod.key,) if CLAIMS in spec or GENERICS in spec else ()


def observe(pods: Copy[Pod], site: Site, key: Key) -> State | None:
    local = pods.get(key)
    return State(site, local) if local is not None else None


def plan(state: State) -> Plan:
    """
    pod     | its volumes   | what is done
    --------+---------------+----------------------------------------------------------
    Pending | some of claims| tell that the provider does not have them
    else    | any           | nothing: it runs, so somebody made them there, or has ended
    """
    local = state.local
    missing = list(claims_in(local.spec))
    if glance(local)[0] != "Pending" or not missing:
        return NOTHING
    message = (
        f"{', '.join(missing)}: volumes are not reflected to cluster "
        f'"{state.site.provider}" yet. Run the pod at home, or make them there by hand'
    )
    return do(Record(local, MISSING, message, type="Warning", component=COMPONENT))


def claims_in(spec: PodSpec) -> Iterator[str]:
    for volume in spec.get("volumes", ()):
        if CLAIM in volume:
            yield f"volume {volume['name']} of claim {volume[CLAIM].get('claimName', '')}"
        elif GENERIC in volume:
            yield f"volume {volume['name']} of a claim of its own"
