"""Certificates that two real ends of TLS accept, strictly, or refuse."""

import ssl
from datetime import UTC, datetime, timedelta
from ipaddress import IPv4Address
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding
from cryptography.x509.oid import NameOID

from liqo.rules import certificates, keys
from liqo.rules.certificates import SKEW, Lifetime, Pair, authority, client, server

NOW = datetime.now(UTC)
DAY = Lifetime(NOW, timedelta(days=1))
AUTHORITY = authority("rome-ca", DAY)
SERVER = server(AUTHORITY, "kube-apiserver", ("kubernetes.default.svc", "10.0.0.1"), DAY)
CLIENT = client(AUTHORITY, "jane", ("system:masters", "admins"), DAY)

KEY = keys.new_key(tls_compatible=False)
PUBLIC = keys.public_pem(KEY.public_key())
REQUEST = certificates.request(keys.private_pem(KEY), "liqo.io", "rome")
O, CN, OU = (  # noqa: E741  # as they are called in a subject
    NameOID.ORGANIZATION_NAME,
    NameOID.COMMON_NAME,
    NameOID.ORGANIZATIONAL_UNIT_NAME,
)


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


def test_no_two_certificates_have_the_same_number_or_key() -> None:
    again = client(AUTHORITY, "jane", (), DAY)
    assert again.certificate.serial_number != CLIENT.certificate.serial_number
    assert again.key_pem != CLIENT.key_pem


def asked(*subject: tuple[x509.ObjectIdentifier, str], alternative: str = "") -> bytes:
    """A request that somebody else wrote."""
    name = x509.Name([x509.NameAttribute(oid, value) for oid, value in subject])
    builder = x509.CertificateSigningRequestBuilder(name)
    if alternative:
        names = x509.SubjectAlternativeName([x509.DNSName(alternative)])
        builder = builder.add_extension(names, critical=False)
    return builder.sign(keys.private_key(keys.private_pem(KEY)), None).public_bytes(Encoding.PEM)


def test_a_request_is_laid_out_as_the_wire_has_it() -> None:
    """O, then CN, as PrintableStrings (tag 0x13), no attributes: the bytes of the Go side."""
    read = x509.load_pem_x509_csr(REQUEST)
    assert read.subject.public_bytes().hex() == (
        "3021"  # two names
        "3110300e060355040a1307" + b"liqo.io".hex() + "310d300b06035504031304" + b"rome".hex()
    )
    assert len(read.attributes) == 0
    assert read.is_signature_valid


@pytest.mark.parametrize("compatible", [False, True])
def test_a_request_is_the_same_bytes_each_time(compatible: bool) -> None:
    pem = keys.private_pem(keys.new_key(tls_compatible=compatible))
    assert certificates.request(pem, "rome", "x") == certificates.request(pem, "rome", "x")


@pytest.mark.parametrize(
    ("curve", "digest"),
    [(ec.SECP256R1(), "sha256"), (ec.SECP384R1(), "sha384"), (ec.SECP521R1(), "sha512")],
)
def test_a_longer_curve_gets_a_longer_digest(curve: ec.EllipticCurve, digest: str) -> None:
    pem = certificates.request(keys.private_pem(ec.generate_private_key(curve)), "liqo.io", "rome")
    hashed = x509.load_pem_x509_csr(pem).signature_hash_algorithm
    assert hashed is not None
    assert hashed.name == digest


def test_the_name_of_a_peering_user_may_be_longer_than_x520_allows() -> None:
    name = f"liqo-peer-user-rome-{'0' * 80}"
    pem = certificates.request(keys.private_pem(KEY), "liqo.io", name)
    assert certificates.check_request(pem, "liqo.io", name, PUBLIC) == ""


def test_a_request_as_it_should_be_is_accepted_with_any_form_of_the_key_or_none() -> None:
    bare = keys.public_key(PUBLIC).public_bytes_raw()  # type: ignore[union-attr]  # Ed25519
    for public in (PUBLIC, bare, b""):
        assert certificates.check_request(REQUEST, "liqo.io", "rome", public) == ""


def test_S1_a_request_for_any_other_subject_is_refused() -> None:
    for subject in (
        [(O, "liqo.io"), (O, "milan"), (CN, "rome")],  # the group of another consumer
        [(O, "liqo.io"), (CN, "rome"), (OU, "x")],
        [(O, "liqo.io"), (CN, "rome"), (CN, "rome")],
        [(O, "milan"), (CN, "rome")],
        [(O, "liqo.io"), (CN, "milan")],
        [(CN, "rome")],
        [],
    ):
        problem = certificates.check_request(asked(*subject), "liqo.io", "rome", PUBLIC)
        assert problem.startswith("its subject is ")
        assert problem.endswith(", not exactly O=liqo.io + CN=rome")


def test_S1_a_request_for_extensions_is_refused() -> None:
    pem = asked((O, "liqo.io"), (CN, "rome"), alternative="kubernetes.default.svc")
    problem = certificates.check_request(pem, "liqo.io", "rome", PUBLIC)
    assert problem == "it asks for extensions or other attributes, and none are allowed"


def test_a_request_for_the_key_of_another_is_refused() -> None:
    other = keys.public_pem(keys.new_key(tls_compatible=True).public_key())
    problem = certificates.check_request(REQUEST, "liqo.io", "rome", other)
    assert problem == "its key is not the one that signed the nonce"


def test_a_request_that_its_own_key_did_not_sign_is_refused() -> None:
    read = x509.load_pem_x509_csr(REQUEST)
    forged = read.public_bytes(Encoding.DER)[:-1] + bytes([read.signature[-1] ^ 1])
    pem = x509.load_der_x509_csr(forged).public_bytes(Encoding.PEM)
    problem = certificates.check_request(pem, "liqo.io", "rome", PUBLIC)
    assert problem == "it is not signed with its own key"


def of_a_kubelet(*extensions: x509.ExtensionType) -> x509.CertificateSigningRequest:
    subject = certificates.distinguished_name("system:node:milan", ("system:nodes",))
    builder = x509.CertificateSigningRequestBuilder(subject)
    for each in extensions:
        builder = builder.add_extension(each, critical=False)
    return builder.sign(certificates.new_key(), SHA256())


def test_S6_a_serving_request_for_more_than_its_names_is_refused() -> None:
    names = x509.SubjectAlternativeName([x509.DNSName("milan.example.com")])
    pem = of_a_kubelet(names).public_bytes(Encoding.PEM)
    assert certificates.serving_request(pem).addresses == {"milan.example.com"}
    an_authority = x509.BasicConstraints(ca=True, path_length=None)
    with pytest.raises(ValueError, match=r"asks for 2\.5\.29\.19"):
        certificates.serving_request(of_a_kubelet(names, an_authority).public_bytes(Encoding.PEM))


def test_S6_a_serving_request_that_its_own_key_did_not_sign_is_refused() -> None:
    read = of_a_kubelet(x509.SubjectAlternativeName([x509.DNSName("milan.example.com")]))
    forged = read.public_bytes(Encoding.DER)[:-1] + bytes([read.signature[-1] ^ 1])
    pem = x509.load_der_x509_csr(forged).public_bytes(Encoding.PEM)
    with pytest.raises(ValueError, match="not its own key"):
        certificates.serving_request(pem)


@pytest.mark.parametrize(
    "rubbish",
    [
        b"",
        b"liqo",
        REQUEST + REQUEST,
        REQUEST + b"x",
        b"x" + REQUEST,
        b"-----BEGIN CERTIFICATE REQUEST-----\nbGlxbw==\n-----END CERTIFICATE REQUEST-----\n",
    ],
)
def test_what_is_not_exactly_one_request_is_refused(rubbish: bytes) -> None:
    problem = certificates.check_request(rubbish, "liqo.io", "rome", PUBLIC)
    assert problem.startswith("it cannot be read: ")


def test_whose_certificate_is_asked_for() -> None:
    assert keys.same_key(certificates.requested_key(REQUEST), KEY.public_key())


@pytest.mark.parametrize(
    ("backdated", "lives", "renewed"),
    [
        (timedelta(minutes=5), timedelta(days=30), timedelta(days=20)),
        (timedelta(minutes=5), timedelta(seconds=60), timedelta(seconds=40)),
        (timedelta(0), timedelta(seconds=60), timedelta(seconds=40)),
    ],
)
def test_a_certificate_is_renewed_after_two_thirds_of_its_life(
    backdated: timedelta, lives: timedelta, renewed: timedelta
) -> None:
    """Kubernetes dates back by five minutes: those are not lived."""
    born = NOW.replace(microsecond=0)
    pem = certificate(born - backdated, born + lives)
    assert certificates.renew_at(pem) == born + renewed
    assert certificates.expires_at(pem) == born + lives
    assert certificates.seconds_until_renewal(pem, born) == pytest.approx(
        1.1 * renewed.total_seconds()
    )
    assert certificates.seconds_until_renewal(pem, born + renewed) <= 0


def certificate(start: datetime, end: datetime) -> bytes:
    key = certificates.new_key()
    name = certificates.distinguished_name("rome")
    builder = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(start)
        .not_valid_after(end)
    )
    return builder.sign(key, SHA256()).public_bytes(Encoding.PEM)


def test_whose_a_certificate_is() -> None:
    assert keys.same_key(
        certificates.certified_key(CLIENT.certificate_pem), CLIENT.key.public_key()
    )


def test_who_trusts_the_elder_trusts_whom_it_vouches_for(tmp_path: Path) -> None:
    """The chain of a server whose authority is new, to a caller who knows the old one only."""
    newcomer = authority("milan-ca", DAY)
    served = server(newcomer, "kube-apiserver", ("10.0.0.1",), DAY)
    listener = end(ssl.Purpose.CLIENT_AUTH, served, AUTHORITY, tmp_path)
    chain = tmp_path / "chain.pem"
    link = certificates.vouched(newcomer, AUTHORITY, NOW)
    chain.write_bytes(served.certificate_pem + link.certificate_pem + served.key_pem)
    caller = end(ssl.Purpose.SERVER_AUTH, CLIENT, AUTHORITY, tmp_path)
    with pytest.raises(ssl.SSLCertVerificationError):
        handshake(listener, caller, "10.0.0.1")
    listener.load_cert_chain(chain)
    assert handshake(listener, caller, "10.0.0.1").getpeercert() is not None


def test_nobody_vouches_for_longer_than_it_lives() -> None:
    newcomer = authority("milan-ca", Lifetime(NOW, timedelta(days=9)))
    link = certificates.vouched(newcomer, AUTHORITY, NOW).certificate
    assert link.not_valid_after_utc == AUTHORITY.certificate.not_valid_after_utc


def test_a_pair_is_read_as_it_was_written() -> None:
    assert (
        certificates.pair(SERVER.certificate_pem, SERVER.key_pem).certificate == SERVER.certificate
    )


@pytest.mark.parametrize(
    ("key", "words"),
    [(CLIENT.key_pem, "of another certificate"), (keys.private_pem(KEY), "of an elliptic curve")],
)
def test_a_key_of_something_else_is_no_pair(key: bytes, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        certificates.pair(SERVER.certificate_pem, key)


def test_of_a_bundle_the_living_remain() -> None:
    dead = authority("old-ca", Lifetime(NOW - timedelta(days=9), timedelta(days=1)))
    bundle = dead.certificate_pem + AUTHORITY.certificate_pem
    assert certificates.unexpired(bundle, NOW) == AUTHORITY.certificate_pem


def test_a_servers_names_can_be_read() -> None:
    assert certificates.addresses(SERVER.certificate_pem) == ["kubernetes.default.svc"]


def a_serving_request(*extensions: x509.ExtensionType, tampered: bool = False) -> bytes:
    """As a virtual kubelet asks for its certificate."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name(
        [
            x509.NameAttribute(NameOID.ORGANIZATION_NAME, "system:nodes"),
            x509.NameAttribute(NameOID.COMMON_NAME, "system:node:milan"),
        ]
    )
    builder = x509.CertificateSigningRequestBuilder().subject_name(name)
    for extension in extensions:
        builder = builder.add_extension(extension, critical=False)
    signed = builder.sign(key, SHA256())
    if not tampered:
        return signed.public_bytes(Encoding.PEM)
    content = signed.public_bytes(Encoding.DER)
    other = content.replace(b"system:node:milan", b"system:node:paris")
    return x509.load_der_x509_csr(other).public_bytes(Encoding.PEM)


ADDRESS = x509.SubjectAlternativeName([x509.IPAddress(IPv4Address("10.71.0.7"))])


def test_S6_a_kubelet_asks_for_its_node_and_its_address_and_for_nothing_else() -> None:
    asked = certificates.serving_request(a_serving_request(ADDRESS))
    assert (asked.node, asked.addresses) == ("milan", frozenset({"10.71.0.7"}))
    with pytest.raises(ValueError, match="no address"):
        certificates.serving_request(a_serving_request())
    more = x509.BasicConstraints(ca=True, path_length=None)
    with pytest.raises(ValueError, match="asks for"):
        certificates.serving_request(a_serving_request(ADDRESS, more))
    with pytest.raises(ValueError, match="not its own key"):
        certificates.serving_request(a_serving_request(ADDRESS, tampered=True))
