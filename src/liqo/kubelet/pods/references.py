"""The ConfigMaps and Secrets that a pod refers to."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple, TypeAlias

from liqo.api.meta import JSON


class Reference(NamedTuple):
    kind: str  # ConfigMap, Secret
    name: str

    def __str__(self) -> str:
        return f"{self.kind} {self.name}"


Found: TypeAlias = Iterator[tuple[Reference, bool]]
"""Each with whether the pod can start without it."""


def references(spec: JSON) -> frozenset[Reference]:
    """Without which it cannot start; of a spec that is forged they are names on the provider."""
    return frozenset(each for each, is_optional in _all(spec) if not is_optional)


def mentions(spec: JSON) -> frozenset[Reference]:
    """All of them."""
    return frozenset(each for each, _ in _all(spec))


def _all(spec: JSON) -> Found:
    for container in (*spec.get("containers", ()), *spec.get("initContainers", ())):
        yield from _of_container(container)
    for volume in spec.get("volumes", ()):
        yield from _of_volume(volume)
    for secret in spec.get("imagePullSecrets", ()):
        yield from _found("Secret", secret)


def _of_container(container: JSON) -> Found:
    for variable in container.get("env", ()):
        source = variable.get("valueFrom") or {}
        yield from _found("ConfigMap", source.get("configMapKeyRef"))
        yield from _found("Secret", source.get("secretKeyRef"))
    for source in container.get("envFrom", ()):
        yield from _found("ConfigMap", source.get("configMapRef"))
        yield from _found("Secret", source.get("secretRef"))


def _of_volume(volume: JSON) -> Found:
    yield from _found("ConfigMap", volume.get("configMap"))
    secret = volume.get("secret")
    if secret is not None:
        yield from _found("Secret", {**secret, "name": secret.get("secretName")})
    sources: Iterable[Any] = volume.get("projected", {}).get("sources") or ()
    for source in sources:
        yield from _found("ConfigMap", source.get("configMap"))
        yield from _found("Secret", source.get("secret"))


def _found(kind: str, reference: JSON | None) -> Found:
    if reference is not None and reference.get("name"):
        yield Reference(kind, reference["name"]), bool(reference.get("optional"))
