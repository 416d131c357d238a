"""Claim: what a ShadowPod takes of a quota, as who is asked tells it to the one that decides.

It is small, and all that the decision looks at.
"""

from __future__ import annotations

import msgspec

from liqo.api import labels
from liqo.api.meta import Key, Model
from liqo.api.offloading import ShadowPod
from liqo.api.sizes import PodSize, SizedShadowPod, size_of
from liqo.rules.changes import end_of
from liqo.webhooks.review import ALLOW, FORBIDDEN, Deny, Request, Verdict

FINISHED = frozenset({"Succeeded", "Failed"})


class Claim(Model, frozen=True):
    namespace: str
    name: str
    uid: str  # the API server has given it one before it asks
    user: str  # who made it, as its label says; empty: nobody knows
    pod: PodSize
    is_change: bool = False  # of one that is there …
    after: int = 0  # … and of which version
    is_dry_run: bool = False  # nothing of it will be stored

    @property
    def key(self) -> Key:
        return Key(self.namespace, self.name)


class Ruling(Model, frozen=True):
    """A verdict, between two replicas."""

    refusal: str = ""  # empty: allowed
    code: int = FORBIDDEN


def claimed(request: Request[ShadowPod]) -> Claim | None:
    """None where it asks for nothing that was not counted before."""
    asked, old = request.object, request.old
    if old is not None and (is_finished(old) or not resized(old, asked)):
        return None
    metadata, size = asked.metadata, size_of(asked.spec.raw_pod)
    if old is None and end_of(asked) is not None and not size.containers:
        return None  # it is made to end a pod, and cannot become one: nobody may add containers
    return Claim(
        namespace=metadata.namespace,
        name=metadata.name,
        uid=metadata.uid,
        user=metadata.labels.get(labels.CREATOR_USER, ""),
        pod=size,
        is_change=old is not None,
        after=version_of(old) if old is not None else 0,
        is_dry_run=request.is_dry_run,
    )


def version_of(shadow: ShadowPod | SizedShadowPod) -> int:
    """Kubernetes numbers them, so that a later one can be told from an earlier one."""
    written = shadow.metadata.resource_version
    return int(written) if written.isdecimal() else 0


def is_finished(shadow: ShadowPod | SizedShadowPod) -> bool:
    """Its pod has ended, and is never made again."""
    return shadow.status is not None and shadow.status.phase in FINISHED


def resized(old: ShadowPod, new: ShadowPod) -> bool:
    before, after = old.spec.raw_pod, new.spec.raw_pod
    return bytes(before) != bytes(after) and size_of(before) != size_of(after)


def ruling(verdict: Verdict) -> bytes:
    told = (
        Ruling(refusal=verdict.reason, code=verdict.code) if isinstance(verdict, Deny) else Ruling()
    )
    return msgspec.json.encode(told)


def verdict_of(ruled: bytes) -> Verdict:
    told = msgspec.json.decode(ruled, type=Ruling)
    return Deny(told.refusal, told.code) if told.refusal else ALLOW
