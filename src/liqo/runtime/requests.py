"""Which request an action becomes, as a value: nothing is sent here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias, assert_never

import msgspec

from liqo.api.meta import JSON, Key, Kind, Resource
from liqo.kube.cluster import Token
from liqo.runtime.plan import (
    Apply,
    Create,
    Delete,
    Evict,
    Manifest,
    MintToken,
    Object,
    Patch,
    PatchForm,
    PatchStatus,
    Side,
)

Verb: TypeAlias = Literal["apply", "create", "patch", "delete", "evict"]

Write: TypeAlias = Apply | Create | Patch | PatchStatus | Delete | Evict
"""The actions that are one request each. A Record and a MintToken become such actions first."""


@dataclass(frozen=True)
class Request:
    """One write. With a uid it is refused if another object has taken the name."""

    verb: Verb
    on: Side
    kind: Kind
    key: Key
    body: JSON = field(default_factory=dict)
    subresource: str = ""
    form: PatchForm = "merge"
    uid: str = ""
    grace: int | None = None
    propagation: str = ""


def request_for(action: Write) -> Request:
    match action:
        case Apply(thing, on, subresource):
            body = body_of(thing)
            uid = body["metadata"].get("uid", "")
            return Request("apply", on, *_named(thing), body, subresource, uid=uid)
        case Create(thing, on):
            return Request("create", on, *_named(thing), body_of(thing))
        case Patch(seen, change, on, form, guarded):
            body = {**change, "metadata": {**change.get("metadata", {}), **_guard(seen, guarded)}}
            return Request("patch", on, *_observed(seen), body, form=form, uid=seen.metadata.uid)
        case PatchStatus(seen, status, on, form, guarded, labels):
            travelling = {"labels": dict(labels)} if labels else {}
            body = {"metadata": {**_guard(seen, guarded), **travelling}, "status": status}
            uid = seen.metadata.uid
            return Request("patch", on, *_observed(seen), body, "status", form, uid)
        case Delete(seen, on, grace, propagation):
            uid = seen.metadata.uid
            whose = _observed(seen)
            return Request("delete", on, *whose, uid=uid, grace=grace, propagation=propagation)
        case Evict(seen, on, grace):
            return Request("evict", on, *_observed(seen), uid=seen.metadata.uid, grace=grace)
        case _:
            assert_never(action)


def body_of(thing: Object) -> JSON:
    """An object as it is sent: what it says, and what it is."""
    if isinstance(thing, Manifest):
        return {"apiVersion": thing.kind.api_version, "kind": thing.kind.name, **thing.body}
    content: JSON = msgspec.to_builtins(thing)
    return {"apiVersion": thing.KIND.api_version, "kind": thing.KIND.name, **content}


def with_tokens(action: MintToken, issued: Sequence[Token]) -> Apply:
    """The Secret with the tokens in it, and when the first of them expires."""
    body = action.into.body
    metadata = body["metadata"]
    annotations = metadata.get("annotations", {})
    tokens = {want.field: got.value for want, got in zip(action.wanted, issued, strict=True)}
    kept_until = annotations.get(action.expiry_annotation)  # of tokens that it holds already
    expiries = [got.expires for got in issued] + ([kept_until] if kept_until else [])
    secret = {
        **body,
        "metadata": {
            **metadata,
            "annotations": {**annotations, action.expiry_annotation: min(expiries)},
        },
        "stringData": {**body.get("stringData", {}), **tokens},
    }
    return Apply(Manifest(action.into.kind, secret), on=action.on)


def _named(thing: Object) -> tuple[Kind, Key]:
    if isinstance(thing, Manifest):
        metadata = thing.body["metadata"]
        return thing.kind, Key(metadata.get("namespace", ""), metadata.get("name", ""))
    return thing.KIND, thing.key


def _observed(seen: Resource) -> tuple[Kind, Key]:
    return seen.KIND, Key(seen.metadata.namespace, seen.metadata.name)


def _guard(seen: Resource, guarded: bool) -> JSON:
    """What the API server compares before it changes anything."""
    guard = {"uid": seen.metadata.uid} if seen.metadata.uid else {}
    return {**guard, "resourceVersion": seen.metadata.resource_version} if guarded else guard
