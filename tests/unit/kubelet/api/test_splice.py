"""Two connections that became one."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

from liqo.kubelet.api.splice import End, splice
from tests.unit.kubelet.api.connections import a_pair

HOUR = 3600.0
Spliced = tuple[End, End, asyncio.Task[None]]


@pytest.fixture
async def joined() -> AsyncIterator[tuple[End, End, End, End]]:
    """Client, our end to it; our end to the provider, the provider."""
    async with a_pair() as (client, here), a_pair() as (there, provider):
        yield client, here, there, provider


async def test_bytes_go_both_ways_and_the_end_of_one_is_the_end_of_both(
    joined: tuple[End, End, End, End],
) -> None:
    client, here, there, provider = joined
    async with asyncio.timeout(10), asyncio.TaskGroup() as tasks:
        tasks.create_task(splice(here, there, HOUR))
        client.writer.write(b"ping")
        assert await provider.reader.readexactly(4) == b"ping"
        provider.writer.write(b"pong")
        assert await client.reader.readexactly(4) == b"pong"
        client.writer.close()
        assert await provider.reader.read() == b""


async def test_what_the_provider_said_last_arrives(joined: tuple[End, End, End, End]) -> None:
    client, here, there, provider = joined
    much = b"x" * 1_000_000
    async with asyncio.timeout(10), asyncio.TaskGroup() as tasks:
        tasks.create_task(splice(here, there, HOUR))
        provider.writer.write(much)
        provider.writer.close()
        assert await client.reader.read() == much


async def test_a_slow_reader_slows_the_writer(joined: tuple[End, End, End, End]) -> None:
    client, here, there, provider = joined
    much = b"x" * 8_000_000
    async with asyncio.timeout(10), asyncio.TaskGroup() as tasks:
        splicing = tasks.create_task(splice(here, there, HOUR))
        provider.writer.write(much)
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.2):
                await provider.writer.drain()
        assert here.writer.transport.get_write_buffer_size() < 1_000_000
        reading = tasks.create_task(client.reader.readexactly(len(much)))
        await provider.writer.drain()
        assert await reading == much
        splicing.cancel()


async def test_after_silence_both_are_closed(joined: tuple[End, End, End, End]) -> None:
    client, here, there, provider = joined
    async with asyncio.timeout(10):
        await splice(here, there, 0.05)
        assert await client.reader.read() == await provider.reader.read() == b""


async def test_a_word_now_and_then_keeps_it_open(joined: tuple[End, End, End, End]) -> None:
    client, here, there, provider = joined
    async with asyncio.timeout(10), asyncio.TaskGroup() as tasks:
        splicing = tasks.create_task(splice(here, there, 2.0))
        for _ in range(4):
            await asyncio.sleep(0.6)
            client.writer.write(b"x")
            assert await provider.reader.readexactly(1) == b"x"
        splicing.cancel()


async def test_an_end_that_breaks_is_an_end(joined: tuple[End, End, End, End]) -> None:
    _, here, there, provider = joined
    here.reader.set_exception(ConnectionResetError())
    async with asyncio.timeout(10):
        await splice(here, there, HOUR)
        assert await provider.reader.read() == b""
