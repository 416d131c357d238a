"""ShadowPod: the pod that a consumer asked for runs here as long as its ShadowPod is there.

It does so whether or not the consumer can be reached: a pod that is lost is made again, one that
finished is not.

Runs on   provider
Watches   ShadowPod, Pod (made of one)
Writes    Pod, and what of it may change later; ShadowPod status, once its pod finished or shrank
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import partial
from itertools import takewhile
from typing import cast

import msgspec

from liqo.api import labels
from liqo.api.kubernetes import Pod
from liqo.api.meta import JSON, Key
from liqo.api.offloading import PodPhase, ShadowPod
from liqo.kube.cache import Caches
from liqo.kube.errors import KubeError, Refused
from liqo.kube.paths import Scope
from liqo.provider.changes import attached, marks, notes, steps
from liqo.rules.changes import end_of, made_of
from liqo.rules.disruption import is_swept
from liqo.rules.held import has_its_size, still_held
from liqo.rules.ownership import owned_by
from liqo.runtime.clock import Clock
from liqo.runtime.controller import Controller, itself
from liqo.runtime.plan import (
    NOTHING,
    Create,
    Delete,
    Manifest,
    PatchStatus,
    Plan,
    Record,
    do,
)

OURS = Scope(labels=f"{labels.MANAGED_BY}=shadowpod")
FINISHED: frozenset[str] = frozenset({"Succeeded", "Failed"})
NEWS = timedelta(seconds=1)  # for two watches to tell what belongs together


@dataclass(frozen=True)
class State:
    shadow: ShadowPod
    pod: Pod | None
    wait: float = 0.0  # seconds before a pod that went may be missed


@dataclass
class Losses:
    """When pods went: one that goes with its ShadowPod may be heard of before that."""

    clock: Clock
    _at: dict[Key, datetime] = field(default_factory=dict)  # the oldest first

    def __iter__(self) -> Iterator[Key]:
        return iter(self._at)

    def note(self, old: Pod | None, new: Pod | None) -> None:
        if old is not None and new is None:
            now = self.clock()
            for key in [*takewhile(lambda key: self._at[key] + NEWS <= now, self)]:
                self.forget(key)  # who does not lead hears of all, and asks for none
            self.forget(old.key)
            self._at[old.key] = now

    def left(self, key: Key) -> float:
        """Seconds until it is a loss."""
        at = self._at.get(key)
        return (at + NEWS - self.clock()).total_seconds() if at is not None else 0.0

    def forget(self, key: Key) -> None:
        self._at.pop(key, None)


def controller(here: Caches, clock: Clock) -> Controller[State]:
    losses = Losses(clock)
    here.of(Pod, OURS).subscribe(losses.note)
    return Controller(
        name="provider/shadowpod",
        watches={here.of(ShadowPod): itself, here.of(Pod, OURS): itself},
        observe=partial(observe, here, losses),
        plan=plan,
        failed=failed,
        manager="shadow-pod",
    )


def observe(here: Caches, losses: Losses, key: Key) -> State | None:
    shadow, pod = here.of(ShadowPod).get(key), here.of(Pod, OURS).get(key)
    if shadow is None or pod is not None:
        losses.forget(key)
    if shadow is None or shadow.metadata.deletion_timestamp is not None:
        return None  # its pod goes with it, by ownership
    return State(shadow, pod, losses.left(key))


def plan(state: State) -> Plan:
    """
    ShadowPod      | its pod              | what is done
    ---------------+----------------------+------------------------------------------------
    finished       | any                  | nothing: what finished is never run again
    without origin | any                  | nothing: no consumer asked for it
    asks to end it | there                | delete it, within the time that is asked for
    asks to end it | none                 | nothing: it is not to be made again
    live           | none, since just now | wait: its ShadowPod may be gone as well
    live           | none                 | make it
    live           | of another ShadowPod | nothing: it is on its way out, and tells when
    live           | being deleted        | nothing: made again when it is gone
    live           | about to be          | the same: its Node is no more, and so it "failed"
    live           | finished             | remember that it did
    live           | there                | bring it in step: changes.py
    that shrank    | has shrunk           | say so: until then it counts as it was
    """
    shadow, pod = state.shadow, state.pod
    if phase_of(shadow) in FINISHED or labels.ORIGIN not in shadow.metadata.labels:
        return NOTHING
    if (within := end_of(shadow)) is not None:
        return do(Delete(pod, grace=within)) if pod is not None else NOTHING
    if pod is None:
        return do(wake_after=state.wait) if state.wait > 0 else do(Create(forge(shadow)))
    if not _is_of(pod, shadow) or pod.metadata.deletion_timestamp is not None or is_swept(pod):
        return NOTHING
    phase = pod_phase(pod)
    if phase in FINISHED:
        return do(PatchStatus(shadow, {"phase": phase}))
    return do(*_shrunk(shadow, pod), *steps(shadow, pod))  # of which any may be refused for ever


def _shrunk(shadow: ShadowPod, pod: Pod) -> Iterator[PatchStatus]:
    if still_held(shadow) and has_its_size(shadow, pod):
        yield PatchStatus(shadow, {"observedGeneration": shadow.metadata.generation})


def failed(state: State, error: KubeError) -> Plan:
    """PodSecurity, a LimitRange, a name that is taken: the consumer reads it there.

    A size that is refused does not hold up an ephemeral container.
    """
    is_no = isinstance(error, Refused) or error.reason == "AlreadyExists"
    if not is_no:
        return NOTHING  # tried again soon
    if state.pod is not None:
        told = _failure(state.shadow, "FailedUpdatePod", f"Failed to update pod: {error}")
        return do(told, *attached(state.shadow, state.pod))
    return do(_failure(state.shadow, "FailedCreatePod", f"Failed to create pod: {error}"))


def forge(shadow: ShadowPod) -> Manifest:
    """Ephemeral containers belong to one pod: what came before this one is not run in it."""
    spec = cast(JSON, shadow.spec.pod)
    past = spec.pop("ephemeralContainers", ())
    metadata: JSON = {
        "name": shadow.metadata.name,
        "namespace": shadow.metadata.namespace,
        "labels": marks(shadow),
        "annotations": notes(shadow, made_of(shadow, (each["name"] for each in past))),
        "ownerReferences": [msgspec.to_builtins(owned_by(shadow))],
    }
    return Manifest(Pod.KIND, {"metadata": metadata, "spec": spec})


def phase_of(shadow: ShadowPod) -> PodPhase:
    return shadow.status.phase if shadow.status is not None else "Unknown"


class _Phase(msgspec.Struct):
    phase: str = "Unknown"


_phase = msgspec.json.Decoder(_Phase | None)


def pod_phase(pod: Pod) -> str:
    """Reads that one word and skips the rest: this is asked at every change of every pod."""
    status = cast(_Phase | None, _phase.decode(pod.raw_status))
    return status.phase if status is not None else "Unknown"


def _is_of(pod: Pod, shadow: ShadowPod) -> bool:
    return any(owner.uid == shadow.metadata.uid for owner in pod.metadata.owner_references)


def _failure(shadow: ShadowPod, reason: str, message: str) -> Record:
    return Record(shadow, reason, message, "Warning")
