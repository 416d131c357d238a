"""Is it up, and if not, why: the answer to who waited in vain, in one line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

from liqo.api.aggregation import APIService
from liqo.api.kubernetes import CustomResourceDefinition, Deployment, Pod
from liqo.api.meta import JSON


def is_ready(deployment: Deployment) -> bool:
    """As it was asked for, all of it, and nothing of an older one left."""
    wanted, status = deployment.spec.get("replicas", 1), deployment.status
    counted = ("replicas", "updatedReplicas", "availableReplicas")
    seen = status.get("observedGeneration", 0) >= deployment.metadata.generation
    return bool(seen and all(status.get(each, 0) == wanted for each in counted))


def is_established(definition: CustomResourceDefinition) -> bool:
    conditions = definition.status.get("conditions") or ()  # null, in its first moment
    return any(each["type"] == "Established" and each["status"] == "True" for each in conditions)


def is_available(api: APIService) -> bool:
    conditions = api.status.get("conditions", ())
    return any(each["type"] == "Available" and each["status"] == "True" for each in conditions)


def why_not(deployment: Deployment, pods: Sequence[Pod]) -> str:
    """The first reason that any of its pods gives."""
    of_pods = (f'the pod "{pod.metadata.name}" {why}' for pod in pods for why in trouble(pod))
    own = (
        f"no pod can be made: {each.get('message', '')}"
        for each in deployment.status.get("conditions", ())
        if each["type"] == "ReplicaFailure" and each["status"] == "True"
    )
    reason = next(chain(of_pods, own), "no pod has been made yet")
    return one_line(f'the Deployment "{deployment.metadata.name}" is not ready: {reason}')


def trouble(pod: Pod) -> Iterator[str]:
    status = pod.status
    for each in status.get("conditions", ()):
        if each["type"] == "PodScheduled" and each["status"] == "False":
            yield f"is not scheduled: {each.get('message', '')}"
    for container in status.get("containerStatuses", ()):
        yield from _of_container(container)
    if not _is_ready(status.get("conditions", ())):
        yield f"is {status.get('phase', 'Pending')} and not ready"


def _of_container(container: JSON) -> Iterator[str]:
    waiting = container.get("state", {}).get("waiting", {})
    reason = waiting.get("reason", "")
    if "Image" in reason:  # ErrImagePull, ImagePullBackOff, InvalidImageName, ErrImageNeverPull
        yield f"has no image {container['image']} ({reason}): {waiting.get('message', '')}"
    states = (container.get(name, {}) for name in ("lastState", "state"))
    ended = next((state["terminated"] for state in states if "terminated" in state), None)
    if ended:
        last_words = last_line(ended.get("message", "")) or ended.get("reason", "")
        yield f"crashes with exit code {ended.get('exitCode')}: {last_words}"
    elif reason and "Image" not in reason and reason != "ContainerCreating":
        yield f"waits ({reason}): {waiting.get('message', '')}"


def _is_ready(conditions: Iterable[Mapping[str, Any]]) -> bool:
    return any(each["type"] == "Ready" and each["status"] == "True" for each in conditions)


def last_line(text: str) -> str:
    return next((line for line in reversed(text.splitlines()) if line.strip()), "")


def one_line(text: str) -> str:
    return " ".join(text.split()).rstrip(": ")
