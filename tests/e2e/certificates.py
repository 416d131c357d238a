"""Certificates for a control plane of the tests: one authority, one server, any clients."""

import ipaddress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

SKEW = timedelta(minutes=5)  # certificates are valid since a moment ago
LONG = timedelta(days=1)


@dataclass(frozen=True)
class Pair:
    certificate: str  # PEM
    key: str  # PEM


@dataclass(frozen=True)
class Authority:
    """Signs whatever a test asks for."""

    certificate: x509.Certificate
    key: ec.EllipticCurvePrivateKey

    @property
    def pem(self) -> str:
        return self.certificate.public_bytes(serialization.Encoding.PEM).decode()

    def server(self) -> Pair:
        here = x509.SubjectAlternativeName(
            [x509.DNSName("localhost"), x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]
        )
        return self._issue(_name("kube-apiserver"), LONG, here)

    def client(self, user: str, *groups: str, valid_for: timedelta = LONG) -> Pair:
        return self._issue(_name(user, *groups), valid_for)

    def _issue(
        self, subject: x509.Name, valid_for: timedelta, names: x509.ExtensionType | None = None
    ) -> Pair:
        key = new_key()
        builder = _builder(subject, self.certificate.subject, key, valid_for)
        if names is not None:
            builder = builder.add_extension(names, critical=False)
        signed = builder.sign(self.key, hashes.SHA256())
        return Pair(signed.public_bytes(serialization.Encoding.PEM).decode(), private_pem(key))


def new_authority() -> Authority:
    key = new_key()
    name = _name("tests")
    builder = _builder(name, name, key, LONG)
    extension = x509.BasicConstraints(ca=True, path_length=None)
    signed = builder.add_extension(extension, critical=True).sign(key, hashes.SHA256())
    return Authority(signed, key)


def new_key() -> ec.EllipticCurvePrivateKey:
    return ec.generate_private_key(ec.SECP256R1())


def private_pem(key: ec.EllipticCurvePrivateKey) -> str:
    form = serialization.PrivateFormat.PKCS8
    return key.private_bytes(
        serialization.Encoding.PEM, form, serialization.NoEncryption()
    ).decode()


def public_pem(key: ec.EllipticCurvePrivateKey) -> str:
    form = serialization.PublicFormat.SubjectPublicKeyInfo
    return key.public_key().public_bytes(serialization.Encoding.PEM, form).decode()


def _name(user: str, *groups: str) -> x509.Name:
    parts = [x509.NameAttribute(NameOID.ORGANIZATION_NAME, group) for group in groups]
    return x509.Name([*parts, x509.NameAttribute(NameOID.COMMON_NAME, user)])


def _builder(
    subject: x509.Name, issuer: x509.Name, key: ec.EllipticCurvePrivateKey, valid_for: timedelta
) -> x509.CertificateBuilder:
    now = datetime.now(UTC)
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - SKEW)
        .not_valid_after(now + valid_for)
    )
