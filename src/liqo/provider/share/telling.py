"""Telling: what a share is, where a resource plugin decides about it and not what is free.

From the first question to the end of the last slice of a consumer, the plugin is asked about that
consumer; whenever it says something else, its slices are told. Nothing is waited for: who decides
by himself need not be kept from fluttering.
"""

from __future__ import annotations

from typing import Protocol

from liqo.api.authentication import ResourceSlice
from liqo.api.meta import Key
from liqo.kube.audience import Audience
from liqo.kube.cache import Caches
from liqo.provider.grant import Offered, Prospect, is_share
from liqo.rules import explanation, telling
from liqo.rules.telling import Told
from liqo.runtime.controller import Source


class Teller(Source, Protocol):
    """Who is asked; tells the consumers about which there is something else to say."""

    def told(self, consumer: str) -> Told: ...
    def want(self, consumer: str) -> None: ...
    def forget(self, consumer: str) -> None: ...


class Telling:
    """Watched like a copy: it tells the keys of slices whose share may be another now."""

    def __init__(self, here: Caches, teller: Teller) -> None:
        self._teller = teller
        self._slices: dict[Key, str] = {}  # that ask for a share, and whose they are
        self._audience = Audience(self.values)
        self.subscribe = self._audience.subscribe
        here.of(ResourceSlice).subscribe(self._asked)
        teller.subscribe(self._heard)

    def values(self) -> list[Key]:
        return list(self._slices)

    def prospect(self, asked: ResourceSlice, before: Offered | None) -> Prospect:
        """
        the plugin              | offered now | the answer
        ------------------------+-------------+-----------------------------------------------
        says something          | any         | that
        said something once     | any         | that, and what is wrong
        said nothing to us, ever| something   | that: our last run may have heard it; and what
                                |             | is wrong
        said nothing to us, ever| nothing     | nothing yet, or what is wrong
        """
        consumer = asked.spec.consumer_cluster_id
        self._teller.want(consumer)
        told, bounds = self._teller.told(consumer), asked.spec.resources
        offered = before
        if told.resources is not None:
            why = explanation.written(telling.explained(told, bounds)) or telling.nothing(told)
            offered = Offered(telling.granted(told, bounds), why)
        return Prospect(offered, problem=telling.trouble(told, stands=offered is not None))

    def _asked(self, old: ResourceSlice | None, new: ResourceSlice | None) -> None:
        whose = self._slices.pop(old.key, None) if old is not None else None
        if new is not None and new.received and is_share(new):
            self._slices[new.key] = new.spec.consumer_cluster_id
        if whose is not None and whose not in self._slices.values():
            self._teller.forget(whose)

    def _heard(self, _: str | None, consumer: str | None) -> None:
        for key, whose in self._slices.items():
            if whose == consumer:
                self._audience.tell(key)
