"""Requests: what is repeated, what is not, and what each carries."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from liqo.kube.access import Access, Material, User
from liqo.kube.errors import Invalid, ServerFault, Throttled, Unauthorized, Unreachable
from liqo.kube.http import Call, Connection, Limits, Request, proxy_of
from tests.unit.kube.certificates import YESTERDAY, Authority
from tests.unit.kube.scripted import CUT, Answer, Scripted, refuses, says, scripted

GET = Request("GET", "/version")
POST = Request("POST", "/api/v1/pods", b"{}")


@asynccontextmanager
async def connected(
    *answers: Answer, patience: float = 0.0, tell: Callable[[Call], None] | None = None
) -> AsyncIterator[tuple[Connection, Scripted]]:
    async with scripted(*answers) as server:
        connection = Connection(
            server.access,
            name="rome",
            agent="liqo/test",
            limits=Limits(patience=patience),
            tell=tell,
        )
        async with connection:
            yield connection, server


async def test_a_request_says_who_asks_and_what_it_brings() -> None:
    async with connected(says({})) as (connection, server):
        await connection.send(POST)
    asked = server.asked[0]
    assert asked.headers["user-agent"] == "liqo/test"
    assert asked.headers["accept-encoding"] == "identity"
    assert asked.headers["content-type"] == "application/json"
    assert asked.body == b"{}"


async def test_connections_are_used_again() -> None:
    async with connected(says(1), says(2)) as (connection, _):
        assert await connection.send(GET) == b"1"
        assert await connection.send(GET) == b"2"


@pytest.mark.parametrize("fault", [CUT, refuses(503)])
async def test_a_read_is_repeated(fault: Answer) -> None:
    async with connected(fault, fault, says("here")) as (connection, server):
        assert await connection.send(GET) == b'"here"'
    assert len(server.asked) >= 3


async def test_a_read_is_not_repeated_for_ever() -> None:
    async with connected(*[refuses(500)] * 5) as (connection, server):
        with pytest.raises(ServerFault):
            await connection.send(GET)
    assert len(server.asked) == 3


@pytest.mark.parametrize(("fault", "error"), [(CUT, Unreachable), (refuses(500), ServerFault)])
async def test_a_write_that_may_have_arrived_is_not_repeated(
    fault: Answer, error: type[Exception]
) -> None:
    async with connected(fault, says({})) as (connection, server):
        with pytest.raises(error):
            await connection.send(POST)
    assert len(server.asked) == 1


async def test_a_write_that_never_left_is_repeated() -> None:
    async with scripted() as server:
        access = server.access
    async with Connection(access, name="rome", agent="test") as connection:
        with pytest.raises(Unreachable) as refused:
            await connection.send(POST)
    assert not refused.value.sent
    assert not refused.value.lasting


async def test_what_is_put_off_is_repeated_within_patience() -> None:
    later = refuses(429, Retry_After="1")
    async with connected(later, says({}), patience=1.0) as (connection, server):
        await connection.send(POST)
    assert len(server.asked) == 2


async def test_without_patience_the_caller_decides() -> None:
    async with connected(refuses(429, Retry_After="3")) as (connection, _):
        with pytest.raises(Throttled) as later:
            await connection.send(POST)
    assert later.value.retry_after == 3.0


async def test_a_refusal_is_not_repeated() -> None:
    async with connected(refuses(422, "no such field")) as (connection, server):
        with pytest.raises(Invalid, match="rome: no such field"):
            await connection.send(GET)
    assert len(server.asked) == 1


async def test_newer_credentials_are_tried_once(tmp_path: Path) -> None:
    token = tmp_path / "token"
    token.write_text("old")
    user = User(token=Material(file=str(token)))
    async with scripted(says({}), refuses(401), says("in")) as server:
        access = replace(server.access, user=user)
        async with Connection(access, name="rome", agent="test") as connection:
            await connection.send(GET)
            token.write_text("newer")
            assert await connection.send(POST) == b'"in"'
    said = [asked.headers["authorization"] for asked in server.asked]
    assert said == ["Bearer old", "Bearer old", "Bearer newer"]


async def test_refused_credentials_are_named() -> None:
    async with connected(refuses(401)) as (connection, _):
        with pytest.raises(Unauthorized, match="does not accept the credentials of the test"):
            await connection.send(GET)


async def test_an_expired_client_certificate_is_named() -> None:
    authority = Authority()
    mine = authority.pair("me", end=YESTERDAY)
    tls = authority.pair("server").server()
    async with scripted(refuses(401), tls=tls) as server:
        access = replace(
            server.access,
            authority=Material(authority.certificate),
            user=User(certificate=Material(mine.certificate), key=Material(mine.key)),
        )
        async with Connection(access, name="rome", agent="test") as connection:
            with pytest.raises(Unauthorized, match="client certificate of the test expired on"):
                await connection.send(GET)


async def test_every_call_is_told() -> None:
    calls: list[Call] = []
    async with connected(says({}), CUT, tell=calls.append) as (connection, _):
        await connection.send(POST)
        with pytest.raises(Unreachable):
            await connection.send(POST)
    assert [(call.verb, call.path, call.code) for call in calls] == [
        ("POST", "/api/v1/pods", 200),
        ("POST", "/api/v1/pods", 0),
    ]


async def read(connection: Connection, into: list[bytes], silence: float = 10) -> None:
    async with connection.stream(GET, silence=silence) as chunks:
        async for chunk in chunks:
            into.append(chunk)


async def test_a_stream_comes_in_chunks() -> None:
    seen: list[bytes] = []
    async with connected(Answer(b"some log", cut=True)) as (connection, _):
        with pytest.raises(Unreachable, match="was lost"):
            await read(connection, seen)
    assert seen == [b"some log"]


async def test_a_mistake_of_the_reader_is_not_the_servers() -> None:
    async with connected(Answer(b"a")) as (connection, _):
        with pytest.raises(BrokenPipeError):
            async with connection.stream(GET):
                raise BrokenPipeError


async def test_a_silent_stream_ends() -> None:
    async with connected(Answer(b"a", stays=True)) as (connection, _):
        with pytest.raises(Unreachable, match="did not answer in time"):
            await read(connection, [], silence=0.05)


async def test_a_refused_stream_is_an_error() -> None:
    async with connected(refuses(400, "no")) as (connection, _):
        with pytest.raises(Invalid):
            async with connection.stream(GET):
                pass


async def test_a_connection_is_open_only_inside_its_with() -> None:
    with pytest.raises(RuntimeError):
        await Connection(Access("http://rome"), name="rome", agent="test").send(GET)


async def test_a_proxy_of_the_kubeconfig_is_used() -> None:
    async with scripted(says("through the proxy")) as proxy:
        access = Access("http://rome.invalid", proxy=proxy.access.server)
        async with Connection(access, name="rome", agent="test") as connection:
            assert await connection.send(GET) == b'"through the proxy"'
    assert proxy.asked[0].path == "http://rome.invalid/version"


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "[::1]"])
def test_this_machine_is_never_reached_through_a_proxy_of_the_environment(host: str) -> None:
    environment = {"https": "http://proxy:3128"}
    assert proxy_of(Access(f"https://{host}:6443"), environment) == ""
    assert proxy_of(Access("https://rome.example.com"), environment) == "http://proxy:3128"
    assert proxy_of(Access("https://rome", proxy="http://mine"), environment) == "http://mine"


def test_hosts_that_the_environment_exempts_are_reached_directly() -> None:
    environment = {"https": "http://proxy:3128", "no": ".example.com"}
    assert proxy_of(Access("https://rome.example.com"), environment) == ""


async def test_other_credentials_count_from_the_next_request() -> None:
    async with connected(says(1), says(2)) as (connection, server):
        await connection.send(GET)
        user = User(token=Material(data="new"))
        connection.swap(replace(server.access, user=user))
        await connection.send(GET)
    assert "authorization" not in server.asked[0].headers
    assert server.asked[1].headers["authorization"] == "Bearer new"
