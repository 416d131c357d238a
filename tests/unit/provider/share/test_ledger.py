"""The ledger: after whatever happened, it holds what adding up all nodes and pods would give."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial

from hypothesis import given
from hypothesis import strategies as st

from liqo.api.meta import Key
from liqo.provider.share.ledger import Booking, Ledger
from liqo.rules.capacity import SHOWN, Free
from liqo.rules.usage import Amounts

NODES = ("alpha", "beta", "gamma")
CONSUMERS = ("", "rome", "turin")
KEYS = tuple(Key("default", f"pod-{number}") for number in range(6))

resources = st.sampled_from(["cpu", "memory", "nvidia.com/gpu"])
amounts = st.dictionaries(resources, st.integers(0, 5))
bookings = st.builds(
    Booking, st.sampled_from(NODES), amounts.map(lambda some: {**some, "pods": 1}),
    st.sampled_from(CONSUMERS),
)  # fmt: skip
node_events = st.tuples(st.sampled_from(NODES), st.none() | amounts)
pod_events = st.tuples(st.sampled_from(KEYS), st.none() | bookings)


@dataclass
class World:
    """All that happened, kept plainly."""

    nodes: dict[str, Amounts | None] = field(default_factory=dict)
    pods: dict[Key, Booking | None] = field(default_factory=dict)

    def sums(self, consumer: str) -> dict[str, Free]:
        found: dict[str, Free] = {}
        for node, allocatable in self.nodes.items():
            for name, amount in (allocatable or {}).items():
                free = max(0, amount - self.taken(node, name, consumer))
                seen = found.get(name, Free(0, 0))
                by_node = (*seen.by_node, max(0, amount - self.taken(node, name, "")))
                found[name] = Free(seen.allocatable + amount, seen.free + free, by_node)
        return found

    def taken(self, node: str, name: str, consumer: str) -> int:
        there = [each for each in self.pods.values() if each is not None and each.node == node]
        others = [each for each in there if not consumer or each.consumer != consumer]
        return sum(each.amounts.get(name, 0) for each in others)


def located(amounts: tuple[int, ...]) -> tuple[int, ...]:
    most = sorted(amounts, reverse=True)[:SHOWN]
    return tuple(each for each in most if each) or (0,)


@given(st.lists(node_events | pod_events, max_size=30))
def test_it_holds_what_adding_up_would_give(
    events: list[tuple[str | Key, Amounts | Booking | None]],
) -> None:
    ledger, world = Ledger(), World()
    for who, what in events:
        before, revision = {each: ledger.free(each) for each in CONSUMERS}, ledger.revision
        if isinstance(who, Key):
            assert what is None or isinstance(what, Booking)
            world.pods[who] = what
            is_told = ledger.pod(who, what)
        else:
            assert not isinstance(what, Booking)
            world.nodes[who] = what
            is_told = ledger.node(who, what)
        after = {each: ledger.free(each) for each in CONSUMERS}
        assert is_told or after == before
        assert ledger.revision >= revision, "it never comes back"
        assert ledger.revision > revision or after == before, "the same revision is the same room"
    for consumer in CONSUMERS:
        expected = world.sums(consumer)
        assert ledger.sums(consumer) == {
            name: Free(each.allocatable, each.free) for name, each in expected.items()
        }
        assert ledger.free(consumer) == {
            name: Free(each.allocatable, each.free, located(each.by_node))
            for name, each in expected.items()
        }
    assert ledger.nodes == sum(each is not None for each in world.nodes.values())


@given(st.lists(node_events | pod_events, max_size=30))
def test_it_knows_its_sums_again_without_making_them(
    events: list[tuple[str | Key, Amounts | Booking | None]],
) -> None:
    ledger = Ledger()
    for who, what in events:
        before = {each: ledger.sums(each) for each in CONSUMERS}
        if isinstance(who, Key):
            assert what is None or isinstance(what, Booking)
            ledger.pod(who, what)
        else:
            assert not isinstance(what, Booking)
            ledger.node(who, what)
        for consumer, sums in before.items():
            now = ledger.sums(consumer)
            assert ledger.is_as(consumer, sums) is (now == sums)
            ranges = {name: range(total.free, 100) for name, total in sums.items()}
            is_more = now.keys() == sums.keys() and all(
                total.free >= sums[name].free for name, total in now.items()
            )
            assert ledger.is_within(consumer, ranges) is is_more


@given(
    st.dictionaries(st.sampled_from(NODES), amounts),
    st.dictionaries(st.sampled_from(KEYS), bookings),
    st.randoms(use_true_random=False),
)
def test_the_order_of_what_happens_does_not_matter(
    nodes: dict[str, Amounts], pods: dict[Key, Booking], chance: random.Random
) -> None:
    one, other = Ledger(), Ledger()
    in_order = [partial(Ledger.node, name=name, allocatable=room) for name, room in nodes.items()]
    in_order += [partial(Ledger.pod, key=key, booking=booking) for key, booking in pods.items()]
    for happen in in_order:
        happen(one)
    for happen in chance.sample(in_order, len(in_order)):
        happen(other)
    for consumer in CONSUMERS:
        assert one.free(consumer) == other.free(consumer)


def test_pods_of_a_consumer_do_not_count_against_it_and_do_against_others() -> None:
    ledger = Ledger()
    ledger.node("alpha", {"cpu": 100})
    ledger.pod(KEYS[0], Booking("alpha", {"cpu": 10}, "rome"))
    ledger.pod(KEYS[1], Booking("alpha", {"cpu": 50}))
    assert ledger.sums("rome") == {"cpu": Free(100, 50)}
    assert ledger.sums("turin") == {"cpu": Free(100, 40)}


def test_what_a_node_has_too_little_of_is_not_taken_from_another() -> None:
    ledger = Ledger()
    ledger.node("alpha", {"cpu": 10})
    ledger.node("beta", {"cpu": 10})
    ledger.pod(KEYS[0], Booking("alpha", {"cpu": 15}))
    assert ledger.sums("rome") == {"cpu": Free(20, 10)}


def test_room_that_moves_is_the_same_sum_and_another_revision() -> None:
    ledger = Ledger()
    ledger.node("alpha", {"cpu": 10})
    ledger.node("beta", {"cpu": 10})
    ledger.pod(KEYS[0], Booking("alpha", {"cpu": 5}, "rome"))
    ledger.pod(KEYS[1], Booking("alpha", {"cpu": 5}))
    sums, revision = {each: ledger.sums(each) for each in CONSUMERS}, ledger.revision
    assert ledger.free("turin")["cpu"].by_node == (10,)
    ledger.pod(KEYS[0], Booking("beta", {"cpu": 5}, "rome"))
    assert {each: ledger.sums(each) for each in CONSUMERS} == sums
    assert ledger.revision > revision
    assert ledger.free("turin")["cpu"].by_node == (5, 5)


def test_what_a_consumer_has_taken_is_free_for_it_in_the_sum_and_on_no_node() -> None:
    ledger = Ledger()
    for key, node in zip(KEYS, ("alpha", "beta"), strict=False):
        ledger.node(node, {"cpu": 100})
        ledger.pod(key, Booking(node, {"cpu": 60}, "rome"))
    assert ledger.free("rome") == {"cpu": Free(200, 200, (40, 40))}
    assert ledger.free("turin") == {"cpu": Free(200, 80, (40, 40))}


def test_pods_wait_for_their_node_to_count() -> None:
    ledger = Ledger()
    assert not ledger.pod(KEYS[0], Booking("alpha", {"cpu": 4}))
    assert ledger.node("alpha", {"cpu": 10})
    assert ledger.sums("rome") == {"cpu": Free(10, 6)}
    assert ledger.node("alpha", None)
    assert (ledger.sums("rome"), ledger.nodes) == ({}, 0)


def test_what_changes_nothing_is_not_told() -> None:
    ledger = Ledger()
    assert not ledger.node("alpha", None)
    assert ledger.node("alpha", {"cpu": 10})
    assert not ledger.node("alpha", {"cpu": 10})
    booking = Booking("alpha", {"cpu": 1})
    assert ledger.pod(KEYS[0], booking)
    assert not ledger.pod(KEYS[0], booking)
    assert ledger.pod(KEYS[0], None)
    assert not ledger.pod(KEYS[0], None)


def test_a_resource_that_all_have_none_of_is_there() -> None:
    ledger = Ledger()
    ledger.node("alpha", {"hugepages-2Mi": 0})
    assert ledger.free("rome") == {"hugepages-2Mi": Free(0, 0, (0,))}
    ledger.node("alpha", {})
    assert ledger.free("rome") == {}


class Watched(Mapping[str, int]):
    """What a node has: whoever wants to know what is free there reads it, and is counted."""

    def __init__(self, **amounts: int) -> None:
        self.reads, self._amounts = 0, amounts

    def __getitem__(self, name: str) -> int:
        self.reads += 1
        return self._amounts[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._amounts)

    def __len__(self) -> int:
        return len(self._amounts)


def test_a_pod_costs_a_look_at_its_own_node_and_an_offer_at_none() -> None:
    ledger, rooms = Ledger(), {f"node-{number}": Watched(cpu=100, pods=9) for number in range(50)}
    for name, room in rooms.items():
        ledger.node(name, room)
    before = {name: room.reads for name, room in rooms.items()}
    for number in range(1000):
        who = CONSUMERS[number % len(CONSUMERS)]
        booking = Booking("node-7", {"cpu": number % 5, "pods": 1}, who)
        ledger.pod(KEYS[number % len(KEYS)], booking if number % 4 else None)
        ledger.free("rome")
    assert {name for name, room in rooms.items() if room.reads != before[name]} == {"node-7"}
