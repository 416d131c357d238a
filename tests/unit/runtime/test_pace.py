"""How many requests are sent at a time."""

import asyncio

import pytest

from liqo.kube.errors import NotFound, Throttled
from liqo.runtime.pace import Pace


async def succeed(pace: Pace) -> None:
    async with pace:
        await asyncio.sleep(0)


async def fail(pace: Pace, error: Exception) -> None:
    async def request() -> None:
        async with pace:
            await asyncio.sleep(0)
            raise error

    with pytest.raises(type(error)):
        await request()


async def test_no_more_requests_than_the_limit_are_under_way() -> None:
    pace = Pace(start=2, most=2)
    under_way = 0
    seen: list[int] = []

    async def request() -> None:
        nonlocal under_way
        async with pace:
            under_way += 1
            seen.append(under_way)
            await asyncio.sleep(0)
            under_way -= 1

    async with asyncio.TaskGroup() as tasks:
        for _ in range(10):
            tasks.create_task(request())
    assert (len(seen), max(seen)) == (10, 2)


async def test_a_429_halves_the_limit() -> None:
    pace = Pace(start=16)
    await fail(pace, Throttled("busy"))
    assert pace.limit == 8


async def test_a_burst_of_429s_is_one_slow_down() -> None:
    pace = Pace(start=16)
    async with asyncio.TaskGroup() as tasks:
        for _ in range(16):
            tasks.create_task(fail(pace, Throttled("busy")))
    assert pace.limit == 8


async def test_the_limit_never_falls_below_one() -> None:
    pace = Pace(start=2)
    for _ in range(5):
        await fail(pace, Throttled("busy"))
    assert pace.limit == 1


async def test_the_limit_grows_by_one_for_every_round_that_went_well() -> None:
    pace = Pace(start=2)
    for _ in range(2 + 3):
        await succeed(pace)
    assert pace.limit == 4


async def test_other_errors_are_answers_too() -> None:
    pace = Pace(start=1)
    await fail(pace, NotFound("gone"))
    assert pace.limit == 2


async def test_the_limit_stops_growing_at_its_most() -> None:
    pace = Pace(start=1, most=2)
    for _ in range(20):
        await succeed(pace)
    assert pace.limit == 2


async def test_a_waiting_request_goes_on_when_the_limit_has_fallen() -> None:
    pace = Pace(start=2)
    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(fail(pace, Throttled("busy")))
        for _ in range(5):
            tasks.create_task(succeed(pace))
    assert pace.limit >= 1
