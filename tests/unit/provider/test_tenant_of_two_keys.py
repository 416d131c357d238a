"""Two keys under one ID: a consumer that was installed anew, or a second one beside the first."""

from base64 import b64decode
from dataclasses import replace
from datetime import timedelta
from typing import Any

import msgspec
import pytest

from liqo.api.authentication import Tenant, TenantStatus
from liqo.api.kubernetes import CertificateSigningRequest, Secret
from liqo.provider.access import Access
from liqo.provider.certificate import Case
from liqo.provider.rights import to_cluster, to_namespace
from liqo.provider.tenant import State, observe, plan
from liqo.rules import certificates, handshake, keys
from liqo.runtime.plan import Apply, Create, Manifest, Plan, Record, identity
from tests.unit.provider.test_tenant import GIVEN, a_state, refused, said, writes
from tests.unit.provider.things import (
    ADMITTED,
    CERTIFICATE,
    DOOR,
    HOME,
    NONCE,
    NOW,
    OTHER,
    REQUEST,
    a_certificate,
    a_certificate_secret,
    a_home,
    a_map,
    a_nonce,
    a_renew,
    a_signing_request,
    a_slice,
    a_tenant,
    holding,
    unreadable,
)

PEM_OF_ANOTHER = keys.private_pem(OTHER)
SAID_BY_ANOTHER = {
    "public_key": keys.public_pem(OTHER.public_key()),
    "csr": certificates.request(PEM_OF_ANOTHER, "liqo.io", "rome"),
    "signature": handshake.sign(PEM_OF_ANOTHER, NONCE),
    "proxy_url": "http://of.another:8118",
}


def with_key_of_another(**spec: Any) -> Tenant:
    return a_tenant(status=ADMITTED, **{**SAID_BY_ANOTHER, **spec})


def test_R1_a_consumer_installed_anew_is_admitted_with_its_new_key() -> None:
    newer = a_certificate(key=OTHER)
    state = a_state(with_key_of_another())
    planned = plan(replace(state, case=replace(state.case, kept=newer)))
    assert said(planned) == [("Normal", "CertificateRenewed")]


@pytest.mark.parametrize(
    "left", [{"slices": (a_slice(),)}, {"maps": (a_map(),)}, {"renews": (a_renew(),)}]
)
def test_R1_a_second_cluster_with_the_same_id_is_refused(left: dict[str, Any]) -> None:
    assert refused(a_state(with_key_of_another(), **left)) == "InvalidCSR"


def test_a_certificate_that_nobody_can_read_is_a_refusal_while_something_is_left() -> None:
    tenant = a_tenant(status=unreadable(ADMITTED))
    assert refused(a_state(tenant, slices=(a_slice(),))) == "InvalidCSR"
    assert said(plan(a_state(tenant))) == [("Normal", "CertificateRenewed")]


def test_a_nonce_is_needed_once_then_its_key_is_known() -> None:
    """Deleted, or made anew, while its Tenant lives: certificates are renewed all the same."""
    newer = a_certificate(born=NOW + timedelta(days=1))
    for nonce in (None, a_nonce(b""), a_nonce(handshake.nonce(b"n" * 64))):
        state = a_state(a_tenant(status=ADMITTED), nonce=nonce, slices=(a_slice(),))
        planned = plan(replace(state, case=replace(state.case, kept=newer)))
        assert said(planned) == [("Normal", "CertificateRenewed")]


def test_S2_another_key_needs_the_nonce_that_is_valid_now() -> None:
    for nonce in (None, a_nonce(handshake.nonce(b"n" * 64))):
        assert refused(a_state(with_key_of_another(), nonce=nonce)) in (
            "NonceNotFound",
            "SignatureVerificationFailed",
        )
    rubbish = a_tenant(status=ADMITTED, public_key=b"rubbish")
    assert refused(a_state(rubbish)) == "SignatureVerificationFailed"


def test_R1_the_same_key_in_another_request_is_the_same_cluster() -> None:
    planned = plan(a_state(a_tenant(status=ADMITTED), slices=(a_slice(),)))
    assert said(planned) == []


def test_R1_who_is_refused_is_told_how_a_cluster_that_was_installed_anew_comes_back() -> None:
    planned = plan(a_state(with_key_of_another(), renews=(a_renew(),)))
    [problem] = [each for each in planned.actions if isinstance(each, Record)]
    for words in ("another ID", "liqoctl drain tenant rome", "liqoctl activate tenant rome"):
        assert words in problem.message


def beside_another(kept: bytes = CERTIFICATE, **changes: Any) -> State:
    """Rome borrows, and another cluster with its ID has written its Tenant since."""
    known = Case(a_tenant(), "rome", REQUEST, kept, None, NOW)
    state = a_state(with_key_of_another(), known=known, rights=GIVEN, renews=(a_renew(),))
    return replace(state, case=replace(state.case, kept=b""), **changes)


def requests(planned: Plan) -> set[bytes]:
    """What somebody would sign, or keep as signed, if all of it was done."""
    found = set()
    for each in planned.actions:
        if isinstance(each, Create | Apply) and isinstance(each.object, Manifest):
            body = each.object.body
            if each.object.kind == CertificateSigningRequest.KIND:
                found.add(b64decode(body["spec"]["request"]))
            if each.object.kind == Secret.KIND:
                found.add(b64decode(body["data"]["csr"]))
    return found


DUE = a_certificate(born=NOW - timedelta(days=21))
NEWER = a_certificate(born=NOW + timedelta(days=1))


@pytest.mark.parametrize(
    ("spec", "nonce", "reason"),
    [
        ({}, a_nonce(), "InvalidCSR"),
        ({}, None, "NonceNotFound"),
        ({"signature": b"x" * 64}, a_nonce(), "SignatureVerificationFailed"),
        ({"public_key": b"rubbish"}, a_nonce(), "SignatureVerificationFailed"),
        ({"csr": REQUEST}, a_nonce(), "InvalidCSR"),
        ({"public_key": a_tenant().spec.public_key}, a_nonce(), "InvalidCSR"),
        ({"public_key": a_tenant().spec.public_key, "csr": b"rubbish"}, None, "InvalidCSR"),
    ],
)
def test_R1_whoever_is_refused_under_its_id_the_one_we_know_gets_its_next_certificate(
    spec: dict[str, Any], nonce: Secret | None, reason: str
) -> None:
    planned = plan(beside_another(DUE, tenant=with_key_of_another(**spec), nonce=nonce))
    assert said(planned)[0] == ("Warning", reason)
    assert requests(planned) == {REQUEST}


def test_R1_while_another_is_refused_the_certificate_of_the_one_we_know_is_looked_after() -> None:
    state = beside_another()
    planned = plan(state)
    bound = [*to_namespace(state.tenant, GIVEN), *to_cluster(state.tenant, GIVEN)]
    assert writes(planned) == bound
    assert said(planned) == [("Warning", "InvalidCSR")]
    assert planned.wake_after == pytest.approx(1.1 * timedelta(days=20).total_seconds())


def test_R1_what_is_told_is_of_the_one_we_know_and_nothing_of_the_other() -> None:
    state = beside_another(DUE)
    assert state.known is not None
    signing = a_signing_request("x", "Approved", certificate=NEWER)
    planned = plan(replace(state, known=replace(state.known, signing=signing)))
    told = msgspec.structs.replace(DOOR, signed_crt=NEWER)  # without the proxy of the other
    status = TenantStatus(tenant_namespace=HOME, auth_params=told)
    wanted = Apply(Tenant(metadata=identity(state.tenant), status=status), subresource="status")
    assert wanted in planned.actions
    assert said(planned) == [("Warning", "InvalidCSR"), ("Normal", "CertificateRenewed")]
    assert requests(planned) == {REQUEST}


@pytest.mark.parametrize(
    "changes",
    [
        {"known": None},
        {"renews": (), "nonce": None},  # nothing here is the first one's any more
        {"home": None},
    ],
)
def test_R1_where_nobody_is_known_or_has_anything_here_nothing_is_signed(
    changes: dict[str, Any],
) -> None:
    assert refused(beside_another(DUE, **changes))


def test_R1_the_key_of_another_is_found_beside_the_request_of_the_one_we_know() -> None:
    tenant = with_key_of_another()
    here = holding(tenant, a_home(), a_renew(), a_certificate_secret(CERTIFICATE))
    found = observe(here, Access(), lambda: NOW, tenant.key)
    assert found is not None
    assert (found.case.request, found.case.kept) == (SAID_BY_ANOTHER["csr"], b"")
    assert found.known is not None
    assert (found.known.request, found.known.kept) == (REQUEST, CERTIFICATE)
