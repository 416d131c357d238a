"""Resource plugins of tests: one that speaks gRPC as it should, and one that sends any bytes."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

from grpclib.const import Cardinality, Handler, Status
from grpclib.exceptions import GRPCError
from grpclib.server import Server, Stream

from liqo.api.values import ResourceList
from liqo.plugin.address import GrpcAddress
from liqo.plugin.grpc import Bytes
from liqo.plugin.messages import consumer_of, identity

Bytestream = Stream[bytes, bytes]
Serve = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


class Speaking:
    """Says what it was told to say; it hangs for consumers that it was told nothing about."""

    def __init__(self, **resources: ResourceList) -> None:
        self.resources = resources  # by consumer
        self.asked: list[str] = []
        self.removed: list[str] = []
        self.notices: asyncio.Queue[str | None] = asyncio.Queue()  # None: the subscription ends
        self.lacks: set[str] = set()  # methods, and virtues
        self._happened = asyncio.Condition()

    async def say(self, consumer: str, resources: ResourceList) -> None:
        self.resources[consumer] = resources
        await self._tell()

    async def until(self, is_so: Callable[[], bool]) -> None:
        async with asyncio.timeout(10), self._happened:
            await self._happened.wait_for(is_so)

    async def read(self, stream: Bytestream) -> None:
        consumer = consumer_of(await stream.recv_message() or b"")
        self.asked.append(consumer)
        await self._tell()
        async with self._happened:
            await self._happened.wait_for(lambda: consumer in self.resources)
        await stream.send_message(answer(self.resources[consumer]))

    async def remove(self, stream: Bytestream) -> None:
        self.removed.append(consumer_of(await stream.recv_message() or b""))
        await self._tell()
        if "sense for it" in self.lacks:
            raise GRPCError(Status.UNIMPLEMENTED)
        if "patience" in self.lacks:
            raise GRPCError(Status.UNAVAILABLE, "not now")
        await stream.send_message(b"")

    async def subscribe(self, stream: Bytestream) -> None:
        await stream.recv_message()
        while (notice := await self.notices.get()) is not None:
            await stream.send_message(identity(notice))

    def __mapping__(self) -> dict[str, Handler]:
        unary, streaming = Cardinality.UNARY_UNARY, Cardinality.UNARY_STREAM
        calls = {
            "ReadResources": Handler(self.read, unary, bytes, bytes),
            "RemoveCluster": Handler(self.remove, unary, bytes, bytes),
            "Subscribe": Handler(self.subscribe, streaming, bytes, bytes),
        }
        return {
            f"/resource_reader/{name}": handler
            for name, handler in calls.items()
            if name not in self.lacks
        }

    async def _tell(self) -> None:
        async with self._happened:
            self._happened.notify_all()


def answer(resources: ResourceList) -> bytes:
    """A ReadResponse, of short names and amounts."""
    entries = (_field(1, name) + _field(2, str(amount)) for name, amount in resources.items())
    return b"".join(b"\x0a" + bytes([len(entry)]) + entry for entry in entries)


def _field(number: int, text: str) -> bytes:
    return bytes([number << 3 | 2, len(text)]) + text.encode()


@asynccontextmanager
async def speaking(plugin: Speaking) -> AsyncIterator[GrpcAddress]:
    server = Server([plugin], codec=Bytes())
    await server.start("127.0.0.1", 0)
    [bound] = server._server.sockets  # type: ignore[union-attr]  # it knows its own port alone
    try:
        yield GrpcAddress("127.0.0.1", bound.getsockname()[1])
    finally:
        for _ in range(3):  # whoever is just coming in must be in, or asyncio forgets its socket
            await asyncio.sleep(0)
        server.close()
        await server.wait_closed()


@asynccontextmanager
async def sending(serve: Serve) -> AsyncIterator[GrpcAddress]:
    """A peer that sends what no gRPC server does."""
    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    try:
        yield GrpcAddress("127.0.0.1", server.sockets[0].getsockname()[1])
    finally:
        server.close()
