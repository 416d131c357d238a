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
    version: str = ""  # of a deletion; a patch has it in its body
    grace: int | None = None
    propagation: str = ""
    whole: tuple[str, ...] = ()  # of an apply: what nobody else may say
    or_apply: bool = False  # of a creation: where the name is taken


def request_for(action: Write) -> Request:
    match action:
        case Apply(thing, on, subresource, whole):
            body = body_of(thing)
            uid = body["metadata"].get("uid", "")
            return Request("apply", on, *_named(thing), body, subresource, uid=uid, whole=whole)
        case Create(thing, on, or_apply):
            return Request("create", on, *_named(thing), body_of(thing), or_apply=or_apply)
        case Patch(seen, change, on, form, guarded, subresource):
            body = {**change, "metadata": {**change.get("metadata", {}), **_guard(seen, guarded)}}
            uid = seen.metadata.uid
            return Request("patch", on, *_observed(seen), body, subresource, form, uid)
        case PatchStatus(seen, status, on, form, guarded):
            body = {"metadata": {**_guard(seen, guarded), **_travelling(action)}, "status": status}
            uid = seen.metadata.uid
            return Request("patch", on, *_observed(seen), body, "status", form, uid)
        case Delete(seen, on, grace, propagation, guarded):
            return Request(
                "delete",
                on,
                *_observed(seen),
                uid=seen.metadata.uid,
                version=seen.metadata.resource_version if guarded else "",
                grace=grace,
                propagation=propagation,
            )
        case Evict(seen, on, grace):
            return Request("evict", on, *_observed(seen), uid=seen.metadata.uid, grace=grace)
        case _:
            assert_never(action)


def body_of(thing: Object) -> JSON:
    """An object as it is sent: what it says, and what it is."""
    if isinstance(thing, Manifest):
        return {"apiVersion": thing.kind.api_version, "kind": thing.kind.name, **thing.body}
    content: JSON = msgspec.to_builtins(thing, enc_hook=msgspec.json.decode)  # what is still raw
    return {"apiVersion": thing.KIND.api_version, "kind": thing.KIND.name, **content}


def surplus(request: Request, answer: JSON) -> Request | None:
    """What takes away that which others said there: an apply leaves it."""
    change: JSON = {}
    for path in request.whole:
        _merge(change, _unsaid(path.split("."), request.body, answer))
    if not change:
        return None
    uid = answer["metadata"]["uid"]
    body = {**change, "metadata": {"uid": uid}}
    return Request("patch", request.on, request.kind, request.key, body, uid=uid)


def _unsaid(path: Sequence[str], said: JSON, there: JSON) -> JSON:
    """Null for each field at the end of that path which is there and was not said."""
    first, *rest = path
    names = sorted(there) if first == "*" else [first] * (there.get(first) is not None)
    if not rest:
        return {name: None for name in names if name not in said}
    inner = {name: _unsaid(rest, said.get(name) or {}, there[name]) for name in names}
    return {name: each for name, each in inner.items() if each}


def _merge(change: JSON, more: JSON) -> None:
    for name, each in more.items():
        if name in change and each is not None:
            _merge(change[name], each)
        else:
            change[name] = each


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


def _travelling(action: PatchStatus) -> JSON:
    marks = {"labels": dict(action.labels), "annotations": dict(action.annotations)}
    return {name: pairs for name, pairs in marks.items() if pairs}


def _guard(seen: Resource, guarded: bool) -> JSON:
    """What the API server compares before it changes anything."""
    guard = {"uid": seen.metadata.uid} if seen.metadata.uid else {}
    return {**guard, "resourceVersion": seen.metadata.resource_version} if guarded else guard
