"""What is known of a plugin's answers while it speaks, hangs, lies, dies and comes back."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from liqo.api.values import ResourceList
from liqo.plugin.address import GrpcAddress
from liqo.plugin.answers import Answers, Patience, after
from liqo.plugin.grpc import GrpcPlugin
from liqo.plugin.messages import Pool
from liqo.rules.telling import Told
from tests.unit.plugin.speaking import Speaking, speaking

EXAMPLE = Path(__file__).parents[3] / "examples/resource-plugin/fixed_grpc.py"
SOURCE = "grpc://the-test"
QUICK = Patience(answer=5.0, breath=0.001, first=0.01, slowest=0.02, subscription=60.0)
IMPATIENT = replace(QUICK, answer=0.05)
CPU: ResourceList = {"cpu": "2"}
MORE: ResourceList = {"cpu": "4"}
TOO_MUCH = "it says too much of cpu: nobody has that many"


class Following:
    """What was told, in its order."""

    def __init__(self, answers: Answers) -> None:
        self.answers = answers
        self.told: list[tuple[str, Told]] = []
        self._told = asyncio.Event()
        self.end = answers.subscribe(self._hear)

    def _hear(self, _: str | None, consumer: str | None) -> None:
        assert consumer is not None
        self.told.append((consumer, self.answers.told(consumer)))
        self._told.set()

    async def until(self, consumer: str, told: Told) -> None:
        async with asyncio.timeout(30):
            while self.answers.told(consumer) != told:
                self._told.clear()
                await self._told.wait()


@asynccontextmanager
async def asking(address: GrpcAddress, patience: Patience = QUICK) -> AsyncIterator[Following]:
    following = Following(Answers(GrpcPlugin(address), SOURCE, patience))
    async with asyncio.TaskGroup() as tasks:
        running = tasks.create_task(following.answers.run())
        yield following
        running.cancel()


async def test_nobody_is_asked_about_who_is_not_wanted() -> None:
    plugin = Speaking(rome=CPU, turin=MORE)
    async with speaking(plugin) as address, asking(address) as following:
        assert following.answers.told("rome") == Told(None, SOURCE)
        following.answers.want("turin")
        following.answers.want("turin")
        await following.until("turin", Told(MORE, SOURCE))
        assert following.answers.values() == ["turin"]
    assert set(plugin.asked) == {"turin"}
    assert [consumer for consumer, _ in following.told] == ["turin"]


async def test_who_follows_later_is_told_who_is_there_and_who_ends_hears_no_more() -> None:
    plugin = Speaking(rome=CPU)
    async with speaking(plugin) as address, asking(address) as following:
        following.end()
        following.answers.want("rome")
        late = Following(following.answers)
        assert late.told == [("rome", Told(None, SOURCE))]
        await late.until("rome", Told(CPU, SOURCE))
    assert following.told == []


@pytest.mark.parametrize("about", ["rome", ""])
async def test_a_notice_of_the_plugin_is_followed_by_a_reading(about: str) -> None:
    plugin = Speaking(rome=CPU)
    async with speaking(plugin) as address, asking(address) as following:
        following.answers.want("rome")
        await following.until("rome", Told(CPU, SOURCE))
        await plugin.say("rome", MORE)
        plugin.notices.put_nowait("a stranger")
        plugin.notices.put_nowait(about)
        await following.until("rome", Told(MORE, SOURCE))
    assert "a stranger" not in plugin.asked


async def test_a_subscription_that_ends_is_made_again() -> None:
    plugin = Speaking(rome=CPU)
    async with speaking(plugin) as address, asking(address) as following:
        following.answers.want("rome")
        await following.until("rome", Told(CPU, SOURCE))
        plugin.notices.put_nowait(None)
        await plugin.say("rome", MORE)
        plugin.notices.put_nowait("rome")
        await following.until("rome", Told(MORE, SOURCE))


async def test_what_no_notice_tells_is_read_after_a_while() -> None:
    class Often(GrpcPlugin):
        pace = 0.01

    plugin = Speaking(rome=CPU)
    async with speaking(plugin) as address, asyncio.TaskGroup() as tasks:
        following = Following(Answers(Often(address), SOURCE, QUICK))
        running = tasks.create_task(following.answers.run())
        following.answers.want("rome")
        await following.until("rome", Told(CPU, SOURCE))
        await plugin.say("rome", MORE)
        await following.until("rome", Told(MORE, SOURCE))
        running.cancel()
    assert len(following.told) == 2  # the same answer again is no news


async def test_one_that_hangs_for_one_consumer_is_heard_about_the_others() -> None:
    plugin = Speaking(turin=MORE)
    silent = Told(None, SOURCE, "it does not answer within 0.05 s")
    async with speaking(plugin) as address, asking(address, IMPATIENT) as following:
        following.answers.want("rome")
        await following.until("rome", silent)
        following.answers.want("turin")
        await following.until("turin", Told(MORE, SOURCE))
        await plugin.say("rome", CPU)
        await following.until("rome", Told(CPU, SOURCE))


async def test_a_lie_is_no_answer_and_the_last_good_one_stays_with_the_reason() -> None:
    plugin = Speaking(rome=CPU)
    lie = Told(CPU, SOURCE, "it says -1 of cpu, and nobody can have less than nothing")
    async with speaking(plugin) as address, asking(address) as following:
        following.answers.want("rome")
        await following.until("rome", Told(CPU, SOURCE))
        await plugin.say("rome", {"cpu": "-1"})
        plugin.notices.put_nowait("rome")
        await following.until("rome", lie)
        await plugin.say("rome", MORE)
        await following.until("rome", Told(MORE, SOURCE))
    assert [told for _, told in following.told] == [Told(CPU, SOURCE), lie, Told(MORE, SOURCE)]


@pytest.mark.parametrize("nines", ["9" * 100, "9" * 99])
async def test_a_number_without_an_end_is_a_lie_like_others(nines: str) -> None:
    plugin = Speaking(rome={"cpu": nines}, turin=MORE)
    async with speaking(plugin) as address, asking(address) as following:
        following.answers.want("rome")
        await following.until("rome", Told(None, SOURCE, TOO_MUCH))
        following.answers.want("turin")
        await following.until("turin", Told(MORE, SOURCE))


async def test_whatever_an_answer_makes_go_wrong_is_a_reason_and_no_end() -> None:
    class Strange(GrpcPlugin):
        async def read(self, consumer: str) -> tuple[Pool, ...]:
            if consumer == "rome":
                raise RecursionError("it has no end")
            return await super().read(consumer)

    plugin = Speaking(turin=MORE)
    async with speaking(plugin) as address, asyncio.TaskGroup() as tasks:
        following = Following(Answers(Strange(address), SOURCE, QUICK))
        running = tasks.create_task(following.answers.run())
        following.answers.want("rome")
        why = "its answer makes no sense: it has no end"
        await following.until("rome", Told(None, SOURCE, why))
        following.answers.want("turin")
        await following.until("turin", Told(MORE, SOURCE))
        running.cancel()


@asynccontextmanager
async def the_example(port: int, *amounts: str) -> AsyncIterator[None]:
    """A process, which is killed in the end."""
    wanted = [f"--resource={amount}" for amount in amounts]
    process = await asyncio.create_subprocess_exec(
        sys.executable, EXAMPLE, f"--port={port}", *wanted
    )
    try:
        yield
    finally:
        process.kill()
        await process.wait()


async def test_one_that_dies_leaves_its_last_answer_and_is_heard_again_when_it_is_back() -> None:
    async with speaking(Speaking()) as address:
        pass  # the port is free again
    gone = Told(CPU, SOURCE, "it cannot be reached: Connection refused")
    async with asking(address) as following:
        following.answers.want("rome")
        await following.until("rome", replace(gone, resources=None))
        async with the_example(address.port, "cpu=2000m"):
            await following.until("rome", Told(CPU, SOURCE))
        await following.until("rome", gone)
        async with the_example(address.port, "cpu=4"):
            await following.until("rome", Told(MORE, SOURCE))


async def test_the_plugin_is_told_who_goes_until_it_has_heard_it() -> None:
    plugin = Speaking(rome=CPU)
    plugin.lacks.add("patience")
    async with speaking(plugin) as address, asking(address) as following:
        following.answers.want("rome")
        await following.until("rome", Told(CPU, SOURCE))
        following.answers.forget("rome")
        following.answers.forget("rome")
        assert following.answers.values() == []
        await plugin.until(lambda: len(plugin.removed) >= 2)
        plugin.lacks.clear()
        refused = len(plugin.removed)
        await plugin.until(lambda: len(plugin.removed) > refused)
        following.answers.want("rome")
        await following.until("rome", Told(CPU, SOURCE))
    assert plugin.removed == ["rome"] * (refused + 1)


async def test_what_is_said_about_somebody_who_left_meanwhile_is_nobodys() -> None:
    plugin = Speaking()
    async with speaking(plugin) as address, asking(address) as following:
        following.answers.want("rome")
        await plugin.until(lambda: plugin.asked == ["rome"])
        following.answers.forget("rome")
        await plugin.say("rome", CPU)
        await plugin.until(lambda: plugin.removed == ["rome"])
    assert following.told == []


@pytest.mark.parametrize(
    ("pause", "lasted", "next_"),
    [(0.5, 0.0, 1.0), (8.0, 9.9, 10.0), (10.0, 10.0, 10.0), (10.0, 10.1, 0.5), (0.5, 300.0, 0.5)],
)
def test_subscriptions_that_end_at_once_come_ever_more_slowly(
    pause: float, lasted: float, next_: float
) -> None:
    assert after(pause, lasted, Patience()) == next_
