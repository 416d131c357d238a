"""How a kubelet comes to its certificate, and to the next."""

from __future__ import annotations

import asyncio
from base64 import b64decode, b64encode
from datetime import UTC, datetime, timedelta

import msgspec
import pytest

from liqo.api.kubernetes import CertificateSigningRequest
from liqo.api.meta import JSON, Meta
from liqo.kube.cluster import Cluster
from liqo.kubelet.api.certificate import Certificate, is_answered, request, signed
from liqo.rules import certificates
from liqo.rules.certificates import Lifetime
from liqo.rules.serving import Serving
from tests.unit.kube.scripted import Answer, a_list, refuses, says, scripted
from tests.unit.kubelet.api.authorities import an_authority
from tests.unit.provider.things import raw

WANTED = Serving("milan", frozenset({"10.71.0.7"}))
NOW = datetime(2026, 11, 16, 4, 0, tzinfo=UTC)


def a_request(**status: object) -> CertificateSigningRequest:
    return CertificateSigningRequest(metadata=Meta(name="csr-1"), raw_status=raw(status))


def a_certificate(length: timedelta) -> str:
    made = certificates.server(an_authority(), "milan", ["10.71.0.7"], Lifetime(NOW, length))
    return b64encode(made.certificate_pem).decode()


def rounds(signed: str) -> tuple[Answer, Answer]:
    name: JSON = {"metadata": {"name": "csr-1", "resourceVersion": "1"}}
    return says(name, 201), a_list({**name, "status": {"certificate": signed}}, version="1")


def test_it_asks_as_kubelets_do() -> None:
    key = certificates.new_key()
    asked = request(certificates.request_to_serve(key, WANTED))
    spec = asked["spec"]
    assert spec["signerName"] == "kubernetes.io/kubelet-serving"
    assert spec["usages"] == ["digital signature", "key encipherment", "server auth"]
    assert certificates.serving_request(b64decode(spec["request"])) == WANTED


def test_a_request_is_answered_by_a_certificate_or_a_refusal() -> None:
    assert not is_answered(a_request())
    assert not is_answered(a_request(conditions=[{"type": "Approved"}]))
    assert is_answered(a_request(certificate="Yw=="))
    assert signed(a_request(certificate="Yw==")) == b"c"
    denied = a_request(conditions=[{"type": "Denied", "message": "not you"}])
    assert is_answered(denied)
    with pytest.raises(ValueError, match="csr-1 is Denied: not you"):
        signed(denied)


async def test_what_is_signed_is_shown_with_its_key_and_renewed_in_time() -> None:
    """Where the clock says that it is due at once, the next one follows at once."""
    shown: list[bytes] = []
    answers = (*rounds(a_certificate(timedelta(hours=1))), *rounds(a_certificate(timedelta(1))))
    clock = iter((NOW + timedelta(minutes=50), NOW))
    async with scripted(*answers) as server, Cluster(server.access) as home:
        both = asyncio.Event()

        def show(pem: bytes) -> None:
            shown.append(pem)
            if len(shown) == 2:
                both.set()

        async with asyncio.timeout(60), asyncio.TaskGroup() as tasks:
            kept = Certificate(home, WANTED, show, lambda: next(clock, NOW))
            running = tasks.create_task(kept.run())
            await both.wait()
            running.cancel()
    assert [each.method for each in server.asked] == ["POST", "GET"] * 2
    assert all(b"CERTIFICATE" in pem and b"PRIVATE KEY" in pem for pem in shown)
    keys = {msgspec.json.decode(asked.body)["spec"]["request"] for asked in server.asked[::2]}
    assert len(keys) == 2


async def test_a_failure_is_not_the_end() -> None:
    shown = asyncio.Event()
    answers = (refuses(403), *rounds(a_certificate(timedelta(1))))
    async with (
        scripted(*answers) as server,
        Cluster(server.access) as home,
        asyncio.timeout(60),
        asyncio.TaskGroup() as tasks,
    ):
        kept = Certificate(home, WANTED, lambda _: shown.set(), lambda: NOW, 0.0)
        running = tasks.create_task(kept.run())
        await shown.wait()
        running.cancel()
    assert len(server.asked) == 3
