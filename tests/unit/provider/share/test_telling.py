"""What a share is where a plugin decides: asked from the first question on, and followed."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from liqo.api.authentication import ResourceSlice
from liqo.api.meta import Key, Meta
from liqo.kube.cache import Caches
from liqo.kube.listing import Listing
from liqo.provider.grant import UNKNOWN, Offered, Prospect
from liqo.provider.share.telling import Telling
from liqo.rules.telling import NO_PODS, Told
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


def named(name: str, consumer: str = "rome", class_: str = "share", **asks: str) -> ResourceSlice:
    slice_ = a_slice(class_=class_, consumer_cluster_id=consumer, resources=asks)
    metadata = msgspec.structs.replace(slice_.metadata, name=name)
    return msgspec.structs.replace(slice_, metadata=metadata)


def test_nobody_is_asked_about_before_somebody_wants_to_know() -> None:
    town = Town(ASKED)
    assert town.talk.wanted == set()
    assert town.prospect() == UNKNOWN
    assert town.talk.wanted == {"rome"}


def test_what_the_plugin_says_is_offered_with_whose_word_it_is() -> None:
    town = Town(ASKED)
    town.talk.say("rome", Told({"cpu": "2", "pods": "9"}, SOURCE))
    said = Offered({"cpu": "2", "pods": "9"}, f"cpu 2 = {SAYS}\npods 9 = {SAYS}")
    assert town.prospect() == Prospect(said)
    less = a_slice(class_="share", resources={"cpu": "1"})
    bounded = Offered({"cpu": "1", "pods": "9"}, f"cpu 1 = min(1, {SAYS})\npods 9 = {SAYS}")
    town.become(less, "10")
    assert town.prospect(OLD, less) == Prospect(bounded)


def test_that_it_grants_nothing_is_its_word_as_well() -> None:
    town = Town(ASKED)
    town.talk.say("rome", Told({}, SOURCE))
    said = Offered({"pods": "0"}, f"pods 0 = {SAYS}: {NO_PODS}")
    assert town.prospect() == Prospect(said)


def test_what_it_said_last_is_offered_on_and_what_is_wrong_is_told() -> None:
    town = Town(ASKED)
    town.talk.say("rome", Told({"pods": "2"}, SOURCE, "it hangs up"))
    said = Offered({"pods": "2"}, "pods 2 = what the resource plugin http://plugin said last")
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


def cpu(town: Town, asked: ResourceSlice) -> str | int:
    offered = town.prospect(None, asked).offered
    assert offered is not None
    return offered.resources["cpu"]


def born(slice_: ResourceSlice, at: str) -> ResourceSlice:
    metadata = msgspec.structs.replace(slice_.metadata, creation_timestamp=at)
    return msgspec.structs.replace(slice_, metadata=metadata)


def test_slices_of_a_consumer_share_what_the_plugin_says_and_the_oldest_is_served_first() -> None:
    young, old = named("a"), born(named("z", cpu="8"), "2026-11-14T00:00:00Z")
    town = Town(young, old, named("other", "turin"))
    town.talk.say("rome", Told({"cpu": "10"}, SOURCE))
    town.talk.say("turin", Told({"cpu": "10"}, SOURCE))
    found = [cpu(town, each) for each in (young, old, named("other", "turin"))]
    assert found == ["2", "8", "10"]
    offered = town.prospect(None, young).offered
    assert offered is not None
    assert offered.explanation.split("\n")[0] == f"cpu 2 = {SAYS} − 8 of slice z"


def test_another_answer_is_shared_anew() -> None:
    first, second = named("a", cpu="8"), named("b")
    town = Town(first, second)
    town.talk.say("rome", Told({"cpu": "10"}, SOURCE))
    assert [cpu(town, each) for each in (first, second)] == ["8", "2"]
    town.talk.say("rome", Told({"cpu": "4"}, SOURCE))
    assert [cpu(town, each) for each in (first, second)] == ["4", "0"]


async def test_the_others_are_told_when_a_slice_comes_asks_for_something_else_or_goes() -> None:
    first, second = named("a", cpu="8"), named("b")
    town = Town(second)
    town.talk.say("rome", Told({"cpu": "10"}, SOURCE))
    assert cpu(town, second) == "10"
    town.heard.clear()
    town.become(first, "10")
    assert second.key in town.heard
    assert cpu(town, second) == "2"
    town.heard.clear()
    town.become(named("a", cpu="1"), "11")
    assert second.key in town.heard
    assert cpu(town, second) == "9"
    town.heard.clear()
    await town.here.of(ResourceSlice).adopt(Listing([second], "99"))
    assert town.heard == [second.key]
    assert cpu(town, second) == "10"


def test_a_change_that_is_none_of_what_is_asked_and_one_nobody_has_looked_since_tell_nobody() -> (
    None
):
    first, second = named("a"), named("b")
    town = Town(first, second)
    town.heard.clear()
    town.become(named("a", cpu="8"), "10")
    assert town.heard == []
    town.talk.say("rome", Told({"cpu": "10"}, SOURCE))
    assert cpu(town, second) == "2"
    town.heard.clear()
    town.become(named("a", cpu="8"), "11")
    assert town.heard == []


def test_who_asks_in_the_name_of_another_takes_nothing_from_that_one() -> None:
    own = born(named("own"), "2026-11-15T11:00:00Z")
    metadata = msgspec.structs.replace(own.metadata, namespace="liqo-tenant-turin")
    forged = born(msgspec.structs.replace(own, metadata=metadata), "2026-11-14T00:00:00Z")
    town = Town(own, forged)
    town.talk.say("rome", Told({"cpu": "10"}, SOURCE))
    assert cpu(town, own) == "10"


@given(
    st.integers(0, 20),
    st.lists(st.tuples(st.integers(0, 5), st.none() | st.integers(0, 12)), max_size=30),
)
def test_together_slices_never_get_more_than_the_plugin_says(
    said: int, steps: list[tuple[int, int | None]]
) -> None:
    """However they come and ask for something else; no bound is all that there is."""
    slices: dict[str, ResourceSlice] = {}
    town = Town()
    town.talk.say("rome", Told({"cpu": str(said)}, SOURCE))
    for version, (which, bound) in enumerate(steps):
        asks = {} if bound is None else {"cpu": str(bound)}
        slice_ = named(f"slice-{which}", **asks)
        slices[slice_.metadata.name] = slice_
        town.become(slice_, str(10 + version))
        assert sum(int(cpu(town, each)) for each in slices.values()) <= said


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
