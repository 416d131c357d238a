"""Tasks that are woken one by one."""

import asyncio

from liqo.runtime.waiters import Waiters


async def test_the_task_that_waits_longest_is_woken_first_and_alone() -> None:
    waiters = Waiters()
    async with asyncio.TaskGroup() as tasks:
        first, second = (tasks.create_task(waiters.wait()) for _ in range(2))
        await asyncio.sleep(0)
        waiters.wake_one()
        await first
        assert not second.done()
        waiters.wake_one()


async def test_waking_nobody_is_nothing() -> None:
    Waiters().wake_one()


async def test_a_turn_is_not_lost_with_the_task_that_was_woken_for_it() -> None:
    waiters = Waiters()
    async with asyncio.TaskGroup() as tasks:
        first, second = (tasks.create_task(waiters.wait()) for _ in range(2))
        await asyncio.sleep(0)
        waiters.wake_one()
        first.cancel()
    assert first.cancelled()
    assert second.done()


async def test_a_task_cancelled_while_it_waits_is_passed_over() -> None:
    waiters = Waiters()
    async with asyncio.TaskGroup() as tasks:
        first, second = (tasks.create_task(waiters.wait()) for _ in range(2))
        await asyncio.sleep(0)
        first.cancel()
        await asyncio.sleep(0)
        waiters.wake_one()
    assert second.done()


async def test_all_can_be_woken_at_once() -> None:
    waiters = Waiters()
    async with asyncio.TaskGroup() as tasks:
        for _ in range(3):
            tasks.create_task(waiters.wait())
        await asyncio.sleep(0)
        waiters.wake_all()
