"""What is wanted, as values: a Plan is the answer of every decision, and it does nothing itself.

An object that was observed names itself, with its uid: an action on it means it, and no namesake.
`runtime.execute` is the only reader of actions. The list of them is closed: a new one needs
a record of the decision (docs/adr/0010-actions.md).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, TypeAlias

from liqo.api.meta import JSON, Key, Kind, Meta, Resource

Side: TypeAlias = Literal["local", "remote"]
"""Which API server an action is for, where one process holds two."""

PatchForm: TypeAlias = Literal["merge", "strategic"]


@dataclass(frozen=True)
class Manifest:
    """An object of a kind that Kubernetes owns, as we write it: only the fields we mean."""

    kind: Kind
    body: JSON  # metadata, spec, data …; apiVersion and kind come from `kind`


Object: TypeAlias = Resource | Manifest
"""What can be written: an object of our own kinds, or a Manifest."""


@dataclass(frozen=True)
class Apply:
    """Make these fields so. With a uid in its metadata it changes, but never creates."""

    object: Object
    on: Side = "local"
    subresource: str = ""
    # Fields that nobody else may say: "spec.selector", or "data.*" for all of a map. Those that are
    # there and not in the object are taken away.
    whole: tuple[str, ...] = ()


@dataclass(frozen=True)
class Create:
    """Make this object: cheaper than Apply, and always sent. One of its name is a Conflict.

    So plan it only where the copy in which you look holds all objects of that name. One that is
    chosen by a label lacks those that lost it, and then each attempt would fail: `or_apply`.
    """

    object: Object
    on: Side = "local"
    or_apply: bool = False  # to the one that has the name, whatever our copy says


@dataclass(frozen=True)
class Patch:
    """Change these fields of an object that is there, and leave all others alone."""

    object: Resource
    change: JSON
    on: Side = "local"
    form: PatchForm = "merge"
    only_if_unchanged: bool = False  # since it was observed; else somebody else's change wins
    subresource: str = ""  # what a pod's own path refuses: its size, its ephemeral containers


@dataclass(frozen=True)
class PatchStatus:
    """Change these fields of an object's status.

    Labels and annotations may travel in the same request, where the kind allows it: a pod does.
    """

    object: Resource
    status: JSON
    on: Side = "local"
    form: PatchForm = "merge"
    only_if_unchanged: bool = False  # needed where a second writer shares a list without keys
    labels: tuple[tuple[str, str], ...] = ()
    annotations: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class Delete:
    """Remove this object; that it is gone already is as good."""

    object: Resource
    on: Side = "local"
    grace: int | None = None
    propagation: Literal["", "Foreground", "Background", "Orphan"] = ""
    only_if_unchanged: bool = False  # since it was observed: what has begun meanwhile goes on


@dataclass(frozen=True)
class Evict:
    """Ask a pod to leave, if its disruption budget allows."""

    object: Resource
    on: Side = "local"
    grace: int | None = None


@dataclass(frozen=True)
class Occurrence:
    """What an Event of the other cluster says of itself; one that repeats it says the same."""

    event: str  # its name
    count: int = 1
    first: str = ""
    last: str = ""
    host: str = ""
    field_path: str = ""  # the part of its object that it is about
    labels: tuple[tuple[str, str], ...] = ()  # that the repetition has


@dataclass(frozen=True)
class Record:
    """Tell people about an object, as a Kubernetes Event. It never makes a reconcile fail."""

    about: Resource
    reason: str
    message: str
    type: Literal["Normal", "Warning"] = "Normal"
    on: Side = "local"
    component: str = ""  # who says so: the controller's name, unless the wire fixes another
    repeats: Occurrence | None = None


@dataclass(frozen=True)
class WantedToken:
    """One token of a service account, and the field of the Secret that takes it."""

    field: str
    audience: str = ""  # empty: the API server's own
    seconds: int = 3600


@dataclass(frozen=True)
class MintToken:
    """Have tokens issued on the local side, put them into a Secret, apply that."""

    service_account: Key
    bound_to: Resource  # the pod whose end is the end of the tokens
    wanted: tuple[WantedToken, ...]
    into: Manifest
    expiry_annotation: str  # of the Secret: when the first of its tokens expires
    on: Side = "remote"


Action: TypeAlias = Apply | Create | Patch | PatchStatus | Delete | Evict | Record | MintToken


@dataclass(frozen=True)
class Part:
    """Actions, in order, that have nothing to do with those of other parts, done beside them."""

    name: str  # by which a controller knows it again
    actions: tuple[Action, ...]


@dataclass(frozen=True)
class Plan:
    """Actions, in order; the first that fails ends the reconcile, and all is decided anew.

    Of the parts, which come after them, one that fails ends only itself, and one that waits holds
    up no other: the reconcile fails when the others are done. The loop in `runtime.controller`
    hands each on as a plan of its own.
    """

    actions: tuple[Action, ...] = ()
    wake_after: float | None = None  # seconds until the key is to be looked at again
    parts: tuple[Part, ...] = ()


NOTHING = Plan()


def do(*actions: Action, wake_after: float | None = None, parts: Iterable[Part] = ()) -> Plan:
    return Plan(actions, wake_after, tuple(parts))


def identity(observed: Resource) -> Meta:
    """Names an object in the body of a write, without echoing the rest of its metadata."""
    metadata = observed.metadata
    return Meta(name=metadata.name, namespace=metadata.namespace, uid=metadata.uid)
