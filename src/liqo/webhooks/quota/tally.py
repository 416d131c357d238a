"""Tally: what the ShadowPods of every user take in all, seen or just admitted.

A ShadowPod that was admitted may be stored at any moment until the API server gives up, and is told
to us a little later. Until it is seen, or we have heard that it did not come, it counts as if it
were there.

Of one key there is one object at a time, so each key counts with the most of all that is known of
it: who asks twice, because an answer was lost, pays once. Nothing here depends on the order in
which things are told.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import TypeAlias

from liqo.api import labels
from liqo.api.meta import Key
from liqo.api.offloading import Quota
from liqo.api.sizes import SizedShadowPod
from liqo.rules.held import still_held
from liqo.rules.usage import Amounts, add, countable, raise_to, taken
from liqo.webhooks.quota.claim import Claim, is_finished, version_of
from liqo.webhooks.quota.decision import check, fit
from liqo.webhooks.review import ALLOW, Deny, Verdict

LONGEST_REQUEST = 60.0  # seconds that an API server works on one: then it is not stored any more
# Of one key at a time. Who asks in vain, over and over, would make every answer to others slower;
# who is honest has one or two.
MOST_PROMISES = 16


@dataclass(frozen=True, slots=True)
class Share:
    """What one ShadowPod takes, and of whom."""

    uid: str
    user: str
    amounts: Amounts
    version: int = 0  # of the object that says so; 0: it is not stored yet
    held: Amounts = field(default_factory=dict)  # by its pod, from when it was larger


@dataclass(frozen=True, slots=True)
class Promise:
    """One that was admitted and not seen yet."""

    share: Share
    is_change: bool
    after: int  # the version that is changed

    def is_kept_by(self, seen: Share) -> bool:
        """A change is seen by its size, in a version that came after the one it changes.

        Also one to less: until it is seen, nobody knows what is stored.
        """
        if self.share.uid != seen.uid:
            return False
        is_later = seen.version > self.after
        return not self.is_change or (is_later and self.share.amounts == seen.amounts)


Promises: TypeAlias = tuple[Promise, ...]


class Tally:
    def __init__(self) -> None:
        self._used: dict[str, dict[str, int]] = {}  # by user
        self._stored: dict[Key, Share] = {}
        self._promised: dict[Key, Promises] = {}
        self._ends: deque[tuple[float, Key, Promise]] = deque()  # of promises, in that order

    @property
    def is_settled(self) -> bool:
        """All that was admitted is seen, or will never come."""
        return not self._promised

    def successor(self) -> Tally:
        """Knows nothing of what is stored, and of all that was promised and may still come."""
        made = Tally()
        made._ends = self._ends.copy()
        for key, promised in self._promised.items():
            made._set(key, None, promised)
        return made

    def used(self, user: str) -> Amounts:
        return self._used.get(user, {})

    def admit(self, claim: Claim, quota: Quota | None, now: float, heard: float) -> Verdict:
        """Decide; what is allowed counts from now on. We know what was stored until `heard`."""
        self.forget(heard)
        if len(self._promised.get(claim.key, ())) >= MOST_PROMISES:
            return Deny(
                f'{MOST_PROMISES} requests for the ShadowPod "{claim.key}" were admitted, and none '
                "of them has been seen; try again in a minute",
            )
        if refused := check(claim, quota):
            return refused
        share = Share(claim.uid, claim.user, taken(claim.pod))
        if refused := fit(quota, self.used(claim.user), self._more(claim.key, share)):
            return refused
        if not claim.is_dry_run:
            self._promise(claim.key, Promise(share, claim.is_change, claim.after), now)
        return ALLOW

    def follow(self, old: SizedShadowPod | None, new: SizedShadowPod | None) -> None:
        """A subscriber of the ShadowPods."""
        told = new or old
        if told is None:
            return
        stored, open_ = share_of(told), self._promised.get(told.key, ())
        if new is None or is_finished(new):  # nothing of it comes any more
            open_ = tuple(each for each in open_ if each.share.uid != stored.uid)
            self._set(told.key, None, open_)
        else:
            open_ = tuple(each for each in open_ if not each.is_kept_by(stored))
            self._set(told.key, stored, open_)

    def forget(self, heard: float) -> None:
        """What should have come by then, and did not, never will."""
        while self._ends and self._ends[0][0] <= heard:
            _, key, ended = self._ends.popleft()
            if open_ := self._promised.get(key):
                still = tuple(each for each in open_ if each is not ended)
                self._set(key, self._stored.get(key), still)

    def _more(self, key: Key, share: Share) -> Amounts:
        """What it takes beyond what its key counts for already."""
        counted = self._counted(key).get(share.user, {})
        return {name: amount - counted.get(name, 0) for name, amount in share.amounts.items()}

    def _promise(self, key: Key, promise: Promise, now: float) -> None:
        self._ends.append((now + LONGEST_REQUEST, key, promise))
        self._set(key, self._stored.get(key), (*self._promised.get(key, ()), promise))

    def _set(self, key: Key, stored: Share | None, promised: Promises) -> None:
        self._count(key, -1)
        self._stored.pop(key, None)
        self._promised.pop(key, None)
        if stored is not None:
            self._stored[key] = stored
        if promised:
            self._promised[key] = promised
        self._count(key, 1)

    def _count(self, key: Key, sign: int) -> None:
        for user, amounts in self._counted(key).items():
            signed = {name: sign * amount for name, amount in amounts.items()}
            total = add(self._used.pop(user, {}), signed)
            if left := {name: amount for name, amount in total.items() if amount}:
                self._used[user] = left

    def _counted(self, key: Key) -> dict[str, dict[str, int]]:
        """By user: the most of what is there and what may come."""
        counted: dict[str, dict[str, int]] = {}
        stored = self._stored.get(key)
        promised = [each.share for each in self._promised.get(key, ())]
        for share in (*((stored,) if stored else ()), *promised):
            most = counted.setdefault(share.user, {})
            raise_to(most, share.amounts)
            raise_to(most, share.held)
        return counted


def share_of(shadow: SizedShadowPod) -> Share:
    metadata = shadow.metadata
    user = metadata.labels.get(labels.CREATOR_USER, "")
    amounts = countable(shadow.spec.pod)
    return Share(metadata.uid, user, amounts, version_of(shadow), still_held(shadow))
