"""A provider that our controllers cannot use is not waited for."""

from __future__ import annotations

import pytest

from liqo.cli.peering.silence import attentive, revive, silent_at
from liqo.errors import LiqoError
from liqo.kube.errors import Forbidden
from tests.unit.cli.peering.pairs import Borrower, a_summary, scene, staged
from tests.unit.kube.scripted import Scripted, refuses, says


@pytest.mark.parametrize(
    ("said", "where"), [("Error", "https://10.0.0.1:6443"), ("Established", "")]
)
async def test_a_provider_answers_unless_our_controllers_know_better(said: str, where: str) -> None:
    async with scene(rome=[says(a_summary(said)), refuses(404)]) as both:
        assert await silent_at(both.pair.consumer, "milan") == where
        assert await silent_at(both.pair.consumer, "nowhere") == ""


async def test_a_silent_provider_is_declared_dead_and_told_of_once() -> None:
    rome, told = Borrower("Error"), list[str]()
    async with staged(rome, Scripted()) as both, attentive(both.loan, told.append) as given_up:
        await rome.freed.wait()
    assert given_up.is_set()
    assert told == ["https://10.0.0.1:6443"]
    assert rome.declared == ["true"]


async def test_one_that_answers_is_left_alone() -> None:
    rome, told = Borrower("Established"), list[str]()
    async with staged(rome, Scripted()) as both, attentive(both.loan, told.append) as given_up:
        await rome.until_asked(2)  # what is there, and what changes
    assert not given_up.is_set()
    assert (told, rome.declared) == ([], [])


async def test_what_goes_wrong_meanwhile_is_told_as_it_is() -> None:
    async with staged(Borrower("Established"), Scripted()) as both:
        with pytest.raises(LiqoError, match="it took too long"):
            async with attentive(both.loan, print):
                raise LiqoError("it took too long")


async def test_who_may_not_look_is_told_so() -> None:
    async with scene(rome=[refuses(403)]) as both:
        with pytest.raises(Forbidden):
            async with attentive(both.loan, print):
                await both.milan.until_asked(1)


async def test_what_was_declared_is_taken_back_where_there_is_something_left_of_it() -> None:
    rome = Borrower("Error")
    async with staged(rome, Scripted()) as both:
        await revive(both.loan)
    assert rome.declared == [None]
    async with scene(rome=[refuses(404)]) as both:
        await revive(both.loan)
