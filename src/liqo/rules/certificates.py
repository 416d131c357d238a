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
from liqo.rules.serving import Serving

SKEW = timedelta(minutes=5)  # a certificate is valid a little early: clocks differ
RENEWED_BEFORE = 3  # a third of the lifetime: time to recover from an unreachable provider
LOOK_AGAIN = 1.1  # times what is left until then: surely due, whoever's clock is late

NODE_USER, NODES = "system:node:", "system:nodes"  # what Kubernetes calls a node and all of them
SELF_SIGNED = "liqo.io"  # the organization of a kubelet for which only itself vouches, on the wire

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
    builder = draft_authority(draft(subject, subject, key, lifetime), key)
    return Pair(builder.sign(key, hashes.SHA256()), key)


def vouched(newcomer: Pair, elder: Pair, now: datetime) -> Pair:
    """An authority, signed by another: who trusts the elder trusts the newcomer, while it lives."""
    left = Lifetime(now, elder.certificate.not_valid_after_utc - now)
    subject, key = newcomer.certificate.subject, newcomer.key
    issuer = x509.AuthorityKeyIdentifier.from_issuer_public_key(elder.key.public_key())
    builder = draft_authority(draft(subject, elder.certificate.subject, key, left), key)
    builder = builder.add_extension(issuer, critical=False)
    return Pair(builder.sign(elder.key, hashes.SHA256()), key)


def draft_authority(
    builder: x509.CertificateBuilder, key: ec.EllipticCurvePrivateKey
) -> x509.CertificateBuilder:
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
    return (
        builder.add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .add_extension(usage, critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
    )


def pair(certificate_pem: bytes, key_pem: bytes) -> Pair:
    """As it was written; ValueError where it was not, or the two do not belong together."""
    certificate = x509.load_pem_x509_certificate(certificate_pem)
    key = private_key(key_pem)
    if not isinstance(key, ec.EllipticCurvePrivateKey):
        raise ValueError("not a key of an elliptic curve")
    if not same_key(usable(certificate.public_key()), key.public_key()):
        raise ValueError("the key of another certificate")
    return Pair(certificate, key)


def unexpired(bundle: bytes, now: datetime) -> bytes:
    """Of several certificates, one after the other, those that still count."""
    living = [
        certificate
        for certificate in x509.load_pem_x509_certificates(bundle)
        if certificate.not_valid_after_utc > now
    ]
    return b"".join(certificate.public_bytes(Encoding.PEM) for certificate in living)


def addresses(pem: bytes) -> list[str]:
    """The DNS names that a server's certificate is valid for."""
    extensions = x509.load_pem_x509_certificate(pem).extensions
    named = extensions.get_extension_for_class(x509.SubjectAlternativeName)
    return named.value.get_values_for_type(x509.DNSName)


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


def self_signed(wanted: Serving, lifetime: Lifetime) -> Pair:
    """What a kubelet shows where nobody signs for kubelets."""
    key, subject = new_key(), _subject(SELF_SIGNED, f"{NODE_USER}{wanted.node}")
    names = [general_name(address) for address in sorted(wanted.addresses)]
    builder = (
        draft(subject, subject, key, lifetime)
        .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
        .add_extension(x509.SubjectAlternativeName(names), critical=False)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
    )
    return Pair(builder.sign(key, hashes.SHA256()), key)


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
        key = requested_key(pem)
        if public and not same_key(key, public_key(public)):
            return "its key is not the one that signed the nonce"
    except (ValueError, UnsupportedAlgorithm) as error:
        return f"it cannot be read: {error}"
    return ""


def request_to_serve(key: ec.EllipticCurvePrivateKey, wanted: Serving) -> bytes:
    """The signing request of a kubelet: O, then CN, and one name for each address."""
    names = [general_name(address) for address in sorted(wanted.addresses)]
    drafted = x509.CertificateSigningRequestBuilder(
        _subject(NODES, f"{NODE_USER}{wanted.node}")
    ).add_extension(x509.SubjectAlternativeName(names), critical=False)
    return drafted.sign(key, hashes.SHA256()).public_bytes(Encoding.PEM)


def serving_request(pem: bytes) -> Serving:
    """ValueError where more is asked for, or less. A node may be called by its name, too."""
    asked = x509.load_pem_x509_csr(_only_block(pem))
    subject = dict(_said(asked))
    node = subject.get("CN", "").removeprefix(NODE_USER)
    if sorted(_said(asked)) != [("CN", f"{NODE_USER}{node}"), ("O", NODES)] or not node:
        raise ValueError("not the subject of one node")
    if len(asked.attributes) > 1 or not asked.is_signature_valid:
        raise ValueError("more attributes than its extensions, or not its own key")
    called: set[str] = set()
    for extension in asked.extensions:
        if not isinstance(extension.value, x509.SubjectAlternativeName):
            raise ValueError(f"asks for {extension.oid.dotted_string}")
        called.update(map(_called, extension.value))
    if not called - {node}:
        raise ValueError("no address")
    return Serving(node, frozenset(called - {node}))


def requested_key(pem: bytes) -> PublicKey:
    """Whose certificate is asked for; ValueError where that cannot be told."""
    return _key_in(x509.load_pem_x509_csr(_only_block(pem)))


def certified_key(pem: bytes) -> PublicKey:
    """Whose certificate this is; ValueError where that cannot be told."""
    return _key_in(x509.load_pem_x509_certificate(pem))


def answers(certificate: bytes, request: bytes) -> bool:
    """Whether what was signed is a certificate, and of the key that asked for it."""
    try:
        return same_key(certified_key(certificate), requested_key(request))
    except ValueError:
        return False


def _key_in(document: x509.Certificate | x509.CertificateSigningRequest) -> PublicKey:
    try:
        return usable(document.public_key())
    except UnsupportedAlgorithm as error:
        raise ValueError(f"not a usable public key: {error}") from error


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


def _called(name: x509.GeneralName) -> str:
    if isinstance(name, x509.DNSName | x509.IPAddress):
        return str(name.value)
    raise ValueError("neither a DNS name nor an address")


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
