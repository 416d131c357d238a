"""A resource plugin that speaks gRPC, as plugins of Liqo 0.x do: the service `resource_reader`.

Each call has a connection of its own. There are few of them, and a plugin that was replaced, or
that hangs with one consumer, holds up nobody else.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from grpclib.client import Channel, Stream
from grpclib.const import Cardinality, Status
from grpclib.encoding.base import CodecBase
from grpclib.exceptions import GRPCError, StreamTerminatedError

from liqo.plugin.address import GrpcAddress
from liqo.plugin.errors import Silent
from liqo.plugin.judgement import out_of_reach, shortened
from liqo.plugin.messages import NOBODY, SERVICE, Pool, consumer_of, identity, pools_of

NO_CONTENT_TYPE = "Missing content-type header"  # in the words of grpclib
PACE = 30.0  # seconds: it tells by itself what changes, so this is for what was missed


class GrpcPlugin:
    pace = PACE

    def __init__(self, address: GrpcAddress) -> None:
        self._address = address

    async def read(self, consumer: str) -> tuple[Pool, ...]:
        async with self._call("ReadResources", identity(consumer)) as stream:
            answer = await stream.recv_message()
            if answer is None:
                raise Silent("it ends the call without an answer")
            return pools_of(answer)

    async def remove(self, consumer: str) -> None:
        """A plugin that keeps nothing of its consumers need not have this method."""
        try:
            async with self._call("RemoveCluster", identity(consumer)) as stream:
                await stream.recv_message()
        except Silent as wrong:
            if not is_missing(wrong.__cause__):
                raise

    async def notices(self) -> AsyncGenerator[str, None]:
        """Consumers whose resources changed, as long as the plugin says so; "" means all."""
        streaming = Cardinality.UNARY_STREAM
        async with self._call("Subscribe", NOBODY, streaming) as stream:
            async for notice in stream:
                yield consumer_of(notice)

    @asynccontextmanager
    async def _call(
        self, method: str, message: bytes, cardinality: Cardinality = Cardinality.UNARY_UNARY
    ) -> AsyncIterator[Stream[bytes, bytes]]:
        channel = Channel(self._address.host, self._address.port, codec=Bytes())
        path = f"/{SERVICE}/{method}"
        try:
            async with channel.request(path, cardinality, bytes, bytes) as stream:
                await stream.send_message(message, end=True)
                yield stream
        except Silent:
            raise
        except Exception as wrong:  # bytes without sense end in whatever the library stumbles over
            raise Silent(_reason(wrong)) from wrong
        finally:
            channel.close()


def is_missing(wrong: BaseException | None) -> bool:
    """Whether the plugin says that it has no such method.

    A server of grpclib says so without a content type, and its client then looks no further.
    """
    if not isinstance(wrong, GRPCError):
        return False
    return wrong.status is Status.UNIMPLEMENTED or wrong.message == NO_CONTENT_TYPE


def _reason(wrong: Exception) -> str:
    match wrong:
        case GRPCError():
            said = f", {wrong.message}" if wrong.message else ""
            return shortened(f"it refuses: {wrong.status.name}{said}")
        case OSError():
            return out_of_reach(wrong)
        case StreamTerminatedError():
            return shortened(f"it hangs up: {wrong}")
        case _:
            return shortened(f"its answer makes no sense: {str(wrong) or type(wrong).__name__}")


class Bytes(CodecBase):
    """Messages are read and written in messages.py."""

    __content_subtype__ = "proto"

    def encode(self, message: Any, message_type: Any) -> bytes:
        return bytes(message)

    def decode(self, data: bytes, message_type: Any) -> bytes:
        return data
