"""How a kubelet comes to its certificate, and to the next."""

from __future__ import annotations

import asyncio
from base64 import b64decode, b64encode
from datetime import UTC, datetime, timedelta
from itertools import islice

import msgspec
import pytest

from liqo.api.kubernetes import CertificateSigningRequest
from liqo.api.meta import JSON, Meta
from liqo.kube.cluster import Cluster
from liqo.kube.errors import Forbidden
from liqo.kubelet.api.certificate import (
    SOONEST,
    Certificate,
    asked_for,
    is_answered,
    pauses,
    request,
    self_signed,
    signed,
)
from liqo.kubelet.api.notary import Shown
from liqo.rules import certificates, keys
from liqo.rules.certificates import Lifetime
from liqo.rules.serving import Serving
from tests.unit.kube.scripted import a_list, says, scripted
from tests.unit.kubelet.api.authorities import an_authority
from tests.unit.provider.things import raw

WANTED = Serving("milan", frozenset({"10.71.0.7"}))
NOW = datetime(2026, 11, 16, 4, 0, tzinfo=UTC)


def a_request(**status: object) -> CertificateSigningRequest:
    return CertificateSigningRequest(metadata=Meta(name="csr-1"), raw_status=raw(status))


def a_certificate(length: timedelta, *, since: datetime = NOW) -> bytes:
    life = Lifetime(since, length)
    return certificates.server(an_authority(), "milan", ["10.71.0.7"], life).certificate_pem


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


class Slept:
    """Remembers how long it should have slept and wakes at once; the last time, to end."""

    def __init__(self, times: int) -> None:
        self.times = times
        self.seconds: list[float] = []

    async def __call__(self, seconds: float) -> None:
        self.seconds.append(seconds)
        if len(self.seconds) == self.times:
            raise asyncio.CancelledError


async def ran(*outcomes: Shown | Exception) -> tuple[list[bytes], list[float]]:
    """What is shown, and how long is waited after each try."""
    shown: list[bytes] = []
    tries, slept = iter(outcomes), Slept(len(outcomes))

    async def obtain() -> Shown:
        match next(tries):
            case Shown() as got:
                return got
            case wrong:
                raise wrong

    with pytest.raises(asyncio.CancelledError):
        await Certificate(obtain, shown.append, lambda: NOW, slept).run()
    return shown, slept.seconds


async def test_what_is_signed_is_shown_with_its_key_and_renewed_in_time() -> None:
    day = Shown(a_certificate(timedelta(days=1)), b"key")
    shown, slept = await ran(day)
    assert shown == [day.certificate + b"key"]
    assert slept == [certificates.seconds_until_renewal(day.certificate, NOW)]


async def test_however_short_their_life_two_certificates_do_not_follow_at_once() -> None:
    over = Shown(a_certificate(timedelta(seconds=1), since=NOW - timedelta(days=1)), b"key")
    assert await ran(over) == ([over.certificate + b"key"], [SOONEST])


async def test_who_is_denied_asks_again_later_each_time_and_soon_after_a_success() -> None:
    denied, day = ValueError("Denied"), Shown(a_certificate(timedelta(days=1)), b"key")
    shown, slept = await ran(denied, Forbidden("rome: no"), TimeoutError(), day, denied)
    assert len(shown) == 1
    assert slept == [5, 10, 20, slept[3], 5]


def test_nobody_waits_longer_than_a_quarter_of_an_hour() -> None:
    assert list(islice(pauses(), 10)) == [5, 10, 20, 40, 80, 160, 320, 640, 900, 900]


async def test_a_kubelet_asks_and_gets_what_fits_its_key() -> None:
    name: JSON = {"metadata": {"name": "csr-1", "resourceVersion": "1"}}
    given = b64encode(a_certificate(timedelta(days=1))).decode()
    answers = says(name, 201), a_list({**name, "status": {"certificate": given}}, version="1")
    async with scripted(*answers) as server, Cluster(server.access) as home:
        shown = await asked_for(home, WANTED)
    assert [each.method for each in server.asked] == ["POST", "GET"]
    spec = msgspec.json.decode(server.asked[0].body)["spec"]
    own = keys.private_key(shown.key).public_key()
    assert keys.same_key(certificates.requested_key(b64decode(spec["request"])), keys.usable(own))
    assert shown.certificate == b64decode(given)


async def test_a_kubelet_may_sign_for_itself() -> None:
    shown = await self_signed(WANTED, lambda: NOW)
    own = keys.private_key(shown.key).public_key()
    assert keys.same_key(certificates.certified_key(shown.certificate), keys.usable(own))
