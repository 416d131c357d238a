"""Parts of a plan: some are done at a time, and one of their errors stands for them all."""

import asyncio
from dataclasses import dataclass, field

import pytest

from liqo.kube.errors import (
    Conflict,
    Forbidden,
    KubeError,
    ServerFault,
    Throttled,
    Unauthorized,
    Unreachable,
)
from liqo.runtime.errors import NotLeading
from liqo.runtime.pace import START
from liqo.runtime.parts import SPARE, TOLD, Spare, Turns, perform_each
from liqo.runtime.plan import Part
from liqo.runtime.program import WORKERS

OF_ONE = 1 + SPARE  # parts of a plan, if no other takes any


def some(count: int) -> list[Part]:
    return [Part(str(number), ()) for number in range(count)]


@dataclass
class Server:
    """Refuses some at once, and answers all others after that."""

    wrong: dict[str, Exception] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    answered: list[str] = field(default_factory=list)
    answers: asyncio.Event = field(default_factory=asyncio.Event)
    spare: Spare = field(default_factory=Spare)

    async def perform(self, part: Part) -> None:
        self.asked.append(part.name)
        if error := self.wrong.get(part.name):
            self.answers.set()
            raise error
        await self.answers.wait()
        self.answered.append(part.name)

    async def wronged(self, count: int) -> Exception:
        with pytest.raises((KubeError, NotLeading, KeyError)) as raised:
            await self.perform_all(some(count))
        return raised.value

    async def perform_all(self, parts: list[Part]) -> None:
        await perform_each(parts, self.perform, self.spare)


async def begin() -> None:
    for _ in range(20):  # turns of the event loop: plenty
        await asyncio.sleep(0)


async def test_they_are_begun_in_order_and_only_so_many_wait_for_an_answer() -> None:
    server = Server()
    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(server.perform_all(some(3 * OF_ONE)))
        await begin()
        assert server.asked == [part.name for part in some(OF_ONE)]
        server.answers.set()
    assert server.answered == [part.name for part in some(3 * OF_ONE)]


async def test_plans_that_wait_hold_up_no_other_and_all_together_no_other_controller() -> None:
    server = Server()
    async with asyncio.TaskGroup() as tasks:
        for _ in range(WORKERS - 1):
            tasks.create_task(server.perform_all(some(100)))
        await begin()
        waiting = len(server.asked)
        quick = Server(spare=server.spare)
        quick.answers.set()
        await asyncio.wait_for(quick.perform_all(some(100)), 5)
        assert quick.answered == [part.name for part in some(100)]
        tasks.create_task(server.perform_all([Part("of another", ())]))
        await begin()
        assert server.asked[waiting:] == ["of another"]
        assert len(server.asked) == WORKERS + SPARE < START
        server.answers.set()


async def all_taken() -> tuple[Spare, Turns, Turns]:
    """The first plan has its own turn and all that is spare, the second its own."""
    spare = Spare()
    first, second = Turns(spare), Turns(spare)
    for turns in (*[first] * OF_ONE, second):
        await turns.take()
    return spare, first, second


async def test_what_is_spare_goes_from_plan_to_plan() -> None:
    """Whoever was first does not keep it."""
    spare, first, second = await all_taken()
    async with asyncio.TaskGroup() as tasks:
        one, two = (tasks.create_task(turns.take()) for turns in (first, second))
        await begin()
        assert not one.done()
        first.give_back()
        await one
        tasks.create_task(first.take())
        await begin()
        first.give_back()
        await two
        first.give_back()
    assert spare.left == 0


async def test_a_plan_has_its_own_turn_back_whoever_waits_longer() -> None:
    _, first, second = await all_taken()
    async with asyncio.TaskGroup() as tasks:
        one, two = (tasks.create_task(turns.take()) for turns in (first, second))
        await begin()
        second.give_back()
        await two
        assert not one.done()
        one.cancel()


@pytest.mark.parametrize(
    "error",
    [Unreachable("cut"), Throttled("busy"), Unauthorized("who?"), NotLeading("over"), KeyError()],
    ids=repr,
)
async def test_what_no_part_can_help_ends_them_all_and_cuts_none_off(error: Exception) -> None:
    """What was sent may be carried out, and we should know of it."""
    server = Server({"0": Forbidden("by policy"), "2": error})
    assert await server.wronged(5) is error
    assert server.asked == ["0", "1", "2"]
    assert server.answered == ["1"]


async def test_of_all_errors_that_counts_which_is_tried_again_soonest() -> None:
    no, stale, fault = Forbidden("by policy"), Conflict("stale"), ServerFault("later")
    assert await Server({"0": stale, "1": no, "2": fault}).wronged(3) is fault
    assert await Server({"0": stale, "1": no}).wronged(3) is no
    assert await Server({"1": stale}).wronged(3) is stale


async def test_of_very_many_errors_the_first_few_are_repeated_each_once() -> None:
    """They become one line of the log."""
    policies = {str(number): Forbidden(f"by policy {number // 2}") for number in range(1000)}
    told = await Server({**policies}).wronged(1000)
    words = [str(told), *told.__notes__]
    assert words == [*(f"by policy {number}" for number in range(TOLD)), f"and {500 - TOLD} more"]
    few = await Server({"0": Forbidden("by policy"), "1": Forbidden("by policy")}).wronged(2)
    assert not hasattr(few, "__notes__")


async def test_who_is_told_to_leave_leaves_whatever_the_parts_wait_for() -> None:
    async with asyncio.TaskGroup() as tasks:
        waiting = tasks.create_task(Server().perform_all(some(3)))
        await asyncio.sleep(0)
        waiting.cancel()
    assert waiting.cancelled()
