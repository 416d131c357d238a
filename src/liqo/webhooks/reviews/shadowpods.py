"""ShadowPod: asked for by the consumer whose namespace it is in, and then left as it is.

This is asked for every pod that comes to us, so it costs no read of the cluster where the copy of
the namespaces agrees with the question.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from liqo.api import labels
from liqo.api.kubernetes import Container, Namespace, PodSpec
from liqo.api.meta import JSON, Key
from liqo.api.offloading import ShadowPod
from liqo.api.sizes import PodSize, size_of
from liqo.kube.reading import metadata
from liqo.rules.held import still_held, to_hold
from liqo.rules.resize import objections
from liqo.webhooks.review import (
    ALLOW,
    BAD_REQUEST,
    Deny,
    Known,
    Reader,
    Request,
    Verdict,
    completed,
)

UNFIT_FOR_A_LABEL = re.compile(r"[^A-Za-z0-9_.-]")
NO_CREATOR = "missing creator name"
ANOTHER_CREATOR = "creator name cannot be modified"
NO_ORIGIN = "missing origin Cluster ID label"
ANOTHER_ORIGIN = "shadopow Cluster ID label is changed"  # spelt so on the wire
WRONG_ORIGIN = "shadowpod Cluster ID label mismatch"
CHANGEABLE = frozenset({"activeDeadlineSeconds", "ephemeralContainers", "tolerations"})
OF_CONTAINERS = frozenset({"image", "resources"})
OF_RESOURCES = frozenset({"requests", "limits"})


@dataclass(frozen=True)
class State:
    """Whose namespace it is: the ID of a consumer, empty where it is nobody's."""

    consumer: str | None  # None: there is no such namespace


def mutate(request: Request[ShadowPod], _: None) -> Verdict:
    """
    operation | stored by     | what is done
    ----------+---------------+--------------------------------------------
    CREATE    |               | the label says who asks, whatever it said
    UPDATE    | nobody known  | refused
    UPDATE    | another user  | refused
    UPDATE    | the same user | the label stays, whatever is said

    What its pod may still take, from when it was larger, is written down as well: rules/held.py.
    """
    user = label_of(request.user.name)
    stored = request.old.metadata.labels.get(labels.CREATOR_USER) if request.old else user
    if not user or not stored:
        return Deny(NO_CREATOR)
    if stored != user:
        return Deny(f'{ANOTHER_CREATOR}: this ShadowPod belongs to "{stored}", not to "{user}"')
    said = request.object.metadata
    marks = {} if said.labels.get(labels.CREATOR_USER) == user else {labels.CREATOR_USER: user}
    held = holding(request)
    told = said.annotations.get(labels.STILL_TAKES)
    notes = {} if told == held else {labels.STILL_TAKES: held}
    parts = {"labels": marks, "annotations": notes}
    return completed({"metadata": {part: each for part, each in parts.items() if each}})


def holding(request: Request[ShadowPod]) -> str | None:
    old = request.old
    if old is None:
        return None
    before, after = (size_of(each.spec.raw_pod) for each in (old, request.object))
    return to_hold(still_held(old), before, after) or None


def label_of(user: str) -> str:
    """A name of a user, as a label can have it."""
    return UNFIT_FOR_A_LABEL.sub("-", user)


async def observe(known: Known, reader: Reader, request: Request[ShadowPod]) -> State:
    """The copy may be a moment behind: what it does not confirm is looked up."""
    asked = request.object.metadata
    origin, where = asked.labels.get(labels.ORIGIN, ""), Key("", asked.namespace)
    if not request.is_creation or not origin:
        return State(None)
    home = known(where)
    if home is None or home.metadata.labels.get(labels.REMOTE_CLUSTER_ID) != origin:
        home = await reader.find(metadata(Namespace), where)
    return State(home.metadata.labels.get(labels.REMOTE_CLUSTER_ID, "") if home else None)


def validate(request: Request[ShadowPod], state: State) -> Verdict:
    asked, old = request.object, request.old
    if held := check_finalizers(old, asked):
        return held
    if old is None:
        return check_origin(asked, state) or ALLOW  # and its quota: webhooks/quota
    return check_change(old, asked) or ALLOW


def check_finalizers(old: ShadowPod | None, new: ShadowPod) -> Deny | None:
    """A ShadowPod that its consumer keeps from leaving would keep its namespace, too."""
    before = old.metadata.finalizers if old is not None else ()
    if added := sorted({*new.metadata.finalizers} - {*before}):
        return Deny(f"a ShadowPod has no finalizers, and cannot get {', '.join(added)}")
    return None


def check_origin(asked: ShadowPod, state: State) -> Deny | None:
    origin = asked.metadata.labels.get(labels.ORIGIN, "")
    namespace = asked.metadata.namespace
    if not origin:
        return Deny(f'{NO_ORIGIN}: "{labels.ORIGIN}" must say which cluster asks')
    if state.consumer is None:
        return Deny(f'there is no namespace "{namespace}"', BAD_REQUEST)
    if state.consumer != origin:
        whose = f'the cluster "{state.consumer}"' if state.consumer else "no other cluster"
        said = f'it comes from "{origin}", and the namespace "{namespace}" is open to {whose}'
        return Deny(f"{WRONG_ORIGIN}: {said}")
    return None


def check_change(old: ShadowPod, new: ShadowPod) -> Deny | None:
    before, after = (each.metadata.labels.get(labels.ORIGIN, "") for each in (old, new))
    if not before or not after:
        return Deny(NO_ORIGIN)
    if before != after:
        return Deny(ANOTHER_ORIGIN)
    if bytes(old.spec.raw_pod) == bytes(new.spec.raw_pod):
        return None  # the usual: only labels or annotations changed
    if changed := list(differences(old.spec.pod, new.spec.pod)):
        return Deny(
            "of the pod in a ShadowPod only images, resources, tolerations, activeDeadlineSeconds "
            f"and ephemeralContainers can change, not {', '.join(changed)}; delete the pod and "
            "make it anew"
        )
    return check_size(size_of(old.spec.raw_pod), size_of(new.spec.raw_pod))


def check_size(old: PodSize, new: PodSize) -> Deny | None:
    if problems := list(objections(old, new)):
        return Deny(
            f"a pod that runs cannot be resized so: {'; '.join(problems)}; delete the pod and "
            "make it anew"
        )
    return None


def differences(old: PodSpec, new: PodSpec) -> Iterator[str]:
    """Fields that are not as they were, and must be."""
    before, after = fixed(old), fixed(new)
    for name in sorted(before.keys() | after.keys()):
        if before.get(name) != after.get(name):
            yield f"spec.pod.{name}"


def fixed(pod: PodSpec) -> JSON:
    kept = {name: value for name, value in pod.items() if name not in CHANGEABLE}
    for name in ("containers", "initContainers"):
        if name in kept:
            kept[name] = [lasting(each) for each in pod.get(name) or ()]
    return kept


def lasting(container: Container) -> JSON:
    """Claims of devices among it; what of requests and limits lasts, `check_size` knows."""
    kept = {name: value for name, value in container.items() if name not in OF_CONTAINERS}
    sizes = container.get("resources") or {}
    devices = {name: value for name, value in sizes.items() if name not in OF_RESOURCES and value}
    return {**kept, **({"resources": devices} if devices else {})}
