"""Certificates that two real ends of TLS accept, strictly, or refuse."""

import ssl
from datetime import UTC, datetime, timedelta
from ipaddress import IPv4Address
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.serialization import load_pem_private_key, load_pem_public_key
from cryptography.x509.oid import NameOID

from liqo.rules.certificates import (
    SKEW,
    Lifetime,
    Pair,
    authority,
    client,
    new_key,
    private_pem,
    public_pem,
    server,
)

NOW = datetime.now(UTC)
DAY = Lifetime(NOW, timedelta(days=1))
AUTHORITY = authority("rome-ca", DAY)
SERVER = server(AUTHORITY, "kube-apiserver", ("kubernetes.default.svc", "10.0.0.1"), DAY)
CLIENT = client(AUTHORITY, "jane", ("system:masters", "admins"), DAY)


def end(purpose: ssl.Purpose, own: Pair, trusted: Pair, folder: Path) -> ssl.SSLContext:
    """One end of a connection, as strict as Python 3.13 and Go are."""
    file = folder / f"{own.certificate.serial_number}.pem"
    file.write_bytes(own.certificate_pem + own.key_pem)
    context = ssl.create_default_context(purpose, cadata=trusted.certificate_pem.decode())
    context.verify_flags |= ssl.VerifyFlags.VERIFY_X509_STRICT
    context.verify_mode = ssl.CERT_REQUIRED
    context.load_cert_chain(file)
    return context


def handshake(listener: ssl.SSLContext, caller: ssl.SSLContext, name: str) -> ssl.SSLObject:
    """In memory. What the listener sees of its caller."""
    up, down = ssl.MemoryBIO(), ssl.MemoryBIO()
    there = listener.wrap_bio(up, down, server_side=True)
    here = caller.wrap_bio(down, up, server_hostname=name)
    waiting = [here, there]
    while waiting:
        try:
            waiting[0].do_handshake()
            waiting.pop(0)
        except ssl.SSLWantReadError:
            waiting.reverse()
    return there


def meet(folder: Path, served: Pair, caller: Pair, name: str, trusted: Pair = AUTHORITY) -> str:
    """The common name under which the caller is known in the end."""
    listener = end(ssl.Purpose.CLIENT_AUTH, served, trusted, folder)
    connected = handshake(
        listener, end(ssl.Purpose.SERVER_AUTH, caller, trusted, folder), name
    ).getpeercert(binary_form=True)
    assert connected is not None
    return common_name(x509.load_der_x509_certificate(connected))


def common_name(certificate: x509.Certificate) -> str:
    [attribute] = certificate.subject.get_attributes_for_oid(NameOID.COMMON_NAME)
    return str(attribute.value)


def groups(certificate: x509.Certificate) -> list[str]:
    found = certificate.subject.get_attributes_for_oid(NameOID.ORGANIZATION_NAME)
    return [str(attribute.value) for attribute in found]


@pytest.mark.parametrize("name", ["kubernetes.default.svc", "10.0.0.1"])
def test_a_client_and_a_server_of_one_authority_accept_each_other(
    tmp_path: Path, name: str
) -> None:
    assert meet(tmp_path, SERVER, CLIENT, name) == "jane"


@pytest.mark.parametrize("name", ["kubernetes", "10.0.0.2"])
def test_a_server_is_not_taken_for_another(tmp_path: Path, name: str) -> None:
    with pytest.raises(ssl.SSLCertVerificationError, match="mismatch"):
        meet(tmp_path, SERVER, CLIENT, name)


def test_who_was_signed_by_another_authority_of_the_same_name_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ssl.SSLCertVerificationError):
        meet(tmp_path, SERVER, CLIENT, "10.0.0.1", trusted=authority("rome-ca", DAY))


def test_a_server_is_no_client_and_a_client_no_server(tmp_path: Path) -> None:
    with pytest.raises(ssl.SSLError, match="certificate"):
        meet(tmp_path, SERVER, SERVER, "10.0.0.1")
    with pytest.raises(ssl.SSLError, match="certificate"):
        meet(tmp_path, CLIENT, CLIENT, "10.0.0.1")


def test_a_client_signs_nobody(tmp_path: Path) -> None:
    forged = server(CLIENT, "kube-apiserver", ("10.0.0.1",), DAY)
    with pytest.raises(ssl.SSLCertVerificationError):
        meet(tmp_path, forged, CLIENT, "10.0.0.1")


def test_an_expired_certificate_is_refused(tmp_path: Path) -> None:
    past = Lifetime(NOW - timedelta(days=2), timedelta(days=1))
    with pytest.raises(ssl.SSLCertVerificationError, match="expired"):
        meet(tmp_path, server(AUTHORITY, "old", ("10.0.0.1",), past), CLIENT, "10.0.0.1")


def test_a_certificate_holds_a_little_before_its_time_and_not_after_it() -> None:
    start = NOW.replace(microsecond=0)
    made = client(AUTHORITY, "jane", (), Lifetime(start, timedelta(hours=1))).certificate
    assert made.not_valid_before_utc == start - SKEW
    assert made.not_valid_after_utc == start + timedelta(hours=1)


def test_the_name_is_the_user_and_the_organizations_are_its_groups() -> None:
    assert common_name(CLIENT.certificate) == "jane"
    assert groups(CLIENT.certificate) == ["system:masters", "admins"]
    assert groups(client(AUTHORITY, "joe", (), DAY).certificate) == []


def test_addresses_and_names_are_told_apart() -> None:
    extension = SERVER.certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName)
    assert extension.value.get_values_for_type(x509.DNSName) == ["kubernetes.default.svc"]
    assert extension.value.get_values_for_type(x509.IPAddress) == [IPv4Address("10.0.0.1")]


def test_keys_are_read_back_as_they_were() -> None:
    key = new_key()
    loaded = load_pem_private_key(private_pem(key), None)
    assert loaded.public_key() == load_pem_public_key(public_pem(key)) == key.public_key()


def test_no_two_certificates_have_the_same_number_or_key() -> None:
    again = client(AUTHORITY, "jane", (), DAY)
    assert again.certificate.serial_number != CLIENT.certificate.serial_number
    assert again.key_pem != CLIENT.key_pem
