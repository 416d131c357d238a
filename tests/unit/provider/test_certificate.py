"""From a request to a certificate, and from one certificate to the next."""

from base64 import b64decode, b64encode
from dataclasses import replace
from datetime import timedelta

import pytest
from cryptography.hazmat.primitives.asymmetric.ed448 import Ed448PrivateKey

from liqo.api.authentication import TenantStatus
from liqo.api.kubernetes import CertificateSigningRequest, Secret
from liqo.provider.certificate import (
    Case,
    Outcome,
    known_key,
    observe,
    observe_known,
    request_name,
    settle,
)
from liqo.rules import certificates, keys
from liqo.runtime.plan import Apply, Create, Delete, Manifest
from tests.unit.provider.things import (
    ADMITTED,
    CERTIFICATE,
    HOME,
    NOW,
    OTHER,
    PUBLIC,
    REQUEST,
    SLICE_REQUEST,
    UNKNOWN,
    a_certificate,
    a_certificate_secret,
    a_home,
    a_signing_request,
    a_slice,
    a_tenant,
    holding,
    unreadable,
)

TENANT = a_tenant()
NAME = request_name(TENANT, b"")
DAY = timedelta(days=1)
DUE = a_certificate(born=NOW - 21 * DAY)
EXPIRED = a_certificate(born=NOW - 31 * DAY)


def a_case(
    kept: bytes = b"", signing: CertificateSigningRequest | None = None, later: timedelta = 0 * DAY
) -> Case:
    return Case(TENANT, "rome", REQUEST, kept, signing, NOW + later)


def test_a_fresh_certificate_is_handed_out_and_looked_at_when_it_is_due() -> None:
    outcome = settle(a_case(CERTIFICATE))
    assert outcome == Outcome(CERTIFICATE, wake_after=outcome.wake_after)
    assert outcome.wake_after == pytest.approx(1.1 * 20 * DAY.total_seconds())


def test_without_certificate_one_is_asked_for_as_the_wire_has_it() -> None:
    assert settle(a_case()) == Outcome(
        actions=(
            Create(
                Manifest(
                    CertificateSigningRequest.KIND,
                    {
                        "metadata": {
                            "name": NAME,
                            "labels": {
                                "liqo.io/remote-cluster-id": "rome",
                                "liqo.io/remote-tenant-csr": "true",
                                "liqo.io/managed": "true",
                            },
                        },
                        "spec": {
                            "request": b64encode(REQUEST).decode(),
                            "signerName": "kubernetes.io/kube-apiserver-client",
                            "usages": ["digital signature", "key encipherment", "client auth"],
                        },
                    },
                )
            ),
        )
    )


def test_what_was_asked_for_is_approved() -> None:
    outcome = settle(a_case(signing=a_signing_request(NAME)))
    approval = {
        "type": "Approved",
        "status": "True",
        "reason": "IdentityManagerApproval",
        "message": "This CSR was approved by Liqo Identity Manager",
    }
    body = {"metadata": {"name": NAME, "uid": "csr-1"}, "status": {"conditions": [approval]}}
    manifest = Manifest(CertificateSigningRequest.KIND, body)
    assert outcome == Outcome(actions=(Apply(manifest, subresource="approval"),))


def test_S1_what_somebody_else_put_in_its_place_is_never_approved_nor_believed() -> None:
    planted = a_signing_request(NAME, request=b"for another group")
    assert settle(a_case(signing=planted)) == Outcome(actions=(Delete(planted),))
    signed = a_signing_request(NAME, "Approved", certificate=CERTIFICATE, request=b"of another")
    assert settle(a_case(signing=signed)) == Outcome(actions=(Delete(signed),))


def test_what_is_approved_is_waited_for_and_after_half_a_minute_missed() -> None:
    approved = a_signing_request(NAME, "Approved")
    assert settle(a_case(signing=approved)) == Outcome(wake_after=30.0)
    late = settle(a_case(signing=approved, later=timedelta(seconds=30)))
    assert late.problem.startswith(f"nobody has signed {NAME}")


@pytest.mark.parametrize("word", ["Denied", "Failed"])
def test_what_is_refused_is_said(word: str) -> None:
    outcome = settle(a_case(signing=a_signing_request(NAME, "Approved", word)))
    assert outcome == Outcome(problem=f"the signing request {NAME} is {word}: so it is")


def test_R2_what_is_signed_is_kept_and_ends_with_its_holder() -> None:
    signed = a_signing_request(NAME, "Approved", certificate=CERTIFICATE)
    outcome = settle(a_case(signing=signed))
    assert outcome.certificate == CERTIFICATE
    assert outcome.wake_after is not None
    [kept] = outcome.actions
    assert isinstance(kept, Apply)
    assert isinstance(kept.object, Manifest)
    assert kept.object.kind == Secret.KIND
    assert kept.object.body["metadata"] == {
        "name": "liqo-remote-certificate",
        "namespace": HOME,
        "labels": {"liqo.io/remote-cluster-id": "rome", "liqo.io/managed": "true"},
        "ownerReferences": [
            {
                "apiVersion": "authentication.liqo.io/v1beta1",
                "kind": "Tenant",
                "name": "rome",
                "uid": "tenant-1",
                "controller": True,
                "blockOwnerDeletion": True,
            }
        ],
    }
    assert {name: b64decode(value) for name, value in kept.object.body["data"].items()} == {
        "csr": REQUEST,
        "certificate": CERTIFICATE,
    }


def test_a_due_certificate_is_still_handed_out_while_the_next_is_made() -> None:
    outcome = settle(a_case(DUE))
    assert outcome.certificate == DUE
    [asked] = outcome.actions
    assert isinstance(asked, Create)
    assert isinstance(asked.object, Manifest)
    assert asked.object.body["metadata"]["name"] == request_name(TENANT, DUE) != NAME


def test_what_was_signed_long_ago_is_asked_for_again() -> None:
    stale = a_signing_request(NAME, "Approved", certificate=DUE)
    later = timedelta(seconds=30)
    assert settle(a_case(signing=stale, later=later)) == Outcome(actions=(Delete(stale),))


def test_a_clock_that_is_wrong_does_not_keep_the_signer_busy() -> None:
    stale = a_signing_request(NAME, "Approved", certificate=EXPIRED)
    assert settle(a_case(signing=stale)) == Outcome(wake_after=30.0)


def test_a_certificate_that_is_kept_is_found_with_its_request() -> None:
    kept, signing = a_certificate_secret(CERTIFICATE), a_signing_request(NAME)
    assert observe(holding(kept, signing), TENANT, "rome", NOW) == a_case(CERTIFICATE)
    assert observe(holding(signing), TENANT, "rome", NOW) == a_case(signing=signing)


@pytest.mark.parametrize(
    "kept",
    [
        a_certificate_secret(CERTIFICATE, request=b"of another key"),
        a_certificate_secret(b""),
        a_certificate_secret(b"rubbish"),
    ],
)
def test_R1_a_certificate_of_another_request_is_none_and_hinders_nothing(kept: Secret) -> None:
    assert observe(holding(kept), TENANT, "rome", NOW) == a_case()


OF_ANOTHER = certificates.request(keys.private_pem(OTHER), "liqo.io", "rome")


def test_R1_the_request_of_the_key_that_we_know_is_found_whatever_the_tenant_asks_for_now() -> None:
    tenant = a_tenant(status=ADMITTED, csr=OF_ANOTHER, public_key=b"of another")
    kept, signing = a_certificate_secret(CERTIFICATE), a_signing_request(NAME)
    fresh = observe_known(holding(kept), tenant, NOW)
    assert fresh is not None
    assert fresh == replace(a_case(CERTIFICATE), holder=fresh.holder)
    assert fresh.holder.metadata == tenant.metadata
    expired = observe_known(holding(a_certificate_secret(EXPIRED), signing), tenant, NOW)
    assert expired is not None
    assert expired == replace(a_case(signing=signing), holder=expired.holder)


@pytest.mark.parametrize(
    ("status", "kept"),
    [
        (UNKNOWN, a_certificate_secret(CERTIFICATE)),
        (ADMITTED, a_certificate_secret(a_certificate(OTHER), OF_ANOTHER)),
        (ADMITTED, a_certificate_secret(CERTIFICATE, SLICE_REQUEST)),
        (ADMITTED, a_certificate_secret(CERTIFICATE, b"rubbish")),
        (ADMITTED, a_certificate_secret(CERTIFICATE, slice_name="elsewhere")),
        (unreadable(ADMITTED), a_certificate_secret(a_certificate(OTHER), OF_ANOTHER)),
    ],
)
def test_R1_what_is_kept_counts_only_as_a_request_of_the_key_that_we_know(
    status: TenantStatus, kept: Secret
) -> None:
    assert observe_known(holding(kept), a_tenant(status=status), NOW) is None


def test_R2_an_expired_certificate_is_none() -> None:
    assert observe(holding(a_certificate_secret(EXPIRED)), TENANT, "rome", NOW) == a_case()


def test_the_certificate_of_a_slice_is_kept_under_its_name() -> None:
    kept = a_certificate_secret(CERTIFICATE, SLICE_REQUEST, "milan")
    found = observe(holding(kept), a_slice(), "rome", NOW)
    assert found == Case(a_slice(), "rome", SLICE_REQUEST, CERTIFICATE, None, NOW)


@pytest.mark.parametrize(
    "planted", [a_certificate(OTHER), a_certificate(Ed448PrivateKey.generate()), b"rubbish"]
)
def test_what_somebody_put_where_we_keep_a_certificate_is_not_handed_out(planted: bytes) -> None:
    """A peering user may delete and create Secrets in its tenant namespace."""
    here = holding(TENANT, a_home(), a_certificate_secret(planted))
    assert observe(here, TENANT, "rome", NOW).kept == b""


def test_a_signer_that_signs_something_else_is_told_of() -> None:
    for signed in (a_certificate(OTHER), a_certificate(Ed448PrivateKey.generate()), b"rubbish"):
        outcome = settle(a_case(signing=a_signing_request(NAME, "Approved", certificate=signed)))
        assert (outcome.certificate, outcome.actions) == (b"", ())
        assert outcome.problem == f"what was signed for {NAME} is no certificate of the key in it"


def test_the_key_of_a_tenant_is_the_one_that_was_certified() -> None:
    assert known_key(TENANT) is None
    assert known_key(a_tenant(status=ADMITTED, public_key=b"another")) == PUBLIC
    assert known_key(a_tenant(status=unreadable(ADMITTED))) == b""
