"""Keys and certificates are looked at by a process of its own."""

import subprocess
import sys
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address

import msgspec
import pytest
from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePrivateKey
from cryptography.x509 import IPAddress, SubjectAlternativeName

from liqo.kubelet.api import notary
from liqo.rules import certificates, keys
from liqo.rules.certificates import Lifetime
from liqo.rules.serving import Serving
from tests.unit.kubelet.api.authorities import an_authority

WANTED = Serving("milan", frozenset({"10.71.0.7"}))
NOW = datetime(2026, 11, 16, 4, 0, tzinfo=UTC)
DAY = timedelta(days=1)


async def test_a_draft_asks_for_what_is_wanted_with_a_key_of_its_own() -> None:
    first, second = await notary.draft(WANTED), await notary.draft(WANTED)
    assert certificates.serving_request(first.request) == WANTED
    assert isinstance(keys.private_key(first.key), EllipticCurvePrivateKey)
    assert first.key != second.key


async def test_a_certificate_is_renewed_when_two_thirds_of_its_life_are_over() -> None:
    made = certificates.server(an_authority(), "milan", ["10.71.0.7"], Lifetime(NOW, DAY))
    wait = await notary.seconds_until_renewal(made.certificate_pem, NOW)
    assert wait == certificates.seconds_until_renewal(made.certificate_pem, NOW)
    assert 0 < wait < DAY.total_seconds()


async def test_a_certificate_may_be_signed_by_its_own_key() -> None:
    first, second = await notary.self_signed(WANTED, NOW), await notary.self_signed(WANTED, NOW)
    assert first.key != second.key
    made = certificates.pair(first.certificate, first.key).certificate
    made.verify_directly_issued_by(made)
    assert made.subject.rfc4514_string() == "CN=system:node:milan,O=liqo.io"
    named = made.extensions.get_extension_for_class(SubjectAlternativeName).value
    assert named.get_values_for_type(IPAddress) == [ip_address("10.71.0.7")]
    assert made.not_valid_after_utc == NOW + notary.YEAR


async def test_what_is_no_certificate_is_said_to_be_none() -> None:
    with pytest.raises(ValueError, match="Unable to load PEM"):
        await notary.seconds_until_renewal(b"garbage", NOW)


def test_the_tasks_are_done_as_they_are_asked_for() -> None:
    made = certificates.server(an_authority(), "milan", ["10.71.0.7"], Lifetime(NOW, DAY))
    signed = msgspec.json.encode(notary.Signed(made.certificate_pem, NOW))
    assert notary.left(signed) == certificates.seconds_until_renewal(made.certificate_pem, NOW)
    alone = notary.signed_alone(msgspec.json.encode(notary.Alone(WANTED, NOW)))
    assert certificates.pair(alone.certificate, alone.key).key_pem == alone.key
    drafted = notary.drafted(msgspec.json.encode(WANTED))
    assert isinstance(keys.private_key(drafted.key), EllipticCurvePrivateKey)


def test_a_kubelet_does_without_the_library_itself() -> None:
    program = "import sys, liqo.programs.kubelet; sys.exit('cryptography' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
