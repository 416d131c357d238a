"""Later changes of a pod that went out, as changes of its ShadowPod.

A kubelet may not write pods on a provider. The ShadowPod says what is wanted, also of a pod that is
made anew, and the provider's controller brings it to the one that runs. What other implementations
refuse goes in requests of its own, so that the rest arrives.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast

from liqo.api.kubernetes import Pod
from liqo.api.meta import JSON
from liqo.api.offloading import ShadowPod
from liqo.kubelet.pods.forge import remote_tolerations
from liqo.kubelet.pods.marks import changed_marks
from liqo.kubelet.pods.status import debuggers_that_ran
from liqo.kubelet.site import Site
from liqo.rules.changes import Changeable, changeable

CONTAINERS = ("containers", "initContainers")


@dataclass(frozen=True)
class Change:
    """One request."""

    about: tuple[str, ...]  # in words
    metadata: JSON
    pod: JSON  # fields of the spec.pod of a ShadowPod, whole

    @property
    def patch(self) -> JSON:
        parts = {"metadata": self.metadata, "spec": {"pod": self.pod} if self.pod else {}}
        return {part: change for part, change in parts.items() if change}


def changes(shadow: ShadowPod, local: Pod, remote: Pod | None, site: Site) -> tuple[Change, ...]:
    """`remote`: the pod that runs for them now, if there is one."""
    here, there = changeable(local.raw_spec), changeable(shadow.spec.raw_pod)
    marks, settings = changed_marks(shadow, local, site), _settings(shadow, here, there, site)
    found = (
        Change((*marks, *dict.fromkeys(map(_word, settings))), marks, settings),
        Change(("ephemeral containers",), {}, _debuggers(local, remote, here, there)),
        Change(("resources",), {}, _sizes(shadow, here, there)),
    )
    return tuple(each for each in found if each.patch)


def _word(field: str) -> str:
    return "image" if field in CONTAINERS else field


def _settings(shadow: ShadowPod, here: Changeable, there: Changeable, site: Site) -> JSON:
    """What a provider takes, of whichever implementation."""
    wanted: JSON = {
        "tolerations": (remote_tolerations(here.tolerations, site.patch), there.tolerations),
        "activeDeadlineSeconds": (here.active_deadline_seconds, there.active_deadline_seconds),
    }
    changed = {field: value for field, (value, known) in wanted.items() if value != known}
    if here.images == there.images:
        return changed
    return {**_containers(shadow, here.images, there.sizes), **changed}


def _debuggers(local: Pod, remote: Pod | None, here: Changeable, there: Changeable) -> JSON:
    """Ephemeral containers belong to one remote pod: there has to be one.

    Those that ran already, and that the ShadowPod does not have, were of an earlier one.
    """
    is_there = remote is not None and remote.metadata.deletion_timestamp is None
    if not here.ephemeral_containers or not is_there:
        return {}
    known = there.debuggers | debuggers_that_ran(local.status).keys()
    new = [each for each in here.ephemeral_containers if each["name"] not in known]
    return {"ephemeralContainers": [*there.ephemeral_containers, *new]} if new else {}


def _sizes(shadow: ShadowPod, here: Changeable, there: Changeable) -> JSON:
    """With the images as they are by now."""
    return {} if here.sizes == there.sizes else _containers(shadow, here.images, here.sizes)


def _containers(shadow: ShadowPod, images: Mapping[str, str], sizes: Mapping[str, JSON]) -> JSON:
    """Those of the ShadowPod with these in place: a merge patch takes lists only whole."""

    def changed(each: JSON) -> JSON:
        name, size = each["name"], each.get("resources", {})
        news = {"image": images.get(name), "resources": {**size, **sizes.get(name, {})}}
        return {**each, **{field: value for field, value in news.items() if value}}

    pod = cast(JSON, shadow.spec.pod)
    return {field: [changed(each) for each in pod[field]] for field in CONTAINERS if field in pod}
