"""Supply: what a share is at the moment, of all that this cluster has.

From the first question to the end of the last slice that asks for a share, nodes and pods are
followed; whenever that changes what is free, the slices that it concerns are told, once. How soon a
consumer hears of it is a matter of patience.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from liqo.api.authentication import ResourceSlice
from liqo.api.meta import Key
from liqo.kube.audience import Audience
from liqo.kube.cache import Caches
from liqo.provider.grant import DEFAULTS, INVALID, Offered, Prospect, is_share
from liqo.provider.share.calm import Range, ranges
from liqo.provider.share.inventory import Inventory
from liqo.provider.share.ledger import Ledger
from liqo.provider.share.patience import TOGETHER, Patience, is_large
from liqo.rules import capacity, explanation, names
from liqo.rules.capacity import Free, Offer, Sharing
from liqo.runtime.clock import Stopwatch
from liqo.runtime.value import Value

LISTING = 0.5  # seconds between two looks whether all nodes and pods are known
NOTHING_FREE = {name: Free(0, 0) for name in DEFAULTS}  # where there is not even a node


@dataclass(frozen=True)
class Made:
    """An offer, and what it was made of."""

    sums: Mapping[str, Free]
    calm: Mapping[str, Range]  # in which they may move without a large change of the offer
    revision: int  # of the ledger: the same sums may be elsewhere
    offered: Offered


class Supply:
    """Watched like a copy: it tells the keys of slices whose share may be another now."""

    def __init__(self, here: Caches, sharing: Value[Sharing], stopwatch: Stopwatch) -> None:
        self._here = here
        self._sharing = sharing
        self._patience = Patience(stopwatch)
        self._inventory: Inventory | None = None  # None: nobody asks
        self._slices: set[Key] = set()  # that ask for a share
        self._made: dict[Key, Made] = {}
        self._quiet: set[Key] = set()  # whose offer is what there is: told when that changes
        self._audience = Audience(self.values)
        self.subscribe = self._audience.subscribe
        here.of(ResourceSlice).subscribe(self._asked)
        sharing.subscribe(self._decided)

    def values(self) -> list[Key]:
        return list(self._slices)

    def prospect(self, asked: ResourceSlice, before: Offered | None) -> Prospect:
        """
        known | offered now       | what there is       | the answer
        ------+-------------------+---------------------+--------------------------------------
        by no | any               | any                 | what is offered now, and which setting
        rule  |                   |                     | is wrong
        no    | any               | any                 | what is offered now; look again soon
        yes   | any               | as when we made one | the offer that we made of it
        yes   | any               | as much, elsewhere  | that one, until it has lasted; then a
              |                   |                     | fresh offer
        yes   | none, or no share | another sum         | a fresh offer
        yes   | a share           | another sum         | what is offered now, until it has
              |                   |                     | lasted; then a fresh offer
        """
        if why := self._unruled(asked, before):
            return Prospect(before, problem=why, reason=INVALID)
        inventory, key = self._inventory, asked.key
        if inventory is None:
            inventory = self._inventory = Inventory(self._here, self._moved)
        if not inventory.is_known:
            return Prospect(before, LISTING)
        ledger, made = inventory.ledger, self._made.get(key)
        if made is not None and made.revision == ledger.revision:
            return Prospect(made.offered)
        stays, left = self._kept(asked, ledger, made, before)
        if left > 0:
            return Prospect(stays, min(left, TOGETHER))
        return Prospect(self._make(asked, ledger, before))

    def _unruled(self, asked: ResourceSlice, before: Offered | None) -> str:
        """By a setting that cannot be read; a default might lend more than an administrator did."""
        setting = self._sharing.now.missing(consumer_of(asked))
        if not setting:
            return ""
        stays = "; what was granted stays" if before is not None else ""
        return (
            f'the setting "{setting}" in the ConfigMap "{names.SHARING}" of the provider is not '
            f"valid, and what it was before is not known{stays}"
        )

    def _kept(
        self, asked: ResourceSlice, ledger: Ledger, made: Made | None, before: Offered | None
    ) -> tuple[Offered | None, float]:
        """What stays for a while, although another revision is there, and how many seconds."""
        key, consumer = asked.key, consumer_of(asked)
        if made is not None and ledger.is_as(consumer, made.sums):
            return made.offered, self._patience.elsewhere(key)
        if before is None or not before.explanation:
            return None, 0
        large = not is_calm(made, ledger, consumer, before) and is_large(
            before.resources, self._offer(asked, ledger, ledger.sums(consumer)).resources
        )
        return before, self._patience.left(key, large=large)

    def _make(self, asked: ResourceSlice, ledger: Ledger, before: Offered | None) -> Offered:
        key, consumer = asked.key, consumer_of(asked)
        offer = self._offer(asked, ledger, ledger.free(consumer))
        offered = Offered(offer.resources, explanation.written(capacity.explained(offer)))
        sums, calm = ledger.sums(consumer), ranges(offer)
        calm = {name: calm[name] for name in sums}
        self._made[key] = Made(sums, calm, ledger.revision, offered)
        self._patience.stepped(key, before.resources if before else None, offered.resources)
        self._quiet.add(key)
        return offered

    def _offer(self, asked: ResourceSlice, ledger: Ledger, free: Mapping[str, Free]) -> Offer:
        sharing = self._sharing.now
        return capacity.offer(
            {**NOTHING_FREE, **free},
            ledger.nodes,
            sharing.with_peer(consumer_of(asked)),
            sharing.rounding,
            asked.spec.resources,
        )

    def _asked(self, old: ResourceSlice | None, new: ResourceSlice | None) -> None:
        if new is not None and new.received and is_share(new):
            self._slices.add(new.key)
            if old is not None and old.spec != new.spec:
                self._hurry(new.key)
        elif old is not None:
            self._forget(old.key)

    def _forget(self, key: Key) -> None:
        self._slices.discard(key)
        self._made.pop(key, None)
        self._quiet.discard(key)
        self._patience.forget(key)
        if not self._slices and self._inventory is not None:
            self._inventory.close()
            self._inventory = None

    def _decided(self, old: Sharing | None, _: Sharing | None) -> None:
        """By an administrator, who waits to see it."""
        for key in self._slices if old is not None else ():
            self._hurry(key)
            self._audience.tell(key)

    def _hurry(self, key: Key) -> None:
        self._made.pop(key, None)
        self._quiet.discard(key)
        self._patience.hurry(key)

    def _moved(self) -> None:
        """Whoever was told is not told again, until it has looked and all is quiet."""
        for key in list(self._quiet):
            self._quiet.discard(key)
            self._audience.tell(key)


def is_calm(made: Made | None, ledger: Ledger, consumer: str, before: Offered) -> bool:
    """Whether what there is surely differs little from what is offered."""
    if made is None or made.offered.resources != before.resources:
        return False
    return ledger.is_within(consumer, made.calm)


def consumer_of(asked: ResourceSlice) -> str:
    return asked.spec.consumer_cluster_id
