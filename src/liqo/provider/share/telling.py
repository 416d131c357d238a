"""Telling: what a share is, where a resource plugin decides about it and not what is free.

From the first question to the end of the last slice of a consumer, the plugin is asked about that
consumer; whenever it says something else, its slices are told. Nothing is waited for: who decides
by himself need not be kept from fluttering.

The plugin tells what a consumer gets, not what each of its slices gets: they share one answer. The
oldest one has what it asks for, the next one of what is left. When a slice comes, goes or asks for
something else, the others are told as well.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from liqo.api.authentication import ResourceSlice
from liqo.api.meta import Key
from liqo.kube.audience import Audience
from liqo.kube.cache import Caches
from liqo.provider.grant import Offered, Prospect, is_share
from liqo.rules import explanation, telling
from liqo.rules.telling import Had, Told
from liqo.runtime.controller import Source


class Teller(Source, Protocol):
    """Who is asked; tells the consumers about which there is something else to say."""

    def told(self, consumer: str) -> Told: ...
    def want(self, consumer: str) -> None: ...
    def forget(self, consumer: str) -> None: ...


class Whose(NamedTuple):
    """Who shares one answer. Who asks says so himself, and in his own namespace alone is believed:
    what somebody asks for in the name of another takes nothing from that one.
    """

    home: str
    consumer: str


@dataclass(frozen=True)
class Division:
    told: Told
    before: Mapping[str, Had]  # by slice: what older ones have


class Telling:
    """Watched like a copy: it tells the keys of slices whose share may be another now."""

    def __init__(self, here: Caches, teller: Teller) -> None:
        self._teller = teller
        self._slices: dict[Whose, dict[Key, ResourceSlice]] = {}  # that ask for a share
        self._divisions: dict[Whose, Division] = {}  # that somebody has looked at
        self._audience = Audience(self.values)
        self.subscribe = self._audience.subscribe
        here.of(ResourceSlice).subscribe(self._asked)
        teller.subscribe(self._heard)

    def values(self) -> list[Key]:
        return [key for slices in self._slices.values() for key in slices]

    def prospect(self, asked: ResourceSlice, before: Offered | None) -> Prospect:
        """
        the plugin              | offered now | the answer
        ------------------------+-------------+-----------------------------------------------
        says something          | any         | that, less what older slices have
        said something once     | any         | the same, and what is wrong
        said nothing to us, ever| something   | that: our last run may have heard it; and what
                                |             | is wrong
        said nothing to us, ever| nothing     | nothing yet, or what is wrong
        """
        consumer = asked.spec.consumer_cluster_id
        self._teller.want(consumer)
        told, bounds = self._teller.told(consumer), asked.spec.resources
        offered = before
        if told.resources is not None:
            had = self._had(asked, told)
            why = explanation.written(telling.explained(told, bounds, had))
            offered = Offered(telling.granted(told, bounds, had), why)
        return Prospect(offered, problem=telling.trouble(told, stands=offered is not None))

    def _had(self, asked: ResourceSlice, told: Told) -> Had:
        """By older slices of the same consumer; added up once for all of them."""
        whose = whose_is(asked)
        division = self._divisions.get(whose)
        if division is None or division.told != told:
            slices = sorted(self._slices[whose].values(), key=_age)
            bounds = {each.metadata.name: each.spec.resources for each in slices}
            division = Division(told, telling.divided(told, bounds))
            self._divisions[whose] = division
        return division.before[asked.metadata.name]

    def _asked(self, old: ResourceSlice | None, new: ResourceSlice | None) -> None:
        gone = self._slices.get(whose_is(old), {}).get(old.key) if old is not None else None
        come = new if new is not None and new.received and is_share(new) else None
        if gone is not None and come is not None and _claim(gone) == _claim(come):
            return
        if gone is not None:
            self._drop(gone)
        if come is not None:
            self._slices.setdefault(whose_is(come), {})[come.key] = come
            self._divide_anew(whose_is(come))
        if gone is not None and not self._of(gone.spec.consumer_cluster_id):
            self._teller.forget(gone.spec.consumer_cluster_id)

    def _drop(self, gone: ResourceSlice) -> None:
        whose = whose_is(gone)
        del self._slices[whose][gone.key]
        if not self._slices[whose]:
            del self._slices[whose]
        self._divide_anew(whose)

    def _divide_anew(self, whose: Whose) -> None:
        """Where nobody has looked since all were told last, they need not be told again."""
        if self._divisions.pop(whose, None) is not None:
            self._tell(whose)

    def _heard(self, _: str | None, consumer: str | None) -> None:
        for whose in self._of(consumer):
            self._tell(whose)

    def _of(self, consumer: str | None) -> list[Whose]:
        return [whose for whose in self._slices if whose.consumer == consumer]

    def _tell(self, whose: Whose) -> None:
        for key in self._slices.get(whose, ()):
            self._audience.tell(key)


def whose_is(asked: ResourceSlice) -> Whose:
    return Whose(asked.metadata.namespace, asked.spec.consumer_cluster_id)


def _claim(asked: ResourceSlice) -> tuple[object, ...]:
    return asked.spec, _age(asked)


def _age(asked: ResourceSlice) -> tuple[str, str]:
    return asked.metadata.creation_timestamp or "", asked.metadata.name
