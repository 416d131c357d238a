"""How often a pod's containers were restarted, over all the remote pods that it has had.

The provider makes a new pod when the old one is lost, and that one counts from zero. Which remote
pod a status is of, and how many restarts came before it, is kept on the local pod itself: neither
a new remote pod nor a new kubelet forgets.
"""

from __future__ import annotations

from collections.abc import Iterable

from liqo.api import labels
from liqo.api.kubernetes import Pod, PodStatus
from liqo.api.meta import JSON


def earlier_restarts(local: Pod, here: PodStatus, remote: Pod, there: PodStatus) -> int:
    """Those before this remote pod; losing one counts as a restart."""
    marks = local.metadata.annotations
    known = marks.get(labels.REMOTE_POD_UID)
    if known is None:  # not ours yet: what is shown has to go on from where it is
        return _ahead(here.get("containerStatuses", ()), there.get("containerStatuses", ()))
    counted = marks.get(labels.EARLIER_RESTARTS, "0")
    earlier = int(counted) if counted.isdigit() else 0
    return earlier if known == remote.metadata.uid else earlier + 1


def remembered(local: Pod, remote: Pod, earlier: int) -> tuple[tuple[str, str], ...]:
    """The annotations that keep it; none where they stand already."""
    there = local.metadata.annotations
    wanted = {labels.REMOTE_POD_UID: remote.metadata.uid}
    if earlier:
        wanted[labels.EARLIER_RESTARTS] = str(earlier)
    return tuple((name, value) for name, value in wanted.items() if there.get(name) != value)


def _ahead(here: Iterable[JSON], there: Iterable[JSON]) -> int:
    first = next(iter(here), None)
    if first is None:
        return 0
    counts = (each["restartCount"] for each in there if each["name"] == first["name"])
    return max(0, int(first["restartCount"]) - int(next(counts, 0)))
