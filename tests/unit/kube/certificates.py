"""Certificates for tests: an authority, and what it signs, valid when and for what a test says."""

from __future__ import annotations

import ssl
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

NOW = datetime.now(UTC)
YESTERDAY, TOMORROW = NOW - timedelta(days=1), NOW + timedelta(days=1)


@dataclass(frozen=True)
class Pair:
    certificate: str
    key: str

    def server(self) -> ssl.SSLContext:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        with tempfile.NamedTemporaryFile("w", suffix=".pem") as chain:
            chain.write(self.certificate + self.key)
            chain.flush()
            context.load_cert_chain(chain.name)
        return context


class Authority:
    def __init__(self) -> None:
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._name = _name("authority")
        signed = (
            _draft(self._name, self._name, self._key, until=TOMORROW)
            .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
            .sign(self._key, hashes.SHA256())
        )
        self.certificate = _pem(signed)

    def pair(
        self, name: str, *, hosts: Sequence[str] = ("127.0.0.1",), until: datetime = TOMORROW
    ) -> Pair:
        key = ec.generate_private_key(ec.SECP256R1())
        signed = (
            _draft(_name(name), self._name, key, until=until)
            .add_extension(x509.SubjectAlternativeName([_host(each) for each in hosts]), False)
            .sign(self._key, hashes.SHA256())
        )
        private = key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
        return Pair(_pem(signed), private.decode())


def _draft(
    name: x509.Name, issuer: x509.Name, key: ec.EllipticCurvePrivateKey, until: datetime
) -> x509.CertificateBuilder:
    return (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(issuer)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(YESTERDAY - timedelta(days=1))
        .not_valid_after(until)
    )


def _name(text: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)])


def _host(text: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ip_address(text))
    except ValueError:
        return x509.DNSName(text)


def _pem(certificate: x509.Certificate) -> str:
    return certificate.public_bytes(serialization.Encoding.PEM).decode()
