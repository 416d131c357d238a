"""Room: pods that the provider refused for its quota, and whose turn it is when there may be room.

A refused pod is tried again by and by, at last once a minute. Where we see that something has left
the provider, or that it offers more, that would be too long. But each try is a request, and most
are refused again where thousands wait: so a few are tried at a time, whoever waits longest first,
and each that got in is a sign that there is room for more.

what is seen                               | those whose turn it is
-------------------------------------------+-----------------------
a ShadowPod is gone, or its pod finished   | are tried
a remote pod is gone                       | are tried
a remote pod has got as small as it should | are tried
a local pod is gone, or finished           | are tried
a pod that waited has its ShadowPod        | are tried
the virtual node offers more of anything   | are tried
anything else                              | wait
"""

from __future__ import annotations

from itertools import islice

from liqo.api.kubernetes import Pod
from liqo.api.meta import Key
from liqo.api.offloading import ShadowPod, VirtualNode
from liqo.kubelet.pods.status import FINISHED, is_finished
from liqo.rules.amounts import counted
from liqo.rules.held import still_held
from liqo.rules.usage import Amounts, amounts

AT_A_TIME = 4  # of those that wait: what a pod leaves behind is rarely enough for more
REFUSALS = (b" quota usage exceeded", b" quota limit not found")  # what a provider says, verbatim


class Room:
    """In memory only: a kubelet that starts tries every pod anyway."""

    def __init__(self) -> None:
        self._waiting: dict[Key, None] = {}  # the next in turn first
        self._shrinking: set[Key] = set()  # whose remote pods still hold what they had
        self._offered: Amounts | None = None

    def after_pod(self, key: Key, now: Pod | None) -> tuple[Key, ...]:
        """Whose turn it is when a local pod is like this now; None: it is gone."""
        if now is not None and is_refused(now):
            self._waiting.setdefault(key)
            return ()
        self._waiting.pop(key, None)
        if not self._waiting or not (now is None or is_finished(now)):
            return ()
        return self._turn()

    def after_shadow(self, key: Key | None, now: ShadowPod | None) -> tuple[Key, ...]:
        """The same of a ShadowPod; the key is that of its pod at home, if we know it."""
        if not self._waiting:
            return ()
        if now is None or (now.status is not None and now.status.phase in FINISHED):
            return self._turn()
        if key in self._waiting:
            del self._waiting[key]
            return self._turn()
        return ()

    def after_size(self, there: Key, now: ShadowPod | None) -> tuple[Key, ...]:
        """The same where a ShadowPod, of whichever node, says that its pod has the size it asks
        for: it does so of those that shrank, and they held what they had until then."""
        if now is not None and still_held(now):
            self._shrinking.add(there)
            return ()
        was_larger = there in self._shrinking
        self._shrinking.discard(there)
        return self._turn() if was_larger and now is not None else ()

    def after_end(self) -> tuple[Key, ...]:
        """The same when a remote pod is gone."""
        return self._turn()

    def after_offer(self, node: VirtualNode) -> tuple[Key, ...]:
        """The same of the virtual node. Of a change we are told what was, and then what is."""
        before, self._offered = self._offered, amounts(counted(node.spec.resource_quota.hard))
        grows = before is not None and any(
            nano > before.get(resource, 0) for resource, nano in self._offered.items()
        )
        return self._turn() if grows else ()

    def _turn(self) -> tuple[Key, ...]:
        """The first of those that wait; they are the last now, until they got in."""
        chosen = tuple(islice(self._waiting, AT_A_TIME))
        for key in chosen:
            self._waiting[key] = self._waiting.pop(key)
        return chosen


def is_refused(pod: Pod) -> bool:
    """By its status. Asked at every change of every pod: what says no such thing is not decoded."""
    status = bytes(pod.raw_status)
    if not any(words in status for words in REFUSALS):
        return False
    return pod.metadata.deletion_timestamp is None and not is_finished(pod)
