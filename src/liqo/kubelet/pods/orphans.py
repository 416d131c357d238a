"""Orphans: ShadowPods, and tokens, of which we know no pod, and since when.

A pod is missed for one of two reasons: it went, or its watch is late. Where several API servers
answer, one may not have heard yet of what another has stored; and a kubelet that takes over may
find a ShadowPod of its predecessor before it hears of its pod. So a pod is believed to be gone at
once only if we saw it go. The wire has no place for it: a kubelet that restarts counts anew.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from liqo.api import labels
from liqo.api.kubernetes import Pod
from liqo.api.meta import Key, Resource
from liqo.api.offloading import VirtualNode
from liqo.kubelet.pods.belonging import Whose
from liqo.runtime.plan import NOTHING, Delete, Plan, do

LATE = timedelta(seconds=5)  # a watch at home may be: what is deleted for it would run again
# The same of the watch that tells of virtual nodes, where one is new. Nobody hurries here: it is
# longer than what we know of them may be old and be believed, so that we heard of them meanwhile.
FORSAKEN = timedelta(minutes=2)
LONG_AGO = datetime.min.replace(tzinfo=UTC)
KEPT = 10_000  # pods that we saw go, by a kubelet that waits for its turn; others only take longer


@dataclass(frozen=True)
class Alone:
    """Of what is to be withdrawn by us: it stands there without a pod that we know of."""

    since: datetime | None = None  # None: the time for it does not run
    is_forsaken: bool = False  # another node of ours made it, which is no more, or may be no more


@dataclass
class Orphans:
    note: str = labels.LOCAL_POD_UID  # the annotation that says for which pod a thing was made
    _since: dict[Key, tuple[str, datetime]] = field(default_factory=dict)  # and whose: its node
    _left: dict[Key, str] = field(default_factory=dict)  # uids of pods that we saw go

    def follow(self, old: Pod | None, new: Pod | None) -> None:
        """A subscriber of the local pods."""
        if old is not None and new is None:
            self._left.pop(old.key, None)
            self._left[old.key] = old.metadata.uid
            if len(self._left) > KEPT:
                del self._left[next(iter(self._left))]

    def welcome(self, old: VirtualNode | None, new: VirtualNode | None) -> None:
        """A subscriber of the virtual nodes: what one made that came (back) begins anew, should
        that node go. Nobody looks at it meanwhile."""
        if old is None and new is not None:
            name = new.metadata.name
            self._since = {key: each for key, each in self._since.items() if each[0] != name}

    def alone(self, key: Key, there: Resource | None, of: Whose, now: datetime) -> Alone | None:
        """`there`: what stands there without a pod of ours. None: it is nothing for us to end.

        While it is uncertain whether its node is no more, no time passes for it; but somebody has
        to look again.
        """
        since = self.since(key, there if of in ("ours", "forsaken") else None, now)
        if there is None or of in ("another's", "strange"):
            return None
        return Alone(since, is_forsaken=of != "ours")

    def since(self, key: Key, there: Resource | None, now: datetime) -> datetime | None:
        if there is None:
            self._since.pop(key, None)
            self._left.pop(key, None)
            return None
        of = there.metadata.annotations.get(self.note)
        if of is not None and of == self._left.get(key):
            return LONG_AGO
        node = there.metadata.labels.get(labels.NODE_NAME, "")
        return self._since.setdefault(key, (node, now))[1]


def withdraw(
    there: Resource | None, alone: Alone | None, now: datetime, *, is_leaving: bool
) -> Plan:
    if there is None or alone is None or there.metadata.deletion_timestamp is not None:
        return NOTHING
    left = patience(alone, now, is_leaving=is_leaving)
    return do(wake_after=left) if left > 0 else do(Delete(there, on="remote"))


def patience(alone: Alone, now: datetime, *, is_leaving: bool) -> float:
    """Seconds that are left until what has no pod since then is withdrawn.

    was made by             | our node | withdrawn
    ------------------------+----------+----------------------------------------
    our node                | leaves   | at once: there may be no time later
    our node                | stays    | when its pod is believed to be gone
    a node that is forsaken | any      | when its node is believed to be gone
    """
    late = FORSAKEN if alone.is_forsaken else timedelta() if is_leaving else LATE
    return ((alone.since or now) + late - now).total_seconds()
