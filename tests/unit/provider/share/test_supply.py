"""What a share is, when it is told, and what is followed for it."""

from __future__ import annotations

import msgspec

from liqo.api.authentication import ResourceSlice
from liqo.api.meta import Key, Meta
from liqo.kube.cache import Caches
from liqo.kube.listing import Listing
from liqo.provider.grant import INVALID, Offered, Prospect
from liqo.provider.share.patience import LASTING, TOGETHER
from liqo.provider.share.supply import LISTING, Supply
from liqo.rules.capacity import Sharing
from liqo.runtime.value import Value
from tests.unit.provider.share.things import a_node, a_pod, listed
from tests.unit.provider.things import a_slice, holding

ASKED = a_slice(class_="share")
NODE = a_node("alpha", cpu=100)
OLD = Offered({"cpu": "1"}, "cpu 1 = floor(0.9 × 2)")


class Market:
    """A supply, with a stopwatch and settings in the hands of a test, and who is told."""

    def __init__(self, *slices: ResourceSlice, before: Caches | None = None) -> None:
        self.now = 0.0
        self.here = before or holding(*(slices or (ASKED,)))
        self.sharing = Value(Sharing())
        self.supply = Supply(self.here, self.sharing, lambda: self.now)
        self.told: list[Key | None] = []
        self.supply.subscribe(lambda _, key: self.told.append(key))
        self.told.clear()
        self.version = 10

    def wait(self, seconds: float) -> None:
        self.now += seconds

    async def holds(self, cpu: int, taken: int = 0, by: str = "") -> None:
        """One node of that size, and a pod on it."""
        pods = [a_pod(f"web-{taken}-{by}", taken, origin=by)] if taken else []
        self.version += 10
        await listed(
            self.here, [a_node("alpha", version=self.version, cpu=cpu)], pods, self.version
        )

    async def busy(self, *taken: int) -> None:
        """As many nodes of 10, with a pod of that size on each."""
        self.version += 10
        names = [f"node-{number}" for number in range(len(taken))]
        pods = [
            a_pod(f"{name}-{cpu}", cpu, node=name)
            for name, cpu in zip(names, taken, strict=True)
            if cpu
        ]
        nodes = [a_node(name, version=self.version, cpu=10) for name in names]
        await listed(self.here, nodes, pods, self.version)

    def prospect(self, before: Offered | None = None, asked: ResourceSlice = ASKED) -> Prospect:
        return self.supply.prospect(asked, before)

    def offered(self, before: Offered | None = None, asked: ResourceSlice = ASKED) -> Offered:
        found = self.prospect(before, asked).offered
        assert found is not None
        return found


def cpu(offered: Offered | None) -> str | int:
    assert offered is not None
    return offered.resources["cpu"]


async def test_nothing_is_said_before_all_is_known() -> None:
    market = Market()
    assert market.prospect() == Prospect(None, LISTING)
    assert market.prospect(OLD) == Prospect(OLD, LISTING)
    await market.holds(cpu=100)
    assert cpu(market.offered()) == "90"


async def test_it_says_the_amounts_and_why() -> None:
    market = Market()
    market.prospect()
    await market.holds(cpu=100, taken=50)
    assert market.offered().explanation.split("\n") == [
        "cpu 45 = floor(0.9 × (100 − 50))",
        "ephemeral-storage 0 = floor(0.9 × 0)",
        "memory 0 = floor(0.9 × 0)",
        "pods 0 = floor(0.9 × 0)",
        "largest pod on one of 1 nodes: cpu 45",
        "free by node: cpu 50",
    ]


async def test_without_a_node_there_is_nothing_of_anything_and_it_is_said() -> None:
    market = Market()
    market.prospect()
    await listed(market.here)
    offered = market.offered()
    assert offered.resources == {"cpu": "0", "ephemeral-storage": "0", "memory": "0", "pods": "0"}
    first = offered.explanation.split("\n")[0]
    assert first == "cpu 0 = floor(0.9 × 0): no node is ready and takes pods"


async def test_a_large_change_is_told_once_and_offered_after_half_a_second() -> None:
    market = Market()
    market.prospect()
    await market.holds(cpu=100)
    before = market.offered()
    await market.holds(cpu=100, taken=50)
    await market.holds(cpu=100, taken=40)
    assert market.told == [ASKED.key]
    assert market.prospect(before) == Prospect(before, TOGETHER)
    market.wait(TOGETHER)
    assert cpu(market.offered(before)) == "54"


async def test_a_change_that_is_large_for_a_moment_only_is_not_offered() -> None:
    market = Market()
    market.prospect()
    await market.holds(cpu=100)
    before = market.offered()
    await market.holds(cpu=100, taken=1)
    assert market.offered(before) == before
    market.wait(5)
    await market.holds(cpu=100, taken=60)
    assert market.prospect(before) == Prospect(before, TOGETHER)
    await market.holds(cpu=100, taken=1)
    market.wait(TOGETHER)
    assert market.prospect(before) == Prospect(before, TOGETHER)
    market.wait(LASTING - 5 - TOGETHER)
    assert cpu(market.offered(before)) == "89100m"


async def test_the_numbers_of_an_ordinary_day_are_there_half_a_second_later() -> None:
    market = Market()
    market.prospect()
    await market.holds(cpu=100)
    offered = market.offered()
    for size, taken, expected in [(100, 50, "45"), (200, 0, "180"), (200, 10, "171")]:
        market.wait(5)
        await market.holds(cpu=size, taken=taken)
        assert market.offered(offered) == offered
        market.wait(TOGETHER)
        offered = market.offered(offered)
        assert cpu(offered) == expected


async def test_a_node_does_not_flutter_and_follows_whoever_decides_all_the_same() -> None:
    market = Market()
    market.prospect()
    await market.holds(cpu=100)
    offered, changes = market.offered(), 0
    for look in range(120):  # a minute, twice a second
        await market.holds(cpu=100, taken=0 if look % 4 < 2 else 10)
        before, offered = offered, market.offered(offered)
        changes += offered.resources != before.resources
        market.wait(0.5)
    assert changes <= 12
    market.sharing.become(Sharing(50))
    assert cpu(market.offered(offered)) in {"50", "45"}


async def test_a_small_change_is_offered_once_it_has_lasted() -> None:
    market = Market()
    market.prospect()
    await market.holds(cpu=100)
    before = market.offered()
    await market.holds(cpu=100, taken=1)
    assert market.prospect(before) == Prospect(before, TOGETHER)  # it may become a large one
    market.wait(LASTING - 0.1)
    left = market.prospect(before)
    assert (left.offered, round(left.wait or 0, 3)) == (before, 0.1)
    market.wait(0.1)
    assert cpu(market.offered(before)) == "89100m"


async def test_a_change_that_passes_is_none() -> None:
    market = Market()
    market.prospect()
    await market.holds(cpu=100)
    before = market.offered()
    await market.holds(cpu=100, taken=1)
    market.prospect(before)
    market.wait(LASTING)
    await market.holds(cpu=100)
    assert market.prospect(before) == Prospect(before, TOGETHER)  # it may be elsewhere
    await market.holds(cpu=100, taken=1)
    assert market.prospect(before) == Prospect(before, TOGETHER)  # it lasts from now on
    market.wait(LASTING - 0.1)
    await market.holds(cpu=100)
    assert market.told == [ASKED.key]
    assert market.offered(before) == before
    market.wait(0.1)
    assert market.prospect(before) == Prospect(before)
    await market.holds(cpu=100, taken=1)
    assert market.told == [ASKED.key] * 2


def largest(offered: Offered | None) -> str:
    assert offered is not None
    [line] = [each for each in offered.explanation.split("\n") if each.startswith("largest pod")]
    return line


async def test_room_that_moves_between_nodes_is_told_once_it_has_lasted() -> None:
    market = Market()
    market.prospect()
    await market.busy(5, 5)
    before = market.offered()
    assert largest(before) == "largest pod on one of 2 nodes: cpu 5"
    await market.busy(0, 10)
    assert market.told == [ASKED.key]
    assert market.prospect(before) == Prospect(before, TOGETHER)  # sums may change as well
    market.wait(LASTING - 0.1)
    left = market.prospect(before)
    assert (left.offered, round(left.wait or 0, 3)) == (before, 0.1)
    market.wait(0.1)
    moved = market.prospect(before)
    assert (cpu(moved.offered), moved.wait) == ("9", None)
    assert largest(moved.offered) == "largest pod on one of 2 nodes: cpu 9"
    await market.busy(5, 5)
    assert market.told == [ASKED.key] * 2


async def test_a_pod_that_is_made_anew_elsewhere_changes_no_amount_meanwhile() -> None:
    market = Market()
    market.prospect()
    await market.busy(5, 5)
    before = market.offered()
    await market.busy(0, 5)
    assert market.prospect(before) == Prospect(before, TOGETHER)
    market.wait(TOGETHER - 0.1)
    await market.busy(0, 10)
    market.prospect(before)
    market.wait(LASTING - 0.1)
    await market.busy(10, 10)
    assert market.prospect(before) == Prospect(before, TOGETHER)  # a large one lasts from now on
    await market.busy(0, 10)
    market.wait(0.1)
    assert largest(market.offered(before)).endswith("cpu 9")


async def test_what_was_not_written_is_offered_again() -> None:
    market = Market()
    market.prospect()
    await market.holds(cpu=100)
    made = market.offered()
    assert market.prospect(OLD) == Prospect(made)


async def test_pods_of_the_consumer_itself_change_no_amount_and_what_fits_beside_them() -> None:
    market = Market()
    market.prospect()
    await market.holds(cpu=100)
    before = market.offered()
    await market.holds(cpu=100, taken=10, by="rome")
    await market.holds(cpu=100, taken=60, by="rome")
    assert market.told == [ASKED.key]
    assert market.prospect(before) == Prospect(before, TOGETHER)
    market.wait(LASTING)
    offered = market.offered(before)
    assert offered.resources == before.resources
    assert largest(before) == "largest pod on one of 1 nodes: cpu 90"
    assert largest(offered) == "largest pod on one of 1 nodes: cpu 40"


async def test_many_pods_of_the_consumer_are_told_every_ten_seconds_and_no_sooner() -> None:
    market = Market()
    market.prospect()
    await market.holds(cpu=100)
    offered, changes = market.offered(), 0
    for look in range(60):  # half a minute, twice a second
        await market.holds(cpu=100, taken=look + 1, by="rome")
        before, offered = offered, market.offered(offered)
        changes += offered != before
        market.wait(0.5)
    assert (changes, cpu(offered)) == (2, "90")


async def test_what_an_administrator_decides_is_offered_at_once() -> None:
    market = Market()
    market.prospect()
    await market.holds(cpu=100)
    before = market.offered()
    market.sharing.become(Sharing(89))
    assert market.told == [ASKED.key]
    assert cpu(market.offered(before)) == "89"
    market.sharing.become(Sharing(89, of_peers={"rome": 50}))
    assert cpu(market.offered(before)) == "50"


async def test_while_a_setting_cannot_be_read_what_is_offered_stays_and_nothing_else_is() -> None:
    market = Market()
    market.sharing.become(Sharing(unknown=frozenset({"percentage"})))
    why = (
        'the setting "percentage" in the ConfigMap "liqo-sharing" of the provider is not valid, '
        "and what it was before is not known"
    )
    assert market.prospect() == Prospect(problem=why, reason=INVALID)
    assert market.prospect(OLD) == Prospect(
        OLD, problem=f"{why}; what was granted stays", reason=INVALID
    )
    market.told.clear()
    market.sharing.become(Sharing(20))
    assert market.told == [ASKED.key]
    assert market.prospect(OLD) == Prospect(OLD, LISTING)
    await market.holds(cpu=100)
    assert cpu(market.offered(OLD)) == "20"


async def test_what_a_consumer_asks_for_is_offered_at_once() -> None:
    market = Market()
    market.prospect()
    await market.holds(cpu=100)
    before = market.offered()
    spec = msgspec.structs.replace(ASKED.spec, resources={"cpu": "89"})
    metadata = msgspec.structs.replace(ASKED.metadata, resource_version="11")
    less = msgspec.structs.replace(ASKED, spec=spec, metadata=metadata)
    market.here.of(ResourceSlice).take(less)
    assert cpu(market.offered(before, less)) == "89"


async def test_an_offer_of_another_class_is_not_waited_for() -> None:
    market = Market()
    market.prospect()
    await market.holds(cpu=100)
    assert cpu(market.offered(Offered({"cpu": "4"}))) == "90"


async def test_after_a_restart_only_the_waiting_is_lost() -> None:
    market = Market()
    market.prospect(OLD)
    await market.holds(cpu=100)
    assert market.prospect(OLD) == Prospect(OLD, TOGETHER)
    market.wait(TOGETHER)
    assert cpu(market.offered(OLD)) == "90"


def test_slices_of_other_classes_and_our_own_requests_are_no_concern() -> None:
    own = Meta(name="own", namespace=ASKED.metadata.namespace, resource_version="1")
    market = Market(a_slice(class_="gold"), msgspec.structs.replace(ASKED, metadata=own))
    assert market.supply.values() == []


async def test_a_slice_that_turns_to_another_class_is_forgotten() -> None:
    market = Market()
    market.prospect()
    metadata = msgspec.structs.replace(ASKED.metadata, resource_version="11")
    market.here.of(ResourceSlice).take(
        msgspec.structs.replace(a_slice(class_="gold"), metadata=metadata)
    )
    assert market.supply.values() == []
    assert len(set(market.here)) == 1


async def test_with_the_last_slice_all_is_let_go() -> None:
    market = Market()
    alone = set(market.here)
    market.prospect()
    await market.holds(cpu=100)
    market.prospect()
    assert len(set(market.here)) == len(alone) + 2
    await market.here.of(ResourceSlice).adopt(Listing([], "99"))
    assert set(market.here) == alone
    assert market.supply.values() == []
    await market.here.of(ResourceSlice).adopt(Listing([ASKED], "100"))
    assert market.prospect() == Prospect(None, LISTING)


async def test_while_another_asks_what_is_known_stays_known() -> None:
    metadata = msgspec.structs.replace(ASKED.metadata, name="more")
    market = Market(ASKED, msgspec.structs.replace(ASKED, metadata=metadata))
    market.prospect()
    await market.holds(cpu=100)
    await market.here.of(ResourceSlice).adopt(Listing([ASKED], "99"))
    assert market.supply.values() == [ASKED.key]
    assert cpu(market.offered()) == "90"


async def test_whoever_begins_to_watch_hears_of_those_that_ask() -> None:
    market, heard = Market(), list[Key | None]()
    end = market.supply.subscribe(lambda _, key: heard.append(key))
    assert heard == market.supply.values() == [ASKED.key]
    end()
    market.sharing.become(Sharing(10))
    assert heard == [ASKED.key]
