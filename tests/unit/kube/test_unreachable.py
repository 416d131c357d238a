"""Each reason for which an API server cannot be reached has its own sentence."""

from __future__ import annotations

import asyncio
import errno
import ssl
from dataclasses import replace

import pytest

from liqo.kube.access import Access, Material
from liqo.kube.errors import Unreachable
from liqo.kube.http import Connection, Request
from liqo.kube.unreachable import unreachable
from tests.unit.kube.certificates import YESTERDAY, Authority
from tests.unit.kube.scripted import Answer, scripted

ROME = Access("https://rome:6443", source="context rome of ~/.kube/config")
AUTHORITY = Authority()
TRUST = Material(data=AUTHORITY.certificate)


async def why(access: Access) -> Unreachable:
    async with Connection(access, name="rome", agent="test") as connection:
        with pytest.raises(Unreachable) as caught:
            await connection.send(Request("GET", "/version"))
    return caught.value


async def test_a_host_that_does_not_resolve() -> None:
    error = await why(Access("https://nowhere.invalid:6443"))
    assert str(error) == (
        "The API server of rome, https://nowhere.invalid:6443, "
        "has a host that does not resolve: nowhere.invalid"
    )
    assert error.lasting


async def test_a_port_where_nobody_listens() -> None:
    error = await why(Access("http://127.0.0.1:1"))
    assert "refused the connection: is it running" in str(error)
    assert not error.sent


async def test_a_certificate_for_another_name() -> None:
    pair = AUTHORITY.pair("server", hosts=["kubernetes", "10.0.0.1"])
    async with scripted(tls=pair.server()) as server:
        error = await why(replace(server.access, authority=TRUST))
    assert "has a certificate for other names than 127.0.0.1" in str(error)


async def test_the_name_to_expect_can_be_set() -> None:
    pair = AUTHORITY.pair("server", hosts=["kubernetes"])
    async with scripted(Answer(b"hello"), tls=pair.server()) as server:
        access = replace(server.access, authority=TRUST, server_name="kubernetes")
        async with Connection(access, name="rome", agent="test") as connection:
            assert await connection.send(Request("GET", "/")) == b"hello"


async def test_a_server_certificate_that_has_expired() -> None:
    pair = AUTHORITY.pair("server", end=YESTERDAY)
    async with scripted(tls=pair.server()) as server:
        error = await why(replace(server.access, authority=TRUST))
    assert "has a certificate that has expired: renew it there" in str(error)


async def test_an_authority_that_nobody_told_us_of() -> None:
    async with scripted(tls=AUTHORITY.pair("server").server()) as server:
        error = await why(replace(server.access, authority=Material(Authority().certificate)))
    assert "has a certificate that the test gives no reason to trust" in str(error)


async def test_whoever_does_not_want_to_know_trusts_anybody() -> None:
    pair = AUTHORITY.pair("server", hosts=["other"], end=YESTERDAY)
    async with scripted(Answer(b"hello"), tls=pair.server()) as server:
        access = replace(server.access, insecure=True)
        async with Connection(access, name="rome", agent="test") as connection:
            assert await connection.send(Request("GET", "/")) == b"hello"


async def test_a_port_that_speaks_no_tls() -> None:
    async def refuse(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.0 400 this is plain http\r\n\r\n")
        writer.close()

    async with await asyncio.start_server(refuse, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        error = await why(Access(f"https://127.0.0.1:{port}"))
    assert "does not speak TLS at this address" in str(error)


@pytest.mark.parametrize(
    ("reason", "sentence"),
    [
        ("SSLV3_ALERT_CERTIFICATE_EXPIRED", "refused our client certificate: it has expired"),
        ("TLSV13_ALERT_CERTIFICATE_REQUIRED", "refused our client certificate: tlsv13 alert"),
        ("UNEXPECTED_EOF_WHILE_READING", "failed at TLS: unexpected eof while reading"),
    ],
)
def test_what_the_server_found_wrong_with_us(reason: str, sentence: str) -> None:
    wrong = ssl.SSLError(1, "no")
    wrong.reason = reason
    assert sentence in str(unreachable(wrong, ROME, "rome", sent=False))


@pytest.mark.parametrize(
    ("code", "sentence"),
    [(9, "is not valid yet: is the clock"), (23, "that we cannot accept: revoked")],
)
def test_what_we_found_wrong_with_the_server(code: int, sentence: str) -> None:
    wrong = ssl.SSLCertVerificationError(1, "no")
    wrong.verify_code, wrong.verify_message = code, "revoked"
    assert sentence in str(unreachable(wrong, ROME, "rome", sent=False))


def test_a_timeout() -> None:
    error = unreachable(TimeoutError(), ROME, "rome", sent=True)
    assert "did not answer in time" in str(error)
    assert error.sent


def test_the_real_cause_is_found_behind_others() -> None:
    wrapped = OSError("wrapped")
    wrapped.__cause__ = ConnectionRefusedError(111, "refused")
    assert "refused the connection" in str(unreachable(wrapped, ROME, "rome", sent=True))


def test_anything_else_is_quoted() -> None:
    error = unreachable(OSError("the cable is cut"), ROME, "rome", sent=True)
    assert str(error).endswith("was lost: the cable is cut")
    away = OSError(errno.EHOSTUNREACH, "No route to host")
    assert str(unreachable(away, ROME, "rome", sent=False)).endswith("there is no route to it")
    assert "was lost: OSError" in str(unreachable(OSError(), ROME, "rome", sent=True))
