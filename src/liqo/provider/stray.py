"""Stray: a pod that was made of a ShadowPod and belongs to none any more is ended.

Whoever deletes a ShadowPod may ask Kubernetes to leave its pod behind (`--cascade=orphan`), and a
backup may bring back a pod alone. Such a pod would run for ever: nobody asks for it, no quota
counts it, and it keeps its name from the next ShadowPod.

Runs on   provider
Watches   Pod (made of a ShadowPod)
Writes    deletes Pods, with the grace that is their own
"""

from __future__ import annotations

from functools import partial

from liqo.api import labels
from liqo.api.kubernetes import Pod
from liqo.api.meta import Key
from liqo.api.offloading import ShadowPod
from liqo.kube.cache import Caches
from liqo.provider.shadowpod import OURS
from liqo.runtime.controller import Controller
from liqo.runtime.plan import Delete, Plan, do


def controller(here: Caches) -> Controller[Pod]:
    return Controller(
        name="provider/stray",
        watches={here.of(Pod, OURS): strays},
        observe=partial(observe, here),
        plan=plan,
    )


def strays(pod: Pod) -> tuple[Key, ...]:
    """Hardly ever one: this is asked at every change of every pod."""
    return (pod.key,) if is_stray(pod) else ()


def is_stray(pod: Pod) -> bool:
    """It came from a consumer, and stays although nobody answers for it."""
    metadata = pod.metadata
    if labels.ORIGIN not in metadata.labels or metadata.deletion_timestamp is not None:
        return False
    return all(owner.kind != ShadowPod.KIND.name for owner in metadata.owner_references)


def observe(here: Caches, key: Key) -> Pod | None:
    pod = here.of(Pod, OURS).get(key)
    return pod if pod is not None and is_stray(pod) else None


def plan(pod: Pod) -> Plan:
    return do(Delete(pod))
