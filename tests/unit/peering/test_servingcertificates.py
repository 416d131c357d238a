"""S6: whose serving certificate is approved, and whose is left alone."""

from __future__ import annotations

from base64 import b64encode
from ipaddress import ip_address
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding
from cryptography.x509.oid import AttributeOID

from liqo.api import labels
from liqo.api.kubernetes import CertificateSigningRequest, Pod
from liqo.api.meta import Key, Meta
from liqo.api.offloading import VirtualNode
from liqo.kube.reading import Metadata
from liqo.peering.foreigncluster.peer import KUBELETS
from liqo.peering.servingcertificates import (
    NOBODY,
    REQUESTS,
    SIGNER,
    State,
    controller,
    observe,
    plan,
    requester,
)
from liqo.rules import certificates
from liqo.runtime.approvals import approve
from liqo.runtime.plan import NOTHING, do
from liqo.runtime.tenants import tenant_namespaces
from tests.unit.consumer import things

KUBELET = f"system:serviceaccount:{things.NAMESPACE}:milan"
ADDRESS, ELSEWHERE = "10.80.0.7", "10.80.0.8"
NAMES = (x509.IPAddress(ip_address(ADDRESS)), x509.DNSName("milan"))


def asked_for(
    *organizations: str, name: str = "system:node:milan", called: tuple[Any, ...] = NAMES
) -> bytes:
    subject = certificates.distinguished_name(name, organizations or ("system:nodes",))
    builder = x509.CertificateSigningRequestBuilder(subject)
    if called:
        builder = builder.add_extension(x509.SubjectAlternativeName(called), critical=False)
    return signed(builder)


def signed(builder: x509.CertificateSigningRequestBuilder) -> bytes:
    return builder.sign(certificates.new_key(), SHA256()).public_bytes(Encoding.PEM)


def asked_for_more() -> tuple[bytes, bytes]:
    """A node at its address, and besides: an extension, an attribute."""
    subject = certificates.distinguished_name("system:node:milan", ("system:nodes",))
    builder = x509.CertificateSigningRequestBuilder(subject).add_extension(
        x509.SubjectAlternativeName(NAMES), critical=False
    )
    authority = x509.BasicConstraints(ca=True, path_length=None)
    return (
        signed(builder.add_extension(authority, critical=True)),
        signed(builder.add_attribute(AttributeOID.CHALLENGE_PASSWORD, b"secret")),
    )


def a_request(pem: bytes = b"", *conditions: str, **spec: Any) -> CertificateSigningRequest:
    said = {
        "request": b64encode(pem or asked_for()).decode(),
        "signerName": SIGNER,
        "usages": ["digital signature", "key encipherment", "server auth"],
        "username": KUBELET,
        **spec,
    }
    decided = [{"type": each, "status": "True"} for each in conditions]
    return CertificateSigningRequest(
        metadata=Meta(name="csr-1", uid="1", resource_version="1"),
        raw_spec=things.raw(said),
        raw_status=things.raw({"conditions": decided}),
    )


def decided(signing: CertificateSigningRequest, *, at_home: bool = True) -> bool:
    """Whether it is approved."""
    planned = plan(State(signing, at_home, frozenset({ADDRESS})))
    assert planned in (NOTHING, do(approve(signing, *WORDS)))
    return planned != NOTHING


WORDS = "LiqoApproval", "This CSR was approved by Liqo"


def test_S6_a_kubelet_that_asks_for_its_own_node_is_approved() -> None:
    assert decided(a_request())
    assert decided(a_request(asked_for(called=NAMES[:1])))
    assert decided(a_request(usages=["digital signature", "server auth"]))


@pytest.mark.parametrize("word", ["Approved", "Denied", "Failed"])
def test_S6_what_is_decided_is_left_alone(word: str) -> None:
    assert not decided(a_request(asked_for(), word))


@pytest.mark.parametrize(
    "signer",
    ["kubernetes.io/kube-apiserver-client", "beta.eks.amazonaws.com/app-serving", ""],
)
def test_S6_another_signer_is_left_alone(signer: str) -> None:
    assert not decided(a_request(signerName=signer))


@pytest.mark.parametrize(
    "usages", [["digital signature", "client auth"], ["server auth", "client auth"], []]
)
def test_S6_who_wants_to_be_more_than_a_server_is_left_alone(usages: list[str]) -> None:
    assert not decided(a_request(usages=usages))


def test_S6_the_namespace_of_who_asks_must_carry_the_label_whatever_its_name() -> None:
    assert not decided(a_request(), at_home=False)


@pytest.mark.parametrize(
    "pem",
    [
        asked_for("system:nodes", "system:masters"),
        asked_for("rome"),
        asked_for(name="system:node:rome"),
        asked_for(name="system:node:"),
        asked_for(name="milan"),
        asked_for(called=(x509.IPAddress(ip_address(ELSEWHERE)),)),
        asked_for(called=(*NAMES, x509.DNSName("kubernetes.default.svc"))),
        asked_for(called=(*NAMES, x509.UniformResourceIdentifier("spiffe://rome"))),
        asked_for(called=(x509.DNSName("milan"),)),
        asked_for(called=()),
        *asked_for_more(),
        b"nonsense",
    ],
)
def test_S6_who_asks_for_anything_else_is_left_alone(pem: bytes) -> None:
    assert not decided(a_request(pem))


@pytest.mark.parametrize("account", ["default", "naples", "milan-2"])
def test_S6_another_account_of_that_namespace_is_left_alone(account: str) -> None:
    assert not decided(a_request(username=f"system:serviceaccount:{things.NAMESPACE}:{account}"))


@pytest.mark.parametrize(
    ("username", "account"),
    [
        (KUBELET, Key(things.NAMESPACE, "milan")),
        ("system:serviceaccount:handmade:x", Key("handmade", "x")),
        ("system:node:milan", NOBODY),
        ("system:serviceaccount:a", NOBODY),
        ("system:serviceaccount:a:b:c", NOBODY),
        ("prefix:system:serviceaccount:a:b", NOBODY),
        ("", NOBODY),
    ],
)
def test_S6_who_asks_is_read_exactly(username: str, account: Key) -> None:
    assert requester(a_request(username=username)) == account


def test_what_is_observed() -> None:
    here, signing = things.caches(), a_request()
    watched = controller(here).watches
    assert observe(here, signing.key) is None
    requests = here.of(CertificateSigningRequest, REQUESTS)
    requests.take(signing)
    assert observe(here, signing.key) == State(signing, False, frozenset())
    home = Metadata(metadata=things.a_namespace().metadata)
    tenant_namespaces(here).take(home)
    for name, address in (("milan", ADDRESS), ("naples", ELSEWHERE)):
        addressed = things.raw({"podIPs": [{"ip": address}]})
        marks = {labels.VIRTUAL_NODE: name}
        here.of(Pod, KUBELETS).take(
            Pod(metadata=things.meta(f"vk-{name}", labels=marks), raw_status=addressed)
        )
    assert observe(here, signing.key) == State(signing, True, frozenset())
    things.put(here, VirtualNode(metadata=things.meta("milan")))
    assert observe(here, signing.key) == State(signing, True, frozenset({ADDRESS}))
    assert list(watched[tenant_namespaces(here)](home)) == [signing.key]
