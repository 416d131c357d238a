"""Whose key it is that is certified, or asked to be."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric.ed448 import Ed448PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding
from cryptography.x509.oid import NameOID

from liqo.rules import certificates, keys
from liqo.rules.certificates import Lifetime, authority

DAY = Lifetime(datetime(2026, 11, 15, tzinfo=UTC), timedelta(days=1))
O, CN = NameOID.ORGANIZATION_NAME, NameOID.COMMON_NAME  # noqa: E741 - as X.509 has them


def test_a_request_for_a_key_that_nobody_can_use_is_refused() -> None:
    foreign = Ed448PrivateKey.generate()
    subject = x509.Name([x509.NameAttribute(O, "rome"), x509.NameAttribute(CN, "pool")])
    pem = (
        x509.CertificateSigningRequestBuilder(subject)
        .sign(foreign, None)
        .public_bytes(Encoding.PEM)
    )
    problem = certificates.check_request(pem, "rome", "pool")
    assert problem == "it cannot be read: the public key is neither Ed25519 nor RSA nor ECDSA"


def test_what_answers_a_request_is_a_certificate_of_its_key() -> None:
    ours, other = (authority("rome", DAY) for _ in range(2))
    request = certificates.request(ours.key_pem, "liqo.io", "rome")
    assert certificates.answers(ours.certificate_pem, request)
    assert not certificates.answers(other.certificate_pem, request)
    assert not certificates.answers(b"rubbish", request)
    assert not certificates.answers(ours.certificate_pem, b"rubbish")


def test_a_key_of_a_kind_that_nobody_knows_answers_nothing() -> None:
    ed25519, unknown = bytes.fromhex("06032b6570"), bytes.fromhex("06032b657f")
    key = keys.new_key(tls_compatible=False)
    request = certificates.request(keys.private_pem(key), "liqo.io", "rome")
    known = x509.load_pem_x509_csr(request).public_bytes(Encoding.DER)
    strange = x509.load_der_x509_csr(known.replace(ed25519, unknown, 1)).public_bytes(Encoding.PEM)
    assert not certificates.answers(authority("rome", DAY).certificate_pem, strange)
    with pytest.raises(ValueError, match="not a usable public key"):
        certificates.requested_key(strange)
