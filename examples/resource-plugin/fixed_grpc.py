"""A resource plugin over gRPC that gives every consumer the same: --resource cpu=2000m …"""

import argparse
import asyncio
from typing import Any

from grpclib.const import Cardinality, Handler
from grpclib.encoding.base import CodecBase
from grpclib.server import Server, Stream

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--port", type=int, default=6001)
parser.add_argument("--resource", action="append", default=[], help="such as memory=4Gi")
told = parser.parse_args()


def resources_of(consumer: str) -> dict[str, str]:
    """Your part: what this consumer gets, as names and quantities of Kubernetes."""
    return dict(each.split("=", 1) for each in told.resource)


class Plugin:
    async def read(self, stream: Stream[bytes, bytes]) -> None:
        asked = await stream.recv_message() or b"\n\0"
        answer = b""
        for name, amount in resources_of(asked[2:].decode()).items():
            answer += field(1, field(1, name.encode()) + field(2, field(1, amount.encode())))
        await stream.send_message(answer)

    async def subscribe(self, stream: Stream[bytes, bytes]) -> None:
        await stream.recv_message()
        await stream.send_message(b"")  # "ask again, for everybody"; also later, when it changes
        await asyncio.Event().wait()

    async def remove(self, stream: Stream[bytes, bytes]) -> None:
        await stream.recv_message()
        await stream.send_message(b"")

    def __mapping__(self) -> dict[str, Handler]:
        unary, streaming = Cardinality.UNARY_UNARY, Cardinality.UNARY_STREAM
        return {
            "/resource_reader/ReadResources": Handler(self.read, unary, bytes, bytes),
            "/resource_reader/Subscribe": Handler(self.subscribe, streaming, bytes, bytes),
            "/resource_reader/RemoveCluster": Handler(self.remove, unary, bytes, bytes),
        }


class Bytes(CodecBase):
    """Messages as they are; with classes made by protoc this is not needed."""

    __content_subtype__ = "proto"

    def encode(self, message: Any, message_type: Any) -> bytes:
        return bytes(message)

    def decode(self, data: bytes, message_type: Any) -> bytes:
        return data


def field(number: int, content: bytes) -> bytes:
    """Of a protobuf message; its content is shorter than 128 bytes here."""
    return bytes([number << 3 | 2, len(content)]) + content


async def main() -> None:
    server = Server([Plugin()], codec=Bytes())
    await server.start(port=told.port)
    await server.wait_closed()


asyncio.run(main())
