"""Certificates: asked for, checked, signed, renewed. Time is an input."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from ipaddress import ip_address

from cryptography import x509
from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding
from cryptography.x509.name import _ASN1Type
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from liqo.rules.keys import (
    PrivateKey,
    PublicKey,
    private_key,
    private_pem,
    public_key,
    same_key,
    usable,
)

SKEW = timedelta(minutes=5)  # a certificate is valid a little early: clocks differ
RENEWED_BEFORE = 3  # a third of the lifetime: time to recover from an unreachable provider
LOOK_AGAIN = 1.1  # times what is left until then: surely due, whoever's clock is late

ONE_REQUEST = re.compile(
    rb"\s*-----BEGIN CERTIFICATE REQUEST-----[A-Za-z0-9+/=\s]+-----END CERTIFICATE REQUEST-----\s*"
)


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


def request(key_pem: bytes, organization: str, name: str) -> bytes:
    """A signing request as the wire has it: O, then CN, as PrintableStrings, and nothing else.

    The same bytes each time (with ECDSA, whose signatures differ, the same content): providers
    compare what is asked with what was asked before.
    """
    key = private_key(key_pem)
    drafted = x509.CertificateSigningRequestBuilder(_subject(organization, name))
    return drafted.sign(key, _digest(key)).public_bytes(Encoding.PEM)


def check_request(pem: bytes, organization: str, name: str, public: bytes = b"") -> str:
    """Why this request must not be signed, as a sentence; empty where it may.

    Without a public key to compare with, whoever's key it is may be certified.
    """
    try:
        asked = x509.load_pem_x509_csr(_only_block(pem))
        subject = _said(asked)
        if sorted(subject) != [("CN", name), ("O", organization)]:
            said = " + ".join(f"{kind}={value}" for kind, value in subject)
            return f"its subject is {said}, not exactly O={organization} + CN={name}"
        if len(asked.attributes):
            return "it asks for extensions or other attributes, and none are allowed"
        if not asked.is_signature_valid:
            return "it is not signed with its own key"
        if public and not same_key(requested_key(pem), public_key(public)):
            return "its key is not the one that signed the nonce"
    except (ValueError, UnsupportedAlgorithm) as error:
        return f"it cannot be read: {error}"
    return ""


def requested_key(pem: bytes) -> PublicKey:
    """Whose certificate is asked for; ValueError where that cannot be told."""
    return usable(x509.load_pem_x509_csr(_only_block(pem)).public_key())


def certified_key(pem: bytes) -> PublicKey:
    """Whose certificate this is; ValueError where that cannot be told."""
    return usable(x509.load_pem_x509_certificate(pem).public_key())


def renew_at(pem: bytes) -> datetime:
    """When two thirds of its life are over. The minutes it was dated back are no part of that."""
    certificate = x509.load_pem_x509_certificate(pem)
    end, start = certificate.not_valid_after_utc, certificate.not_valid_before_utc
    if start + SKEW < end:
        start += SKEW
    return end - (end - start) / RENEWED_BEFORE


def expires_at(pem: bytes) -> datetime:
    return x509.load_pem_x509_certificate(pem).not_valid_after_utc


def seconds_until_renewal(pem: bytes, now: datetime) -> float:
    """Until one should look again; nothing or less where it is due."""
    return (renew_at(pem) - now).total_seconds() * LOOK_AGAIN


def _only_block(pem: bytes) -> bytes:
    """What stands before or behind it would be signed by nobody's decision."""
    if not ONE_REQUEST.fullmatch(pem):
        raise ValueError("not exactly one PEM block CERTIFICATE REQUEST")
    return pem


def _subject(organization: str, name: str) -> x509.Name:
    """Without the length limit of X.520: a peering user's name is longer, and peers take it."""
    said = ((NameOID.ORGANIZATION_NAME, organization), (NameOID.COMMON_NAME, name))
    with warnings.catch_warnings(action="ignore"):
        return x509.Name(
            x509.NameAttribute(oid, value, _ASN1Type.PrintableString, _validate=False)
            for oid, value in said
        )


def _said(asked: x509.CertificateSigningRequest) -> list[tuple[str, str]]:
    """Each attribute of the subject by its short name, however they are grouped."""
    with warnings.catch_warnings(action="ignore"):  # of long names, again
        return [(each.rfc4514_attribute_name, str(each.value)) for each in asked.subject]


def _digest(key: PrivateKey) -> hashes.SHA256 | hashes.SHA384 | hashes.SHA512 | None:
    """Ed25519 has its own; a long curve wants a long one."""
    match key:
        case Ed25519PrivateKey():
            return None
        case ec.EllipticCurvePrivateKey(curve=ec.SECP384R1()):
            return hashes.SHA384()
        case ec.EllipticCurvePrivateKey(curve=ec.SECP521R1()):
            return hashes.SHA512()
        case _:
            return hashes.SHA256()
