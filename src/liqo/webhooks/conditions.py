"""Conditions that the API server checks by itself (CEL): it asks us only where all of them hold.

An objectSelector would do for much of it, but lets a peer exempt itself, by a label on what it
creates.
"""

from __future__ import annotations

from liqo.api import labels
from liqo.rules import names

BY_A_PEER = (
    f"'{names.CONTROL_PLANES}' in request.userInfo.groups || "
    f"request.userInfo.username.matches('^system:serviceaccount:[^:]+:{names.PEER_ACCOUNT}')"
)
STAYS = (
    f"request.operation == 'CREATE' || !has(oldObject.metadata.deletionTimestamp) || {BY_A_PEER}"
)

# An expression that fails refuses the request: whoever reads a field asks first if it is there.
ANOTHER_SPEC = (
    "has(object.spec) != has(oldObject.spec) || (has(object.spec) && object.spec != oldObject.spec)"
)

# For who may write an object that is leaving, and would gain something by it.
STAYS_OR_CHANGES = (
    f"{STAYS} || {ANOTHER_SPEC} || "
    "has(object.metadata.labels) != has(oldObject.metadata.labels) || "
    "(has(object.metadata.labels) && object.metadata.labels != oldObject.metadata.labels)"
)


def labelled(which: str, label: str, value: str) -> str:
    """Whether the `object`, or the `oldObject`, has that label; the value is an expression."""
    marks = f"{which}.metadata.labels"
    return f"has({marks}) && '{label}' in {marks} && {marks}['{label}'] == {value}"


def all_of(*conditions: str) -> str:
    return " && ".join(f"({each})" for each in conditions if each)


NOT_SKIPPED_BY_US = f"!({labelled('object', labels.WEBHOOK_SKIP, repr('true'))}) || {BY_A_PEER}"

# A deletion is our question only where the answer is no, be there somebody to say it or not.
OWN_COPY = all_of(
    labelled("oldObject", labels.REPLICATED, "'true'"),
    labelled("oldObject", labels.ORIGIN_ID, "request.userInfo.username"),
    f"!({labelled('oldObject', labels.REPLICATION, repr('true'))})",
)
OWN_NONCE = f"oldObject.metadata.name == '{names.NONCE_SECRET}'"


def trespass(own: str) -> str:
    """Of peers: whatever they write, and what they delete that is not their own."""
    return all_of(BY_A_PEER, f"request.operation != 'DELETE' || !({own})")


# Who says already who made it, and it is true, needs nobody to say so.
NOT_SIGNED_BY_ITS_CREATOR = "!({})".format(
    all_of(
        labelled("object", labels.CREATOR_USER, "request.userInfo.username"),
        "request.operation == 'CREATE' || "
        + labelled("oldObject", labels.CREATOR_USER, "request.userInfo.username"),
    )
)


def annotated(which: str, annotation: str) -> str:
    notes = f"{which}.metadata.annotations"
    return f"(has({notes}) && '{annotation}' in {notes})"


# What a pod still takes is ours to say, wherever it may have become less.
MAY_HAVE_SHRUNK = (
    f"{annotated('object', labels.STILL_TAKES)} || (request.operation == 'UPDATE' && "
    f"({annotated('oldObject', labels.STILL_TAKES)} || {ANOTHER_SPEC}))"
)
