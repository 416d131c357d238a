"""The port of a kubelet, over real TLS: who comes in, what is passed on, what never is."""

from __future__ import annotations

import asyncio
import gc
import os
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime

import aiohttp
import msgspec
import pytest
import uvloop

from liqo.kube.access import Access
from liqo.kube.cluster import Cluster
from liqo.kubelet.api.door import Door
from liqo.kubelet.api.endpoints import Endpoints
from liqo.kubelet.api.figures import Figures
from liqo.kubelet.api.gate import Gate
from liqo.kubelet.api.server import Listening, Server
from liqo.kubelet.api.splice import End, Half
from liqo.kubelet.api.tls import Tls
from liqo.rules.certificates import Pair
from tests.e2e.control_plane import free_port
from tests.e2e.eventually import eventually
from tests.unit.kube.scripted import CUT, Answer, Asked, Scripted, refuses, scripted, serving
from tests.unit.kubelet.api.authorities import a_client, a_server, an_authority, told
from tests.unit.kubelet.api.things import SITE, a_pod, known

CA = an_authority()
HEALTH = b"GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
UPGRADE = "Connection: Upgrade\r\nUpgrade: SPDY/3.1\r\nX-Stream-Protocol-Version: v4\r\n\r\n"
EXEC = f"POST /exec/shop/web/main?output=1&command=id HTTP/1.1\r\nHost: x\r\n{UPGRADE}"
SWITCHED = b"HTTP/1.1 101 Switching Protocols\r\nX-Stream-Protocol-Version: v4\r\n\r\n"


class Home(Scripted):
    """The consumer's API server: `admin` may everything, `reader` may read, others may nothing."""

    def answer(self, asked: Asked) -> Answer | None:
        spec = msgspec.json.decode(asked.body)["spec"]
        if "token" in spec:
            user = {"username": spec["token"]}
            return reply({"authenticated": spec["token"] != "expired", "user": user})
        verb = spec["resourceAttributes"]["verb"]
        allowed = spec["user"] == "admin" or (spec["user"], verb) == ("reader", "get")
        return reply({"allowed": allowed})


def reply(status: object) -> Answer:
    return Answer(msgspec.json.encode({"status": status}), 201)


@dataclass
class Provider:
    """The other API server: it upgrades, and then says everything back."""

    heads: list[bytes] = field(default_factory=list)
    ended: asyncio.Event = field(default_factory=asyncio.Event)

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.heads.append(await reader.readuntil(b"\r\n\r\n"))
        writer.write(SWITCHED)
        while chunk := await reader.read(65536):
            writer.write(chunk)
            await writer.drain()
        writer.close()
        self.ended.set()


@asynccontextmanager
async def upgrading() -> AsyncIterator[tuple[Provider, Access]]:
    provider = Provider()
    async with await asyncio.start_server(provider.serve, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        yield provider, Access(f"http://127.0.0.1:{port}")


@dataclass
class Kubelet:
    port: int
    tls: Tls
    home: Home

    async def connect(self, user: str = "", authority: Pair = CA) -> End:
        context = a_client(CA, user, of=authority)
        return End(*await asyncio.open_connection("127.0.0.1", self.port, ssl=context))

    async def get(self, path: str, user: str = "", token: str = "") -> tuple[int, str]:
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        connector = aiohttp.TCPConnector(ssl=a_client(CA, user))
        async with aiohttp.ClientSession(connector=connector) as session:
            url = f"https://127.0.0.1:{self.port}{path}"
            async with session.get(url, headers=headers) as answer:
                return answer.status, await answer.text()

    async def say(self, words: bytes, user: str = "", authority: Pair = CA) -> bytes:
        """What is answered until the connection ends."""
        end = await self.connect(user, authority)
        end.writer.write(words)
        try:
            return await end.reader.read()
        except OSError:
            return b""  # TLS refused us
        finally:
            end.writer.close()


@asynccontextmanager
async def serving_at(provider: Access, idle: float = 3600.0) -> AsyncIterator[Kubelet]:
    tls = Tls()
    tls.believe(None, told(CA))
    tls.show(a_server(CA))
    port = free_port()
    async with serving(Home()) as home, Cluster(home.access) as here, Cluster(provider) as there:
        endpoints = Endpoints(
            SITE, there, known(a_pod("web")), lambda: datetime.now(UTC), Figures(there, SITE)
        )
        server = Server(Listening(port, idle), tls, Gate(here, "milan"), endpoints)
        async with asyncio.timeout(30), asyncio.TaskGroup() as tasks:
            running = tasks.create_task(server.run())
            kubelet = Kubelet(port, tls, home)

            async def is_there() -> bool:
                try:
                    return (await kubelet.get("/healthz", "admin"))[0] == 200
                except aiohttp.ClientConnectorError:
                    return False

            await eventually(is_there)
            yield kubelet
            running.cancel()


@pytest.fixture
async def kubelet() -> AsyncIterator[Kubelet]:
    """One whose provider nobody reaches."""
    async with serving_at(Access("http://127.0.0.1:1")) as served:
        yield served


async def test_strangers_are_401_who_may_not_is_403_and_who_may_is_200(kubelet: Kubelet) -> None:
    assert await kubelet.get("/pods") == (401, "Unauthorized")
    assert await kubelet.get("/pods", token="expired") == (401, "Unauthorized")
    code, text = await kubelet.get("/pods", "consumer")
    assert (code, text.split(",")[0]) == (403, "Forbidden (user=consumer")
    assert (await kubelet.get("/pods", token="nobody"))[0] == 403
    assert (await kubelet.get("/pods", token="reader"))[0] == 200
    assert (await kubelet.get("/pods", "admin"))[0] == 200


async def test_the_same_holds_where_http_is_left(kubelet: Kubelet) -> None:
    assert (await kubelet.say(EXEC.encode())).startswith(b"HTTP/1.1 401 ")
    assert (await kubelet.say(EXEC.encode(), "reader")).startswith(b"HTTP/1.1 403 ")
    by_get = EXEC.replace("POST", "GET").encode()
    assert (await kubelet.say(by_get, "reader")).startswith(b"HTTP/1.1 403 ")


async def test_a_certificate_of_another_authority_is_not_spoken_to(kubelet: Kubelet) -> None:
    assert await kubelet.say(HEALTH, "admin", an_authority()) == b""
    assert (await kubelet.say(HEALTH, "admin")).startswith(b"HTTP/1.1 200 ")


async def test_an_authority_that_is_replaced_counts_from_then_on(kubelet: Kubelet) -> None:
    other = an_authority()
    kubelet.tls.believe(None, told(other))
    assert (await kubelet.say(HEALTH, "admin", other)).startswith(b"HTTP/1.1 200 ")
    assert await kubelet.say(HEALTH, "admin") == b""


async def test_who_keeps_a_connection_for_later_does_not_keep_us() -> None:
    async with serving_at(Access("http://127.0.0.1:1")) as kubelet:
        end = await kubelet.connect("admin")
        end.writer.write(HEALTH.replace(b"close", b"keep-alive"))
        assert await end.reader.readuntil(b"ok")
    end.writer.close()


async def test_a_new_certificate_is_shown_without_a_restart(kubelet: Kubelet) -> None:
    async def shown() -> bytes | None:
        end = await kubelet.connect("admin")
        secured: ssl.SSLObject = end.writer.get_extra_info("ssl_object")
        end.writer.close()
        return secured.getpeercert(binary_form=True)

    before = await shown()
    assert await shown() == before
    kubelet.tls.show(a_server(CA))
    assert await shown() != before


@pytest.mark.parametrize(
    "garbage", [b"\x00\x01\x02\r\n\r\n", b"SSH-2.0\r\n\r\n", b"GET / HTTP/1.1\r\nx\r\n\r\n"]
)
async def test_garbage_is_a_bad_request(kubelet: Kubelet, garbage: bytes) -> None:
    assert (await kubelet.say(garbage)).startswith(b"HTTP/1.1 400 ")
    assert (await kubelet.get("/healthz", "admin"))[0] == 200


async def test_garbage_may_come_second(kubelet: Kubelet) -> None:
    first = HEALTH.replace(b"Connection: close\r\n", b"")
    second = b"OPTIONS * HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
    answer = await kubelet.say(first + second, "admin")
    assert answer.startswith(b"HTTP/1.1 200 ")
    assert b"HTTP/1.1 400 " in answer


async def test_what_is_not_even_tls_or_leaves_half_way_hurts_nobody(kubelet: Kubelet) -> None:
    _, bare = await asyncio.open_connection("127.0.0.1", kubelet.port)
    bare.write(b"GET / HTTP/1.1\r\n\r\n")
    bare.close()
    half = await kubelet.connect("admin")
    half.writer.write(b"GET /healthz HT")
    half.writer.close()
    assert (await kubelet.get("/healthz", "admin"))[0] == 200


async def test_a_provider_that_cannot_be_reached_is_named(kubelet: Kubelet) -> None:
    code, text = await kubelet.get("/containerLogs/shop/web/main", "admin")
    assert (code, "http://127.0.0.1:1, refused the connection" in text) == (500, True)
    answer = await kubelet.say(EXEC.encode(), "admin")
    assert answer.startswith(b"HTTP/1.1 500 ")
    assert b"refused the connection" in answer


async def test_bytes_pass_unread_in_both_directions() -> None:
    async with upgrading() as (provider, access), serving_at(access) as kubelet:
        end = await kubelet.connect("admin")
        end.writer.write(EXEC.encode() + b"\x80early")
        assert await end.reader.readexactly(len(SWITCHED) + 6) == SWITCHED + b"\x80early"
        much = bytes(range(256)) * 8192
        end.writer.write(much)
        assert await end.reader.readexactly(len(much)) == much
        end.writer.close()
        await provider.ended.wait()
    lines = provider.heads[0].decode().split("\r\n")
    start = "/api/v1/namespaces/shop-rome/pods/web/exec"
    assert lines[0] == f"POST {start}?container=main&stdout=true&command=id HTTP/1.1"
    assert "x-stream-protocol-version: v4" in lines


async def test_a_client_that_is_cut_off_ends_what_runs_there() -> None:
    async with upgrading() as (provider, access), serving_at(access) as kubelet:
        end = await kubelet.connect("admin")
        end.writer.write(EXEC.encode())
        await end.reader.readexactly(len(SWITCHED))
        end.writer.transport.abort()
        await provider.ended.wait()


async def test_who_says_nothing_for_long_is_closed() -> None:
    async with upgrading() as (provider, access), serving_at(access, idle=0.2) as kubelet:
        assert await kubelet.say(EXEC.encode(), "admin") == SWITCHED
        await provider.ended.wait()


async def test_behind_a_refused_upgrade_nothing_reaches_the_provider() -> None:
    """It knows us by our certificate: whatever came after would be asked in our name."""
    smuggled = b"GET /api/v1/secrets HTTP/1.1\r\nHost: x\r\n\r\n"
    async with (
        scripted(refuses(404, "no container in pod web_shop-rome")) as provider,
        serving_at(provider.access) as kubelet,
    ):
        answer = await kubelet.say(EXEC.encode() + smuggled, "admin")
    assert answer.startswith(b"HTTP/1.1 404 ")
    assert answer.endswith(b"no container in pod web_shop")  # as at home
    assert [asked.path.partition("?")[0] for asked in provider.asked] == [
        "/api/v1/namespaces/shop-rome/pods/web/exec"
    ]


async def test_a_log_is_streamed_and_a_refusal_is_plain_text() -> None:
    waiting = 'container "main" in pod "web" is waiting to start: ContainerCreating'
    cut = Answer(b"one line\n", cut=True)
    async with (
        scripted(Answer(b"a\nb\n"), refuses(400, waiting), cut, CUT, CUT, CUT) as provider,
        serving_at(provider.access) as kubelet,
    ):
        path = "/containerLogs/shop/web/main?tailLines=2"
        assert await kubelet.get(path, "admin") == (200, "a\nb\n")
        assert await kubelet.get(path, "admin") == (400, waiting)
        with pytest.raises(aiohttp.ClientError):
            await kubelet.get(path, "admin")
    assert "tailLines=2" in provider.asked[0].path


async def test_who_leaves_a_log_ends_it_there() -> None:
    async with (
        scripted(Answer(b"first\n", stays=True)) as provider,
        serving_at(provider.access) as kubelet,
    ):
        end = await kubelet.connect("admin")
        end.writer.write(
            b"GET /containerLogs/shop/web/main?follow=true HTTP/1.1\r\nHost: x\r\n\r\n"
        )
        await end.reader.readuntil(b"first\n")
        end.writer.close()
        await eventually(lambda: _is_left(provider))


async def _is_left(provider: Scripted) -> bool:
    return provider.left == len(provider.asked)


async def test_what_is_over_leaves_nothing_behind() -> None:
    """Neither a task nor a socket, nor a connection that nobody holds any more."""

    async def left() -> tuple[int, int, int]:
        gc.collect()
        ends = sum(isinstance(each, Door | Half) for each in gc.get_objects())
        return len(asyncio.all_tasks()), len(os.listdir("/proc/self/fd")), ends

    async with upgrading() as (_, access), serving_at(access) as kubelet:
        before = await eventually(left, lambda now: now[2] == 0)
        for leaves in ("close", "abort") * 3:
            end = await kubelet.connect("admin")
            end.writer.write(EXEC.encode() + b"word")
            assert (await end.reader.readexactly(len(SWITCHED) + 4)).endswith(b"word")
            getattr(end.writer.transport, leaves)()
            del end
        await eventually(left, lambda now: all(map(int.__le__, now, before)))


def test_it_works_on_the_event_loop_of_the_program() -> None:
    """uvloop has TLS of its own."""
    uvloop.run(test_bytes_pass_unread_in_both_directions())
    uvloop.run(test_a_client_that_is_cut_off_ends_what_runs_there())
    uvloop.run(test_a_log_is_streamed_and_a_refusal_is_plain_text())
    uvloop.run(test_what_is_over_leaves_nothing_behind())
