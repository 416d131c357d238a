"""Later changes of a ShadowPod, brought to the pod that was made of it.

change                  | how it gets there
------------------------+-------------------------------------------------------------------------
labels, annotations     | those of the ShadowPod, and no more those that it had; others' stay
images, tolerations,    | with the same request: a pod's own path takes these, and nothing else
activeDeadlineSeconds   |
resources               | `pods/resize`, which a LimitRange or the pod's QoS class may refuse
ephemeral containers    | `pods/ephemeralcontainers`, which Pod Security may refuse, and then for
                        | good: last. None that is older than the pod
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from msgspec.structs import replace

from liqo.api import labels
from liqo.api.kubernetes import Pod
from liqo.api.meta import JSON
from liqo.api.offloading import ShadowPod
from liqo.rules.changes import Changeable, Made, Part, changeable, digest, made_in, made_of
from liqo.runtime.plan import Action, Patch

NOT_COPIED = frozenset({labels.MADE_OF, labels.END_WITHIN, labels.STILL_TAKES})
UNRECORDED = Made(generation=1)  # of others' making: like its ShadowPod, while that is as it began


def marks(shadow: ShadowPod) -> dict[str, str]:
    """All of the ShadowPod's labels: a consumer knows its pods by them."""
    return {**shadow.metadata.labels, labels.MANAGED_BY: "shadowpod"}


def notes(shadow: ShadowPod, made: Made) -> dict[str, str]:
    told = shadow.metadata.annotations
    kept = {name: value for name, value in told.items() if name not in NOT_COPIED}
    return {**kept, labels.MADE_OF: str(made)}


def steps(shadow: ShadowPod, pod: Pod) -> Iterator[Action]:
    """What is refused ends them, and is tried again: so it comes after what is not."""
    before = made_in(pod) or UNRECORDED
    after = made_of(shadow, before.past)
    if after.generation <= before.generation:
        yield from _together(shadow, pod, before, after, {})
        return
    said, there = changeable(shadow.spec.raw_pod), changeable(pod.raw_spec)
    settings, size = _settings(said, there, before), _size(said, there, before)
    attach = [*attached(shadow, pod)]
    almost = replace(after, generation=before.generation) if attach else after
    first = replace(almost, generation=before.generation, sizes=before.sizes) if size else almost
    yield from _together(shadow, pod, before, first, settings)
    if size:
        yield Patch(pod, {"spec": size}, form="strategic", subresource="resize")
        yield _remembered(pod, almost)
    if attach:
        yield from attach
        yield _remembered(pod, after)


def attached(shadow: ShadowPod, pod: Pod) -> Iterator[Action]:
    """Ephemeral containers that are news, and were not asked for before the pod was there.

    One by one, the last first: whoever was refused one has asked for the next in other words.
    """
    made, there = made_in(pod) or UNRECORDED, changeable(pod.raw_spec)
    known = there.debuggers | set(made.past)
    for each in reversed(changeable(shadow.spec.raw_pod).ephemeral_containers):
        if each["name"] not in known:
            change = {"spec": {"ephemeralContainers": [each]}}
            yield Patch(pod, change, form="strategic", subresource="ephemeralcontainers")


def _remembered(pod: Pod, made: Made) -> Patch:
    return Patch(pod, {"metadata": {"annotations": {labels.MADE_OF: str(made)}}}, form="strategic")


def _together(
    shadow: ShadowPod, pod: Pod, before: Made, after: Made, spec: JSON
) -> Iterator[Action]:
    there = pod.metadata
    metadata = {
        "labels": _difference(there.labels, marks(shadow), before.labels),
        "annotations": _difference(there.annotations, notes(shadow, after), before.annotations),
    }
    parts = {"metadata": {part: each for part, each in metadata.items() if each}, "spec": spec}
    if change := {part: each for part, each in parts.items() if each}:
        yield Patch(pod, change, form="strategic")


def _difference(there: Mapping[str, str], wanted: Mapping[str, str], had: list[str]) -> JSON:
    changed: JSON = {name: value for name, value in wanted.items() if there.get(name) != value}
    return changed | dict.fromkeys(name for name in had if name in there and name not in wanted)


def _settings(said: Changeable, there: Changeable, before: Made) -> JSON:
    def image(each: Part) -> JSON:
        is_news = digest(each.image) != before.images.get(each.name)
        return {"image": each.image} if is_news and each.image != images.get(each.name) else {}

    images = there.images
    spec = _listed(said, image)
    if (tolerations := _tolerated(said.tolerations, there.tolerations)) != there.tolerations:
        spec["tolerations"] = tolerations
    deadline, now = said.active_deadline_seconds, there.active_deadline_seconds
    if deadline is not None and (now is None or deadline < now):  # the only way it may go
        spec["activeDeadlineSeconds"] = deadline
    return spec


def _listed(said: Changeable, changed: Callable[[Part], JSON]) -> JSON:
    """The containers of which something changed, with that alone."""
    lists = {
        field: [{"name": each.name, **change} for each in parts if (change := changed(each))]
        for field, parts in (
            ("containers", said.containers),
            ("initContainers", said.init_containers),
        )
    }
    return {field: entries for field, entries in lists.items() if entries}


def _tolerated(said: list[JSON], there: list[JSON]) -> list[JSON]:
    """What is tolerated stays so, perhaps for another time; the rest of the list is the cluster's.

    A list without keys: a patch replaces it whole.
    """
    wanted = {_essence(each): each for each in said}
    kept = [wanted.pop(_essence(each), each) for each in there]
    return [*kept, *wanted.values()]


def _essence(toleration: JSON) -> tuple[object, ...]:
    return tuple(toleration.get(name, "") for name in ("key", "operator", "value", "effect"))


def _size(said: Changeable, there: Changeable, before: Made) -> JSON:
    def size(each: Part) -> JSON:
        if not each.size:  # what had a size cannot lose it: Kubernetes says so, and it is not done
            return {"resources": None} if each.name in before.sizes else {}
        is_news = digest(each.size) != before.sizes.get(each.name)
        return (
            {"resources": _whole(each.size)}
            if is_news and each.size != sizes.get(each.name)
            else {}
        )

    sizes = there.sizes
    return _listed(said, size)


def _whole(size: JSON) -> JSON:
    """With the requests that limits stand for: the pod has got them, and they would stay."""
    limits, requests = size.get("limits") or {}, size.get("requests") or {}
    return {**size, "requests": {**limits, **requests}} if limits else size
