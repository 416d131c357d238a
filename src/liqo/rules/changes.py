"""What of a pod may still change once it runs, and what its ShadowPod said about that before.

Admission on a provider may give a pod another image or another size than it was asked for. So what
counts as a change is not that pod and ShadowPod differ, but that the ShadowPod says something else
than it said when the two were last brought in step. That is written on the pod; also, which labels
and annotations came from its ShadowPod: those of others stay when these go.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping

import msgspec

from liqo.api import labels
from liqo.api.kubernetes import Pod
from liqo.api.meta import JSON, Resource
from liqo.api.offloading import ShadowPod

OURS = "liqo.io"  # the domain of keys that a pod has as long as it has a ShadowPod
DIGITS = 8  # of a digest: two values of one container, and nobody gains by a collision


class Part(msgspec.Struct, frozen=True, gc=False):
    """Of a container, what may change."""

    name: str
    image: str = ""
    resources: JSON = {}

    @property
    def size(self) -> JSON:
        """Without claims of devices, which stay as they are."""
        return {name: value for name, value in self.resources.items() if name != "claims"}


class Changeable(msgspec.Struct, frozen=True, rename="camel"):
    """Of a pod's spec, what may change; the rest is not even decoded."""

    containers: list[Part] = []
    init_containers: list[Part] = []
    tolerations: list[JSON] = []
    active_deadline_seconds: int | None = None
    ephemeral_containers: list[JSON] = []

    @property
    def parts(self) -> Iterator[Part]:
        yield from self.containers
        yield from self.init_containers

    @property
    def images(self) -> dict[str, str]:
        return {each.name: each.image for each in self.parts}

    @property
    def sizes(self) -> dict[str, JSON]:
        return {each.name: each.size for each in self.parts}

    @property
    def debuggers(self) -> set[str]:
        return {each["name"] for each in self.ephemeral_containers}


class Made(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a ShadowPod said when its pod was last brought in step with it."""

    generation: int = 0
    labels: list[str] = []  # their names …
    annotations: list[str] = []
    images: dict[str, str] = {}  # … and digests, by the names of containers
    sizes: dict[str, str] = {}
    past: list[str] = []  # ephemeral containers from before this pod: they never run in it

    def __str__(self) -> str:
        return msgspec.json.encode(self).decode()


_changeable = msgspec.json.Decoder(Changeable | None)
_made = msgspec.json.Decoder(Made)


def changeable(spec: msgspec.Raw) -> Changeable:
    return _changeable.decode(spec) or Changeable()


def made_of(shadow: ShadowPod, past: Iterable[str]) -> Made:
    said, marks = changeable(shadow.spec.raw_pod), shadow.metadata
    return Made(
        generation=marks.generation,
        labels=users_own(marks.labels),
        annotations=users_own(marks.annotations),
        images={name: digest(image) for name, image in said.images.items()},
        sizes={name: digest(size) for name, size in said.sizes.items() if size},
        past=sorted(past),
    )


def made_in(pod: Resource) -> Made | None:
    """None where those who made it bring no later changes to it: another implementation."""
    told = pod.metadata.annotations.get(labels.MADE_OF)
    if told is None:
        return None
    try:
        return _made.decode(told)
    except msgspec.DecodeError:
        return None


def is_like(shadow: ShadowPod, pod: Pod) -> bool:
    """In step with it, as far as anybody can tell: a pod that says nothing is believed."""
    made = made_in(pod)
    return made is None or made.generation == shadow.metadata.generation


def end_of(shadow: ShadowPod) -> int | None:
    """Within how many seconds its pod is to end; None of one that asks for its pod to be there."""
    told = shadow.metadata.annotations.get(labels.END_WITHIN, "")
    return int(told) if told.isdecimal() else None


def users_own(marks: Mapping[str, str]) -> list[str]:
    return sorted(name for name in marks if not is_liqos(name))


def is_liqos(name: str) -> bool:
    domain, slash, _ = name.partition("/")
    return bool(slash) and (domain == OURS or domain.endswith(f".{OURS}"))


def digest(value: str | JSON) -> str:
    encoded = msgspec.json.encode(value, order="sorted")
    return hashlib.sha256(encoded).hexdigest()[:DIGITS]
