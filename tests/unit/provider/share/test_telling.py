"""What a share is where a plugin decides: asked from the first question on, and followed."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import msgspec

from liqo.api.authentication import ResourceSlice
from liqo.api.meta import Key, Meta
from liqo.kube.cache import Caches
from liqo.kube.listing import Listing
from liqo.provider.grant import UNKNOWN, Offered, Prospect
from liqo.provider.share.telling import Telling
from liqo.rules.telling import Told
from tests.unit.provider.things import a_slice, holding

SOURCE = "http://plugin"
SAYS = "what the resource plugin http://plugin says"
SILENCE = "the resource plugin http://plugin does not say what this consumer gets"
ASKED = a_slice(class_="share")
OLD = Offered({"cpu": "1"}, f"cpu 1 = {SAYS}")


class Talk:
    """A teller that says what a test says."""

    def __init__(self) -> None:
        self.said: dict[str, Told] = {}
        self.wanted: set[str] = set()
        self._subscribers: list[Callable[[Any, Any], None]] = []

    def values(self) -> list[str]:
        return list(self.wanted)

    def subscribe(self, subscriber: Callable[[Any, Any], None]) -> Callable[[], None]:
        self._subscribers.append(subscriber)
        return partial(self._subscribers.remove, subscriber)

    def told(self, consumer: str) -> Told:
        return self.said.get(consumer, Told(None, SOURCE))

    def want(self, consumer: str) -> None:
        self.wanted.add(consumer)

    def forget(self, consumer: str) -> None:
        self.wanted.discard(consumer)

    def say(self, consumer: str, told: Told) -> None:
        self.said[consumer] = told
        for subscriber in self._subscribers:
            subscriber(None, consumer)


class Town:
    """Where it is told, and who hears it."""

    def __init__(self, *slices: ResourceSlice) -> None:
        self.here: Caches = holding(*slices)
        self.talk = Talk()
        self.telling = Telling(self.here, self.talk)
        self.heard: list[Key | None] = []
        self.end = self.telling.subscribe(lambda _, key: self.heard.append(key))

    def become(self, slice_: ResourceSlice, version: str) -> None:
        metadata = msgspec.structs.replace(slice_.metadata, resource_version=version)
        self.here.of(ResourceSlice).take(msgspec.structs.replace(slice_, metadata=metadata))

    def prospect(self, before: Offered | None = None, asked: ResourceSlice = ASKED) -> Prospect:
        return self.telling.prospect(asked, before)


def named(name: str, consumer: str = "rome", class_: str = "share") -> ResourceSlice:
    slice_ = a_slice(class_=class_, consumer_cluster_id=consumer)
    metadata = msgspec.structs.replace(slice_.metadata, name=name)
    return msgspec.structs.replace(slice_, metadata=metadata)


def test_nobody_is_asked_about_before_somebody_wants_to_know() -> None:
    town = Town(ASKED)
    assert town.talk.wanted == set()
    assert town.prospect() == UNKNOWN
    assert town.talk.wanted == {"rome"}


def test_what_the_plugin_says_is_offered_with_whose_word_it_is() -> None:
    town = Town(ASKED)
    town.talk.say("rome", Told({"cpu": "2"}, SOURCE))
    assert town.prospect() == Prospect(Offered({"cpu": "2"}, f"cpu 2 = {SAYS}"))
    less = a_slice(class_="share", resources={"cpu": "1"})
    bounded = Offered({"cpu": "1"}, f"cpu 1 = min(1, {SAYS})")
    assert town.prospect(OLD, less) == Prospect(bounded)


def test_that_it_grants_nothing_is_its_word_as_well() -> None:
    town = Town(ASKED)
    town.talk.say("rome", Told({}, SOURCE))
    said = Offered({}, "nothing: the resource plugin http://plugin names no resource")
    assert town.prospect() == Prospect(said)


def test_what_it_said_last_is_offered_on_and_what_is_wrong_is_told() -> None:
    town = Town(ASKED)
    town.talk.say("rome", Told({"cpu": "2"}, SOURCE, "it hangs up"))
    said = Offered({"cpu": "2"}, "cpu 2 = what the resource plugin http://plugin said last")
    why = f"{SILENCE}, and what was granted stays: it hangs up"
    assert town.prospect(OLD) == Prospect(said, problem=why)


def test_what_was_granted_stays_while_a_plugin_has_said_nothing_since_we_began() -> None:
    town = Town(ASKED)
    assert town.prospect(OLD) == Prospect(OLD)
    town.talk.say("rome", Told(None, SOURCE, "it hangs up"))
    why = f"{SILENCE}, and what was granted stays: it hangs up"
    assert town.prospect(OLD) == Prospect(OLD, problem=why)


def test_one_that_never_said_anything_grants_nothing_and_it_is_said_why() -> None:
    town = Town(ASKED)
    town.talk.say("rome", Told(None, SOURCE, "it hangs up"))
    assert town.prospect() == Prospect(None, problem=f"{SILENCE}: it hangs up")


def test_all_slices_of_a_consumer_hear_what_is_said_about_it_and_no_others() -> None:
    first, second, other = named("first"), named("second"), named("third", "turin")
    town = Town(first, second, other)
    assert town.heard == town.telling.values() == [first.key, second.key, other.key]
    town.heard.clear()
    town.talk.say("rome", Told({}, SOURCE))
    assert town.heard == [first.key, second.key]
    town.end()
    town.talk.say("turin", Told({}, SOURCE))
    assert town.heard == [first.key, second.key]


def test_slices_of_other_classes_and_our_own_requests_are_no_concern() -> None:
    own = Meta(name="own", namespace=ASKED.metadata.namespace, resource_version="1")
    town = Town(named("gold", class_="gold"), msgspec.structs.replace(ASKED, metadata=own))
    assert town.telling.values() == []


async def test_a_consumer_is_forgotten_with_its_last_slice() -> None:
    first, second = named("first"), named("second")
    town = Town(first, second)
    town.prospect(None, first)
    town.become(named("first", class_="default"), "11")
    assert town.telling.values() == [second.key]
    assert town.talk.wanted == {"rome"}
    town.become(second, "12")
    assert town.talk.wanted == {"rome"}
    await town.here.of(ResourceSlice).adopt(Listing([], "99"))
    assert town.telling.values() == []
    assert town.talk.wanted == set()
