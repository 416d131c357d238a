"""Keys, certificates and who signs them. Time is an input."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from ipaddress import ip_address

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
)
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

SKEW = timedelta(minutes=5)  # a certificate is valid a little early: clocks differ


@dataclass(frozen=True)
class Pair:
    """A certificate and the key that proves it."""

    certificate: x509.Certificate
    key: ec.EllipticCurvePrivateKey

    @property
    def certificate_pem(self) -> bytes:
        return self.certificate.public_bytes(Encoding.PEM)

    @property
    def key_pem(self) -> bytes:
        return private_pem(self.key)


@dataclass(frozen=True)
class Lifetime:
    start: datetime
    length: timedelta


def new_key() -> ec.EllipticCurvePrivateKey:
    """P-256: 22 µs to make, and every Kubernetes component accepts it."""
    return ec.generate_private_key(ec.SECP256R1())


def private_pem(key: ec.EllipticCurvePrivateKey) -> bytes:
    return key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())


def public_pem(key: ec.EllipticCurvePrivateKey) -> bytes:
    return key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)


def authority(name: str, lifetime: Lifetime) -> Pair:
    """A new, self-signed certificate authority."""
    key = new_key()
    subject = distinguished_name(name)
    usage = x509.KeyUsage(
        digital_signature=True,
        key_cert_sign=True,
        crl_sign=True,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        encipher_only=False,
        decipher_only=False,
    )
    builder = (
        draft(subject, subject, key, lifetime)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .add_extension(usage, critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
    )
    return Pair(builder.sign(key, hashes.SHA256()), key)


def client(signer: Pair, name: str, organizations: Iterable[str], lifetime: Lifetime) -> Pair:
    """Who one is to an API server: the name is the user, the organizations are its groups."""
    key = new_key()
    subject = distinguished_name(name, organizations)
    builder = draft(subject, signer.certificate.subject, key, lifetime).add_extension(
        x509.ExtendedKeyUsage([ExtendedKeyUsageOID.CLIENT_AUTH]), critical=False
    )
    return signed(builder, signer, key)


def server(signer: Pair, name: str, addresses: Iterable[str], lifetime: Lifetime) -> Pair:
    """What a server shows: valid for these DNS names and IP addresses."""
    key = new_key()
    alternatives = x509.SubjectAlternativeName([general_name(address) for address in addresses])
    builder = (
        draft(distinguished_name(name), signer.certificate.subject, key, lifetime)
        .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
        .add_extension(alternatives, critical=False)
    )
    return signed(builder, signer, key)


def distinguished_name(name: str, organizations: Iterable[str] = ()) -> x509.Name:
    groups = [
        x509.NameAttribute(NameOID.ORGANIZATION_NAME, organization)
        for organization in organizations
    ]
    return x509.Name([*groups, x509.NameAttribute(NameOID.COMMON_NAME, name)])


def general_name(address: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ip_address(address))
    except ValueError:
        return x509.DNSName(address)


def draft(
    subject: x509.Name, issuer: x509.Name, key: ec.EllipticCurvePrivateKey, lifetime: Lifetime
) -> x509.CertificateBuilder:
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(lifetime.start - SKEW)
        .not_valid_after(lifetime.start + lifetime.length)
    )


def signed(builder: x509.CertificateBuilder, signer: Pair, key: ec.EllipticCurvePrivateKey) -> Pair:
    # Python 3.13 trusts no certificate that does not say which key signed it.
    issuer = x509.AuthorityKeyIdentifier.from_issuer_public_key(signer.key.public_key())
    leaf = builder.add_extension(
        x509.BasicConstraints(ca=False, path_length=None), critical=True
    ).add_extension(issuer, critical=False)
    return Pair(leaf.sign(signer.key, hashes.SHA256()), key)
