"""The server behind the aggregated API, over real TLS: who is let in, and what it is told."""

from __future__ import annotations

import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import aiohttp
import msgspec
import pytest

from liqo.api.kubernetes import ConfigMap
from liqo.api.meta import Meta
from liqo.api.metrics import ROOT
from liqo.kube.errors import Unreachable
from liqo.metrics.paths import Scrape
from liqo.metrics.server import Server
from liqo.rules import certificates
from liqo.rules.certificates import Lifetime, Pair
from tests.e2e.control_plane import free_port

LIFETIME = Lifetime(datetime.now(UTC) - timedelta(hours=1), timedelta(days=1))
OURS, THEIRS = (certificates.authority(name, LIFETIME) for name in ("front", "stranger"))
SHOWN = certificates.server(THEIRS, "localhost", ["localhost"], LIFETIME)
ROME = {"X-Remote-User": "rome/milan", "X-Remote-Group": "rome"}


class Told:
    """Figures that say who was asked about; or nothing, when the cluster cannot be read."""

    async def text(self, asked: Scrape) -> str:
        if asked.consumer == "broken":
            raise Unreachable("milan: no answer")
        return f"{asked.figure} of {asked.consumer}"


def a_client(signer: Pair, name: str) -> Pair:
    return certificates.client(signer, name, [], LIFETIME)


def authentication(ca: bytes) -> ConfigMap:
    data = {
        "requestheader-client-ca-file": ca.decode(),
        "requestheader-allowed-names": '["front-proxy-client"]',
        "requestheader-username-headers": '["X-Remote-User"]',
        "requestheader-group-headers": '["X-Remote-Group"]',
    }
    return ConfigMap(metadata=Meta(name="x"), raw_data=msgspec.Raw(msgspec.json.encode(data)))


@asynccontextmanager
async def a_server(port: int) -> AsyncIterator[Server]:
    server = Server(Told(), SHOWN, port)
    server.take(None, authentication(OURS.certificate_pem))
    async with server.serving():
        yield server


def presenting(pair: Pair | None, folder: Path) -> ssl.SSLContext:
    made = ssl.create_default_context(cadata=THEIRS.certificate_pem.decode())
    if pair is not None:
        path = folder / "client.pem"
        path.write_bytes(pair.certificate_pem + pair.key_pem)
        made.load_cert_chain(path)
    return made


async def answer(
    context: ssl.SSLContext, port: int, path: str, headers: dict[str, str]
) -> tuple[int, str]:
    async with aiohttp.ClientSession() as session:
        url = f"https://localhost:{port}{path}"
        async with session.get(url, ssl=context, headers=headers) as response:
            return response.status, await response.text()


@pytest.mark.parametrize(
    ("path", "headers", "code", "says"),
    [
        (f"{ROOT}/scrape/rome/metrics/resource", ROME, 200, "metrics/resource of rome"),
        (f"{ROOT}/scrape/venice/metrics", ROME, 403, "rome/milan is not of the cluster venice"),
        (f"{ROOT}/scrape/rome/pods", ROME, 400, "metrics/cadvisor"),
        ("/elsewhere", ROME, 404, "is not told"),
        (ROOT, ROME, 200, "scrape/metrics"),
        (ROOT, {}, 401, "only the API server"),
        (
            f"{ROOT}/scrape/broken/metrics",
            {"X-Remote-User": "admin", "X-Remote-Group": "system:masters"},
            503,
            "milan: no answer",
        ),
    ],
)
async def test_an_api_server_is_told_what_its_user_may_know(
    tmp_path: Path, path: str, headers: dict[str, str], code: int, says: str
) -> None:
    port = free_port()
    context = presenting(a_client(OURS, "front-proxy-client"), tmp_path)
    async with a_server(port):
        status, text = await answer(context, port, path, headers)
    assert (status, says in text) == (code, True)


async def test_who_shows_no_certificate_or_one_of_another_name_is_nobody(tmp_path: Path) -> None:
    port = free_port()
    async with a_server(port):
        for pair in (None, a_client(OURS, "rome/milan")):
            status, _ = await answer(presenting(pair, tmp_path), port, ROOT, ROME)
            assert status == 401


async def test_a_certificate_of_a_stranger_is_no_connection(tmp_path: Path) -> None:
    port = free_port()
    context = presenting(a_client(THEIRS, "front-proxy-client"), tmp_path)
    async with a_server(port):
        with pytest.raises(aiohttp.ClientError):
            await answer(context, port, ROOT, ROME)


async def test_another_authority_is_believed_from_the_moment_it_is_known(tmp_path: Path) -> None:
    port = free_port()
    context = presenting(a_client(THEIRS, "front-proxy-client"), tmp_path)
    async with a_server(port) as server:
        server.take(None, authentication(THEIRS.certificate_pem))
        assert (await answer(context, port, ROOT, ROME))[0] == 200


def test_it_is_not_ready_until_it_knows_whom_to_believe() -> None:
    server = Server(Told(), SHOWN, 0)
    assert server.missing() == ["the ConfigMap kube-system/extension-apiserver-authentication"]
    for nothing in (None, authentication(b"no certificate")):
        server.take(None, nothing)
    assert server.missing() != []
    server.take(None, authentication(OURS.certificate_pem))
    assert server.missing() == []
