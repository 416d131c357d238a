"""How soon a remote pod ends: as was asked when the local one was deleted, not as its spec says.

Without its ShadowPod a remote pod ends within the time of its own spec, and only its provider may
change that. Another time is asked for on the ShadowPod; where that is gone already, on one that is
made for nothing else.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from liqo.api import labels
from liqo.api.kubernetes import Pod
from liqo.api.offloading import ShadowPod
from liqo.kubelet.pods.status import is_finished
from liqo.kubelet.site import Site
from liqo.rules.changes import end_of, made_in
from liqo.runtime.plan import Action, Create, Manifest, Patch

SOONEST = 1  # second: with none at all nobody would wait for the containers to end …
FORCED = 0  # … which is what is wanted of a pod that was deleted by force


class _Spec(msgspec.Struct, rename="camel"):
    termination_grace_period_seconds: int | None = None


_spec = msgspec.json.Decoder(_Spec | None)


def can_be_told(remote: Pod) -> bool:
    """Whether those who made it listen; what has ended needs nobody to hear."""
    return made_in(remote) is not None and not is_finished(remote)


def ends_otherwise(local: Pod, remote: Pod, wanted: int) -> bool:
    """Than within that time. What is ending can only be hastened."""
    going = remote.metadata
    if going.deletion_timestamp is not None:
        return max(SOONEST, going.deletion_grace_period_seconds or 0) > wanted
    own = (_spec.decode(local.raw_spec) or _Spec()).termination_grace_period_seconds
    return own is not None and max(SOONEST, own) != wanted


def asked_to_end(
    remote: Pod, shadow: ShadowPod | None, wanted: int, site: Site
) -> Iterator[Action]:
    told = {labels.END_WITHIN: str(wanted)}
    if shadow is None:
        yield Create(_request(remote, told, site), on="remote")
    elif end_of(shadow) != wanted:
        yield Patch(shadow, {"metadata": {"annotations": told}}, on="remote")


def _request(remote: Pod, told: dict[str, str], site: Site) -> Manifest:
    known = remote.metadata
    marks = {labels.ORIGIN: site.home, labels.DESTINATION: site.provider}
    creator = {labels.CREATOR_USER: site.user} if site.user else {}
    metadata = {
        "name": known.name,
        "namespace": known.namespace,
        "labels": {**marks, labels.NODE_NAME: site.node, **creator},
        "annotations": told,
    }
    return Manifest(ShadowPod.KIND, {"metadata": metadata, "spec": {"pod": {}}})
