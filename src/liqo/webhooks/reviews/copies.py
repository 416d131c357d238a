"""What replication writes: a peer makes copies of its own objects here, and minds nothing else.

Where two clusters borrow from each other, the namespace of a peer holds both its copies and what
we ask it for. RBAC cannot tell them apart; their labels do, and who it is that asks.
"""

from __future__ import annotations

from typing import TypeVar

from liqo.api import labels
from liqo.api.authentication import Renew, ResourceSlice
from liqo.api.offloading import NamespaceMap
from liqo.webhooks.review import ALLOW, Deny, Request, User, Verdict
from liqo.webhooks.reviews.trespass import done_to

Copied = TypeVar("Copied", ResourceSlice, Renew, NamespaceMap)

# What it is: a copy, of whom, for whom.
IDENTITY = (labels.REPLICATED, labels.ORIGIN_ID, labels.REPLICATION, labels.REMOTE_ID)
ANSWERED = (
    "only the cluster that is asked may answer: control plane users can't write the status of "
    "what they ask for, nor of what they are asked for"
)
NOT_ITS_COPY = (
    "control plane users can only make copies of their own objects here: the label "
    f'"{labels.REPLICATED}" must be "true", and "{labels.ORIGIN_ID}" the cluster that asks'
)
NOT_ITS_OWN = "control plane users can only change and delete copies of their own objects here"


def validate(request: Request[Copied], _: None) -> Verdict:
    """
    asked by | operation      | of                  | verdict
    ---------+----------------+---------------------+------------------------------------------
    others   | any            | anything            | allowed
    a peer   | any            | a status            | refused (S7)
    a peer   | CREATE         | a copy of its own   | allowed
    a peer   | UPDATE         | a copy of its own   | allowed, if it stays one; no finalizers
    a peer   | DELETE         | a copy of its own   | allowed
    a peer   | any            | anything else       | refused: it is ours, or would be
    """
    if not request.user.is_peer:
        return ALLOW
    if request.subresource:
        return Deny(ANSWERED)
    if request.is_creation:
        return ALLOW if is_own(request.user, request.object) else Deny(NOT_ITS_COPY)
    if request.old is None or not is_own(request.user, request.old):
        return Deny(NOT_ITS_OWN)
    return check_change(request.old, request.object) or ALLOW


def is_own(user: User, found: Copied) -> bool:
    """A copy of that peer's, and nothing that we would take for a request of our own."""
    marks = found.metadata.labels
    is_copy = marks.get(labels.REPLICATED) == "true" and marks.get(labels.REPLICATION) != "true"
    return is_copy and marks.get(labels.ORIGIN_ID) == user.name


def check_change(old: Copied, new: Copied) -> Deny | None:
    before, after = old.metadata, new.metadata
    if after.finalizers != before.finalizers:
        return Deny("control plane users can't change the finalizers")
    for name in IDENTITY:
        if did := done_to(name, before.labels, after.labels):
            return Deny(f"control plane users can't {did} the {name} label")
    return None
