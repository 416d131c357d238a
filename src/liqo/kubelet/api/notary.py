"""What needs cryptography, done by a process that ends.

The library is 9 MB of memory, and a kubelet needs it for a moment in weeks.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import TypeVar

import msgspec

from liqo.rules.serving import Serving

T = TypeVar("T")
YEAR = timedelta(days=365)  # that a certificate lives which nobody else signs, as on the wire


class Draft(msgspec.Struct, frozen=True):
    key: bytes  # PEM
    request: bytes  # to be signed


class Shown(msgspec.Struct, frozen=True):
    certificate: bytes
    key: bytes


class Alone(msgspec.Struct, frozen=True):
    wanted: Serving
    now: datetime


class Signed(msgspec.Struct, frozen=True):
    certificate: bytes
    now: datetime


async def draft(wanted: Serving) -> Draft:
    """A new key, and the request of who holds it."""
    return await _done("draft", wanted, Draft)


async def self_signed(wanted: Serving, now: datetime) -> Shown:
    """A new key, and a certificate for which it alone vouches."""
    return await _done("self_signed", Alone(wanted, now), Shown)


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


def signed_alone(matter: bytes) -> Shown:
    from liqo.rules import certificates

    asked = msgspec.json.decode(matter, type=Alone)
    made = certificates.self_signed(asked.wanted, certificates.Lifetime(asked.now, YEAR))
    return Shown(made.certificate_pem, made.key_pem)


def left(matter: bytes) -> float:
    from liqo.rules import certificates

    asked = msgspec.json.decode(matter, type=Signed)
    return certificates.seconds_until_renewal(asked.certificate, asked.now)


TASKS: dict[str, Callable[[bytes], object]] = {
    "draft": drafted,
    "self_signed": signed_alone,
    "seconds_until_renewal": left,
}

if __name__ == "__main__":
    sys.stdout.buffer.write(msgspec.json.encode(TASKS[sys.argv[1]](sys.stdin.buffer.read())))
