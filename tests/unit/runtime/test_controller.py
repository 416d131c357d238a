"""The loop of every controller, and what brings keys into it."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any

import pytest
from structlog.testing import capture_logs

from liqo.api.meta import Key, OwnerReference
from liqo.kube.access import Access
from liqo.kube.cache import Cache
from liqo.kube.cluster import Cluster
from liqo.kube.copy import Copy
from liqo.kube.errors import (
    Conflict,
    Forbidden,
    KubeError,
    ServerFault,
    Throttled,
    Unreachable,
)
from liqo.runtime.controller import STUBBORN, Controller, Desk, itself, owner, work
from liqo.runtime.errors import NotLeading
from liqo.runtime.metrics import Metrics
from liqo.runtime.plan import NOTHING, Delete, Part, Plan, Record, do
from liqo.runtime.queue import Queue
from tests.unit.runtime.test_queue import Bells
from tests.unit.runtime.things import KEY, Thing, a_thing

OTHER = Key("milan", "shop")


def a_controller(
    observe: Callable[[Key], Thing | None] = lambda _: a_thing(),
    plan: Callable[[Thing], Plan] = lambda _: NOTHING,
    watches: dict[Copy[Any], Any] | None = None,
) -> Controller[Thing]:
    return Controller("tests/thing", watches or {}, observe, plan)


@pytest.fixture
def bells() -> Bells:
    return Bells()


def a_desk(bells: Bells, controller: Controller[Thing] | None = None) -> Desk:
    queue = Queue(later=bells.later, jitter=lambda: 1.0)
    return Desk(controller or a_controller(), Metrics(), queue)


async def work_off(
    desk: Desk, execute: Callable[[Plan], Awaitable[Any] | None] | None = None
) -> list[Plan]:
    """Let a worker do what is ready now; the plans that it had executed."""
    executed: list[Plan] = []

    async def note(plan: Plan) -> None:
        executed.append(plan)
        if execute is not None and (answered := execute(plan)) is not None:
            await answered

    async with asyncio.TaskGroup() as tasks:
        worker = tasks.create_task(work(desk, note))
        for _ in range(20):  # turns of the event loop: plenty for a few keys
            await asyncio.sleep(0)
        worker.cancel()
    return executed


def failing(error: Exception) -> Callable[[Plan], None]:
    def execute(_: Plan) -> None:
        raise error

    return execute


async def test_what_is_observed_is_planned_and_what_is_planned_is_executed(bells: Bells) -> None:
    seen = a_thing(size=3)
    desk = a_desk(bells, a_controller(lambda _: seen, lambda state: do(Delete(state))))
    desk.queue.add(KEY)
    assert await work_off(desk) == [do(Delete(seen))]
    assert bells.set == []


async def test_nothing_is_planned_for_what_is_not_there(bells: Bells) -> None:
    def plan(_: Thing) -> Plan:
        raise AssertionError("there is nothing to plan for")

    desk = a_desk(bells, a_controller(lambda _: None, plan))
    desk.queue.add(KEY)
    assert await work_off(desk) == [NOTHING]


async def test_a_plan_says_when_to_look_again(bells: Bells) -> None:
    desk = a_desk(bells, a_controller(plan=lambda _: do(wake_after=60)))
    desk.queue.add(KEY)
    await work_off(desk)
    assert [bell.seconds for bell in bells.set] == [60]


async def test_P_MET1_to_look_again_later_counts_as_well_and_only_a_failure_as_failed(
    bells: Bells,
) -> None:
    desk = a_desk(bells, a_controller(plan=lambda _: do(wake_after=60)))
    desk.queue.add(KEY)
    await work_off(desk)
    broken = replace(desk, controller=a_controller(plan=lambda _: do(Delete(a_thing()))))
    desk.queue.add(KEY)
    with capture_logs():
        await work_off(broken, failing(Unreachable("down")))
    counted = ("tests/thing", KEY.namespace)
    assert desk.metrics.well == {counted: 1}
    assert desk.metrics.failed == {counted: 1}


@pytest.mark.parametrize(
    ("error", "pause"),
    [
        (Conflict("stale"), 0.1),
        (NotLeading("soon over"), 0.1),
        (Unreachable("down"), 0.1),
        (KeyError("a mistake of ours"), 0.1),
        (Throttled("busy", retry_after=7), 7.1),
    ],
)
async def test_what_fails_is_tried_again(bells: Bells, error: Exception, pause: float) -> None:
    desk = a_desk(bells)
    desk.queue.add(KEY)
    with capture_logs():
        await work_off(desk, failing(error))
    assert [bell.seconds for bell in bells.set] == [pytest.approx(pause)]


async def test_who_fails_may_tell_people_about_it(bells: Bells) -> None:
    seen = a_thing()

    def failed(state: Thing, error: KubeError) -> Plan:
        return do(Record(state, "Refused", str(error)))

    def execute(plan: Plan) -> None:
        if plan == do(Delete(seen)):
            raise Forbidden("milan: quota exceeded")

    controller = replace(a_controller(plan=lambda state: do(Delete(state))), failed=failed)
    desk = a_desk(bells, controller)
    desk.queue.add(KEY)
    with capture_logs() as logs:
        executed = await work_off(desk, execute)
    assert executed == [do(Delete(seen)), do(Record(seen, "Refused", "milan: quota exceeded"))]
    assert [log["why"] for log in logs] == ["milan: quota exceeded"]


SHOP, BANK, FARM = (a_thing(size=size) for size in (1, 2, 3))
IN_PARTS = do(
    wake_after=60,
    parts=[
        Part(each, (Delete(of),)) for each, of in (("shop", SHOP), ("bank", BANK), ("farm", FARM))
    ],
)


def a_part(thing: Thing) -> Plan:
    return do(Delete(thing))


def refusing(errors: dict[int, KubeError]) -> Callable[[Plan], None]:
    """What is done to a thing of that size fails."""

    def execute(plan: Plan) -> None:
        for action in plan.actions:
            match action:
                case Delete(Thing(spec=spec)) if error := errors.get(spec.size):
                    raise error

    return execute


def told(part: str, why: object) -> Plan:
    return do(Record(a_thing(), "Refused", f"{part}: {why}"))


TELLING = replace(
    a_controller(plan=lambda _: IN_PARTS), part_failed=lambda _, part, why: told(part, why)
)


async def test_a_part_that_fails_holds_up_no_other_and_all_are_told_of(bells: Bells) -> None:
    desk = a_desk(bells, TELLING)
    desk.queue.add(KEY)
    no = {1: Conflict("stale"), 2: Forbidden("by policy"), 3: Forbidden("by quota")}
    with capture_logs() as logs:
        begun, *executed = await work_off(desk, refusing(no))
    assert begun == IN_PARTS
    assert executed[0::2] == [a_part(SHOP), a_part(BANK), a_part(FARM)]
    assert executed[1::2] == [told("shop", no[1]), told("bank", no[2]), told("farm", no[3])]
    assert [log["why"] for log in logs] == ["by policy; stale; by quota"]
    assert [bell.seconds for bell in bells.set] == [pytest.approx(0.1)]


async def test_a_part_that_waits_for_its_answer_holds_up_neither_others_nor_what_is_told_of_them(
    bells: Bells,
) -> None:
    desk, answered = a_desk(bells, TELLING), asyncio.Event()
    refuse = refusing({2: Forbidden("by policy")})

    def execute(plan: Plan) -> Awaitable[Any] | None:
        return answered.wait() if plan == a_part(SHOP) else refuse(plan)

    desk.queue.add(KEY)
    executed = await work_off(desk, execute)
    assert executed[1:] == [a_part(SHOP), a_part(BANK), told("bank", "by policy"), a_part(FARM)]
    assert bells.set == []


async def test_what_people_cannot_be_told_of_a_part_fails_in_its_place(bells: Bells) -> None:
    desk, refuse = a_desk(bells, TELLING), refusing({1: Forbidden("by policy")})

    def execute(plan: Plan) -> None:
        if plan == told("shop", "by policy"):
            raise ServerFault("not now")
        refuse(plan)

    desk.queue.add(KEY)
    with capture_logs() as logs:
        executed = await work_off(desk, execute)
    assert executed[-1] == a_part(FARM)
    assert [log["why"] for log in logs] == ["not now"]


async def test_a_part_that_is_refused_slows_none_down_that_may_go_well_soon(bells: Bells) -> None:
    desk, no = a_desk(bells, a_controller(plan=lambda _: IN_PARTS)), Forbidden("by policy")
    with capture_logs() as logs:
        for _ in range(10):
            desk.queue.add(KEY)
            await work_off(desk, refusing({1: no}))
        desk.queue.add(KEY)
        await work_off(desk, refusing({1: no, 2: ServerFault("later")}))
    told = [(log["event"], log["why"]) for log in logs]
    assert told == [("refused", "by policy"), ("failed", "later; by policy")]
    assert bells.set[-1].seconds <= 0.1


async def test_parts_that_go_well_are_a_reconcile_that_went_well(bells: Bells) -> None:
    desk = a_desk(bells, a_controller(plan=lambda _: IN_PARTS))
    desk.queue.add(KEY)
    assert await work_off(desk) == [IN_PARTS, a_part(SHOP), a_part(BANK), a_part(FARM)]
    assert [bell.seconds for bell in bells.set] == [60]


async def test_a_conflict_alone_is_that_of_the_reconcile_and_nobody_need_be_told(
    bells: Bells,
) -> None:
    desk = a_desk(bells, a_controller(plan=lambda _: IN_PARTS))
    desk.queue.add(KEY)
    with capture_logs() as logs:
        executed = await work_off(desk, refusing({1: Conflict("stale")}))
    assert executed[-1] == a_part(FARM)
    assert logs == []


async def test_what_no_part_can_help_ends_them_all(bells: Bells) -> None:
    desk = a_desk(bells, a_controller(plan=lambda _: IN_PARTS))
    desk.queue.add(KEY)
    with capture_logs():
        executed = await work_off(desk, refusing({1: Unreachable("cut")}))
    assert executed == [IN_PARTS, a_part(SHOP)]


async def test_what_is_refused_is_tried_once_a_minute_in_the_end(bells: Bells) -> None:
    desk = a_desk(bells)
    for _ in range(20):
        desk.queue.add(KEY)
        await work_off(desk, failing(Forbidden("by quota")))
    assert bells.set[-1].seconds == pytest.approx(60)


async def test_a_failure_is_logged_once_with_its_object_and_once_more_when_it_is_over(
    bells: Bells,
) -> None:
    desk = a_desk(bells)
    with capture_logs() as logs:
        for _ in range(3):
            desk.queue.add(KEY)
            await work_off(desk, failing(Forbidden("rome: quota exceeded")))
        desk.queue.add(KEY)
        await work_off(desk)
    where = {"controller": "tests/thing", "key": "rome/web"}
    assert logs == [
        {"event": "refused", "log_level": "warning", "why": "rome: quota exceeded", **where},
        {"event": "recovered", "log_level": "info", **where},
    ]


async def test_a_mistake_of_ours_is_logged_with_its_place(bells: Bells) -> None:
    mistake = KeyError("spec")
    desk = a_desk(bells)
    desk.queue.add(KEY)
    with capture_logs() as logs:
        await work_off(desk, failing(mistake))
    assert [(log["event"], log["exc_info"]) for log in logs] == [("failed", mistake)]


async def test_a_few_conflicts_are_daily_business_and_many_are_news(bells: Bells) -> None:
    desk = a_desk(bells)
    with capture_logs() as logs:
        for _ in range(STUBBORN - 1):
            desk.queue.add(KEY)
            await work_off(desk, failing(Conflict("stale")))
        assert logs == []
        desk.queue.add(KEY)
        await work_off(desk, failing(Conflict("stale")))
    assert [log["why"] for log in logs] == ["stale"]


async def test_a_failing_key_does_not_stop_the_others(bells: Bells) -> None:
    def observe(key: Key) -> Thing:
        if key == KEY:
            raise ValueError("cannot be read")
        return a_thing()

    desk = a_desk(bells, a_controller(observe))
    desk.queue.add(KEY)
    desk.queue.add(OTHER)
    with capture_logs():
        assert await work_off(desk) == [NOTHING]
    text = desk.metrics.text().decode()
    assert 'liqo_reconcile_failures_total{controller="tests/thing",error="ValueError"} 1.0' in text
    assert 'liqo_reconcile_seconds_count{controller="tests/thing"} 2.0' in text


async def test_a_change_brings_the_keys_of_what_was_and_what_is(bells: Bells) -> None:
    def owners(changed: Thing) -> tuple[Key, ...]:
        return tuple(Key("rome", reference.name) for reference in changed.metadata.owner_references)

    cache = Cache(Cluster(Access("http://127.0.0.1:1")), Thing)
    desk = a_desk(bells, a_controller(watches={cache: owners}))
    desk.follow()
    for version, name in (("1", "old"), ("2", "new")):
        reference = OwnerReference(api_version="v1", kind="Thing", name=name, uid=name)
        cache.take(a_thing(resource_version=version, owner_references=(reference,)))
    taken = [await anext(desk.queue), await anext(desk.queue)]
    assert taken == [Key("rome", "old"), Key("rome", "new")]
    assert desk.queue.depth == 0


def test_an_object_concerns_itself_or_its_owners() -> None:
    reference = OwnerReference(api_version="v1", kind="Thing", name="shop", uid="1")
    owned = a_thing(owner_references=(reference,))
    assert itself(owned) == (KEY,)
    assert owner(owned) == (Key("rome", "shop"),)


async def test_that_a_cache_may_not_be_followed_any_more_concerns_all_that_is_there(
    bells: Bells,
) -> None:
    """No object of it changes; those of another may have waited for nothing else."""
    forbidden: Cache[Thing] = Cache(Cluster(Access("")), Thing)
    other: Cache[Thing] = Cache(Cluster(Access("")), Thing)
    desk = a_desk(bells, a_controller(watches={forbidden: itself, other: itself}))
    desk.follow()
    other.take(a_thing(resource_version="1"))
    assert len(await work_off(desk)) == 1
    forbidden._store.alarm()
    assert len(await work_off(desk)) == 1


async def test_following_can_be_ended_and_everything_looked_at_again(bells: Bells) -> None:
    cache: Cache[Thing] = Cache(Cluster(Access("")), Thing)
    desk = a_desk(bells, a_controller(watches={cache: itself}))
    end = desk.follow()
    cache.take(a_thing(resource_version="1"))
    assert len(await work_off(desk)) == 1
    desk.look_again()
    assert len(await work_off(desk)) == 1
    end()
    cache.take(a_thing(resource_version="2"))
    assert await work_off(desk) == []
