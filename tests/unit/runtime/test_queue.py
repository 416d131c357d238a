"""The queue of keys, with timers that the test rings itself."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field

import pytest

from liqo.api.meta import Key
from liqo.runtime.queue import TURN, Queue, loop_timer

WEB = Key("rome", "web")
API = Key("rome", "api")
SHOP = Key("milan", "shop")


@dataclass
class Bell:
    """One timer: how long it was set to, and what rings when the test says so."""

    seconds: float
    ring: Callable[[], None]
    cancelled: bool = False

    def cancel(self) -> None:
        self.cancelled = True


@dataclass
class Bells:
    set: list[Bell] = field(default_factory=list)

    def later(self, seconds: float, ring: Callable[[], None]) -> Bell:
        self.set.append(Bell(seconds, ring))
        return self.set[-1]


@pytest.fixture
def bells() -> Bells:
    return Bells()


@pytest.fixture
def queue(bells: Bells) -> Queue:
    return Queue(later=bells.later, jitter=lambda: 0.0)


async def take(queue: Queue, count: int) -> list[Key]:
    return [await anext(queue) for _ in range(count)]


async def test_a_key_added_twice_is_handed_out_once(queue: Queue) -> None:
    queue.add(WEB)
    queue.add(WEB)
    assert queue.depth == 1
    assert await take(queue, 1) == [WEB]
    assert queue.depth == 0


async def test_a_key_added_while_active_comes_again_only_when_it_is_done(queue: Queue) -> None:
    queue.add(WEB)
    await anext(queue)
    queue.add(WEB)
    queue.add(WEB)
    assert queue.depth == 0
    queue.done(WEB)
    assert await take(queue, 1) == [WEB]
    queue.done(WEB)
    assert queue.depth == 0


async def test_the_queue_is_quiet_when_nothing_is_ready_or_active(queue: Queue) -> None:
    quiet = [queue.is_quiet]
    queue.add(WEB)
    quiet.append(queue.is_quiet)
    await anext(queue)
    quiet.append(queue.is_quiet)
    queue.done(WEB)
    quiet.append(queue.is_quiet)
    assert quiet == [True, False, False, True]


async def test_a_busy_namespace_does_not_delay_the_others(queue: Queue) -> None:
    rome = [Key("rome", str(number)) for number in range(100)]
    for key in (*rome, SHOP, Key("", "node")):
        queue.add(key)
    assert await take(queue, 5) == [rome[0], SHOP, Key("", "node"), rome[1], rome[2]]


async def test_the_pause_before_a_retry_doubles_up_to_the_slowest(
    queue: Queue, bells: Bells
) -> None:
    for _ in range(4):
        queue.retry(WEB, slowest=0.5)
    assert [bell.seconds for bell in bells.set] == [0.05, 0.1, 0.2, 0.25]


async def test_jitter_spreads_a_pause_between_half_and_the_whole_of_it(bells: Bells) -> None:
    queue = Queue(later=bells.later, jitter=lambda: 0.999)
    queue.retry(WEB)
    assert bells.set[0].seconds == pytest.approx(0.1, rel=0.01)


async def test_an_api_server_that_names_a_pause_gets_it(queue: Queue, bells: Bells) -> None:
    queue.retry(WEB, soonest=5)
    assert bells.set[0].seconds == 5.05


async def test_a_retry_tells_how_many_failures_there_were_in_a_row(queue: Queue) -> None:
    assert [queue.retry(WEB) for _ in range(3)] == [1, 2, 3]


async def test_refusals_and_other_failures_slow_each_other_down_in_no_way(
    queue: Queue, bells: Bells
) -> None:
    for _ in range(3):
        queue.retry(WEB, refused=True)
    assert [queue.retry(WEB), queue.retry(WEB)] == [1, 2]
    assert [bell.seconds for bell in bells.set] == [0.05, 0.1, 0.2, 0.05, 0.1]


async def test_what_fails_in_another_way_now_and_then_is_refused_ever_less_often(
    queue: Queue, bells: Bells
) -> None:
    for _ in range(4):
        queue.retry(WEB)
        queue.retry(WEB, refused=True)
    assert [bell.seconds for bell in bells.set[0::2]] == [0.05] * 4
    assert [bell.seconds for bell in bells.set[1::2]] == [0.05, 0.1, 0.2, 0.4]


async def test_a_success_makes_the_next_refusal_the_first(queue: Queue) -> None:
    queue.retry(WEB, refused=True)
    queue.forget(WEB)
    assert queue.retry(WEB, refused=True) == 1


async def test_a_key_that_failed_ten_thousand_times_is_still_retried(
    queue: Queue, bells: Bells
) -> None:
    for _ in range(10_000):
        queue.retry(WEB, slowest=60)
    assert bells.set[-1].seconds == 30


async def test_a_success_makes_the_next_failure_the_first(queue: Queue, bells: Bells) -> None:
    queue.retry(WEB)
    queue.retry(WEB)
    queue.forget(WEB)
    queue.retry(WEB)
    assert bells.set[-1].seconds == bells.set[0].seconds


async def test_what_failed_can_be_hurried_and_what_was_refused_or_only_waits_cannot(
    queue: Queue, bells: Bells
) -> None:
    queue.retry(WEB)
    queue.retry(WEB)
    queue.retry(API, refused=True)
    queue.add_after(SHOP, 5)
    queue.hurry()
    assert (queue.depth, await take(queue, 1)) == (1, [WEB])
    assert [bell.cancelled for bell in bells.set] == [True, True, False, False]
    queue.hurry()
    assert queue.depth == 0, "it is being worked on"
    assert queue.retry(WEB) == 1, "and if it fails all the same, it is not put off for long"


async def test_a_key_is_ready_when_its_timer_rings(queue: Queue, bells: Bells) -> None:
    queue.add_after(WEB, 7)
    assert (bells.set[0].seconds, queue.depth) == (7, 0)
    bells.set[0].ring()
    assert await take(queue, 1) == [WEB]


async def test_a_key_has_one_timer_and_the_last_one_counts(queue: Queue, bells: Bells) -> None:
    queue.add_after(WEB, 7)
    queue.add_after(WEB, 60)
    assert [bell.cancelled for bell in bells.set] == [True, False]


async def test_taking_a_key_stops_its_timer(queue: Queue, bells: Bells) -> None:
    queue.add_after(WEB, 60)
    queue.add(WEB)
    await anext(queue)
    assert bells.set[0].cancelled


async def test_a_timer_that_rings_while_its_key_is_active_brings_it_again(
    queue: Queue, bells: Bells
) -> None:
    queue.add(WEB)
    await anext(queue)
    queue.retry(WEB)
    bells.set[0].ring()
    queue.done(WEB)
    assert await take(queue, 1) == [WEB]


async def test_an_idle_worker_is_woken_by_a_key(queue: Queue) -> None:
    async with asyncio.TaskGroup() as tasks:
        worker = tasks.create_task(take(queue, 2))
        await asyncio.sleep(0)
        queue.add(WEB)
        queue.add(API)
    assert worker.result() == [WEB, API]


async def test_a_worker_whose_key_was_taken_by_another_waits_on(queue: Queue) -> None:
    async with asyncio.TaskGroup() as tasks:
        worker = tasks.create_task(take(queue, 1))
        await asyncio.sleep(0)
        queue.add(WEB)
        assert await take(queue, 1) == [WEB]  # before the woken worker runs
        await asyncio.sleep(0)
        assert not worker.done()
        queue.add(API)
    assert worker.result() == [API]


async def test_a_long_backlog_lets_other_tasks_run(queue: Queue) -> None:
    others: list[int] = []

    async def another_task() -> None:
        others.append(queue.depth)

    async with asyncio.TaskGroup() as tasks:
        for number in range(10 * TURN):
            queue.add(Key("rome", str(number)))
        tasks.create_task(another_task())
        await take(queue, 2 * TURN)
    assert others == [9 * TURN + 1]


async def test_a_closed_queue_ends_its_workers_and_takes_nothing_more(
    queue: Queue, bells: Bells
) -> None:
    async with asyncio.TaskGroup() as tasks:
        idle = tasks.create_task(work_through(queue))
        await asyncio.sleep(0)
        queue.add_after(API, 1)
        queue.close()
        queue.add(WEB)
        queue.add_after(SHOP, 1)
    assert idle.result() == []
    assert [bell.cancelled for bell in bells.set] == [True]
    assert await work_through(queue) == []


async def test_closing_drops_what_is_ready_and_lets_what_is_active_finish(queue: Queue) -> None:
    queue.add(WEB)
    queue.add(API)
    await anext(queue)
    queue.add(WEB)
    queue.close()
    assert queue.depth == 0
    queue.done(WEB)
    assert queue.is_quiet


async def test_closing_twice_is_closing_once(queue: Queue) -> None:
    async with asyncio.TaskGroup() as tasks:
        idle = tasks.create_task(work_through(queue))
        await asyncio.sleep(0)
        queue.close()
        queue.close()
    assert idle.result() == []


async def test_without_other_wishes_timers_are_those_of_the_event_loop() -> None:
    queue = Queue(later=loop_timer)
    queue.add_after(WEB, 0)
    assert await take(queue, 1) == [WEB]


async def work_through(queue: Queue) -> list[Key]:
    return [key async for key in queue]
