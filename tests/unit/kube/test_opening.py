"""Who has begun lets the next one begin, once."""

from __future__ import annotations

import asyncio

import pytest

from liqo.kube.opening import Opening


async def test_who_has_got_going_gives_its_turn_to_the_next() -> None:
    turns = asyncio.Semaphore(1)
    async with Opening(turns) as first:
        assert turns.locked()
        first.over()
        async with Opening(turns):
            assert turns.locked()
            first.over()
            assert turns.locked(), "it has no other to give"
    assert not turns.locked()


async def test_who_fails_gives_it_back_as_well() -> None:
    turns = asyncio.Semaphore(1)
    with pytest.raises(ValueError, match="no answer"):
        async with Opening(turns):
            raise ValueError("no answer")
    assert not turns.locked()
