"""A resource plugin over gRPC that gives every consumer the same: --resource cpu=2000m …"""

import argparse
import asyncio
from types import SimpleNamespace

from grpclib.const import Cardinality, Handler
from grpclib.server import Server, Stream

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--port", type=int, default=6001)
parser.add_argument("--resource", action="append", default=[], help="such as memory=4Gi")
told = parser.parse_args()


def resources_of(consumer: str) -> dict[str, str]:
    """Your part: what this consumer gets, as names and quantities of Kubernetes."""
    return dict(each.split("=", 1) for each in told.resource)


class Bytes(bytes):
    """A message as it is sent, in place of the classes that protoc makes."""

    SerializeToString, FromString = bytes.__bytes__, classmethod(bytes.__new__)


def field(number: int, content: bytes) -> bytes:
    """Of a protobuf message; its content is shorter than 128 bytes here."""
    return bytes([number << 3 | 2, len(content)]) + content


async def read(stream: Stream[Bytes, Bytes]) -> None:
    gets = resources_of((await stream.recv_message() or b"")[2:].decode()).items()
    pairs = (field(1, name.encode()) + field(2, field(1, much.encode())) for name, much in gets)
    await stream.send_message(Bytes(b"".join(field(1, pair) for pair in pairs)))


async def subscribe(stream: Stream[Bytes, Bytes]) -> None:
    await stream.send_message(Bytes())  # "ask again, for everybody"; also later, when it changes
    await asyncio.Event().wait()


CALLS = {
    "/resource_reader/ReadResources": Handler(read, Cardinality.UNARY_UNARY, Bytes, Bytes),
    "/resource_reader/Subscribe": Handler(subscribe, Cardinality.UNARY_STREAM, Bytes, Bytes),
}


async def main() -> None:
    await Server([SimpleNamespace(__mapping__=lambda: CALLS)]).start(port=told.port)
    await asyncio.Event().wait()


asyncio.run(main())
