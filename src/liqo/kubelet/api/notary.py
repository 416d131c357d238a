"""What needs cryptography, done by a process that ends.

The library is 9 MB of memory, and a kubelet needs it for a moment in weeks.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from datetime import datetime
from typing import TypeVar

import msgspec

from liqo.rules.serving import Serving

T = TypeVar("T")


class Draft(msgspec.Struct, frozen=True):
    key: bytes  # PEM
    request: bytes  # to be signed


class Signed(msgspec.Struct, frozen=True):
    certificate: bytes
    now: datetime


async def draft(wanted: Serving) -> Draft:
    """A new key, and the request of who holds it."""
    return await _done("draft", wanted, Draft)


async def seconds_until_renewal(certificate: bytes, now: datetime) -> float:
    """ValueError where it is none."""
    return await _done("seconds_until_renewal", Signed(certificate, now), float)


async def _done(task: str, matter: object, kind: type[T]) -> T:
    notary = await asyncio.create_subprocess_exec(
        *(sys.executable, "-P", "-m", __name__, task),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    answer, why = await notary.communicate(msgspec.json.encode(matter))
    if notary.returncode != 0:
        raise ValueError(why.decode().strip().rpartition("\n")[2])
    return msgspec.json.decode(answer, type=kind)


def drafted(matter: bytes) -> Draft:
    from liqo.rules import certificates, keys

    key = certificates.new_key()
    wanted = msgspec.json.decode(matter, type=Serving)
    return Draft(keys.private_pem(key), certificates.request_to_serve(key, wanted))


def left(matter: bytes) -> float:
    from liqo.rules import certificates

    asked = msgspec.json.decode(matter, type=Signed)
    return certificates.seconds_until_renewal(asked.certificate, asked.now)


TASKS: dict[str, Callable[[bytes], object]] = {
    "draft": drafted,
    "seconds_until_renewal": left,
}

if __name__ == "__main__":
    sys.stdout.buffer.write(msgspec.json.encode(TASKS[sys.argv[1]](sys.stdin.buffer.read())))
