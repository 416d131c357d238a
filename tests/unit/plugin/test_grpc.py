"""A plugin over gRPC: heard when it speaks, and in all other cases a sentence about why not."""

from __future__ import annotations

import asyncio
from contextlib import aclosing

import pytest
from grpclib.const import Cardinality, Handler, Status
from grpclib.exceptions import GRPCError

from liqo.plugin.address import GrpcAddress
from liqo.plugin.errors import Silent
from liqo.plugin.grpc import GrpcPlugin
from tests.unit.plugin.speaking import Bytestream, Serve, Speaking, sending, speaking

SETTINGS = b"\x00\x00\x00\x04\x00\x00\x00\x00\x00"  # a frame of HTTP/2: this speaks it


async def test_it_is_asked_about_one_consumer_and_says_what_that_one_gets() -> None:
    plugin = Speaking(rome={"cpu": "2", "memory": "4Gi"})
    async with speaking(plugin) as address:
        assert await GrpcPlugin(address).read("rome") == ({"cpu": "2", "memory": "4Gi"},)
    assert plugin.asked == ["rome"]


async def test_it_is_told_of_consumers_that_go() -> None:
    plugin = Speaking()
    async with speaking(plugin) as address:
        await GrpcPlugin(address).remove("rome")
    assert plugin.removed == ["rome"]


@pytest.mark.parametrize("lacks", ["RemoveCluster", "sense for it"])
async def test_one_that_does_not_want_to_know_who_goes_is_left_alone(lacks: str) -> None:
    """It has no such method, or one that says that it is none."""
    plugin = Speaking()
    plugin.lacks.add(lacks)
    async with speaking(plugin) as address:
        await GrpcPlugin(address).remove("rome")


async def test_one_that_failed_to_hear_who_goes_says_so() -> None:
    plugin = Speaking()
    plugin.lacks.add("patience")
    async with speaking(plugin) as address:
        with pytest.raises(Silent, match="it refuses: UNAVAILABLE, not now"):
            await GrpcPlugin(address).remove("rome")


async def test_its_notices_are_heard_until_it_ends_them() -> None:
    plugin = Speaking()
    for notice in ("rome", "", None):
        plugin.notices.put_nowait(notice)
    async with speaking(plugin) as address:
        assert [each async for each in GrpcPlugin(address).notices()] == ["rome", ""]


async def test_notices_may_be_left_while_it_goes_on() -> None:
    plugin = Speaking()
    plugin.notices.put_nowait("rome")
    async with (
        asyncio.timeout(10),
        speaking(plugin) as address,
        aclosing(GrpcPlugin(address).notices()) as notices,
    ):
        assert await anext(notices) == "rome"


class Refusing(Speaking):
    """Answers each way in which an answer is none."""

    async def read(self, stream: Bytestream) -> None:
        consumer = (await stream.recv_message() or b"")[2:]
        if consumer == b"poor":
            raise GRPCError(Status.NOT_FOUND, "no\nsuch consumer")
        await stream.send_message(b"\xff\xff")


@pytest.mark.parametrize(
    ("consumer", "why"),
    [
        ("poor", "^it refuses: NOT_FOUND, no such consumer$"),
        ("odd", "^its answer makes no sense: the message ends in the middle of a number$"),
    ],
)
async def test_an_answer_that_is_none_is_a_reason(consumer: str, why: str) -> None:
    async with speaking(Refusing()) as address:
        with pytest.raises(Silent, match=why):
            await GrpcPlugin(address).read(consumer)


async def test_a_service_of_another_name_is_refused() -> None:
    class Other(Speaking):
        def __mapping__(self) -> dict[str, Handler]:
            return {"/other/Read": Handler(self.read, Cardinality.UNARY_UNARY, bytes, bytes)}

    async with speaking(Other()) as address:
        with pytest.raises(Silent, match="it refuses: "):
            await GrpcPlugin(address).read("rome")


async def hang_up(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    await reader.read(10)
    writer.close()


async def speak_http(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    await reader.read(10)
    writer.write(b"HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n")
    writer.close()


def says(**headers: str) -> Serve:
    """Headers, and that this was all."""
    named = {":status": "200", **{name.replace("_", "-"): text for name, text in headers.items()}}
    block = b"".join(b"\x00" + _text(name) + _text(text) for name, text in named.items())
    frame = len(block).to_bytes(3, "big") + b"\x01\x05\x00\x00\x00\x01" + block

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\x0a\x04rome")  # the end of the request
        writer.write(SETTINGS + frame)
        await reader.read()
        writer.close()

    return serve


def _text(text: str) -> bytes:
    return bytes([len(text)]) + text.encode()


@pytest.mark.parametrize(
    ("serve", "why"),
    [
        (hang_up, "^it hangs up: Connection lost$"),
        (speak_http, "^it hangs up: Connection lost$"),
        (says(), "^it refuses: UNKNOWN, Missing content-type header$"),
        (says(content_type="application/grpc", grpc_status="0"), "^it ends the call without an"),
    ],
)
async def test_who_does_not_speak_grpc_is_not_heard(serve: Serve, why: str) -> None:
    async with asyncio.timeout(10), sending(serve) as address:
        with pytest.raises(Silent, match=why):
            await GrpcPlugin(address).read("rome")


async def test_nobody_listens_there() -> None:
    async with speaking(Speaking()) as address:
        pass
    with pytest.raises(Silent, match=r"^it cannot be reached: Connection refused$"):
        await GrpcPlugin(address).read("rome")
    with pytest.raises(Silent, match=r"^it cannot be reached: Connection refused$"):
        await GrpcPlugin(address).remove("rome")


async def test_there_is_no_such_host() -> None:
    with pytest.raises(Silent, match=r"^it cannot be reached: "):
        await GrpcPlugin(GrpcAddress("plugin.invalid", 6001)).read("rome")
