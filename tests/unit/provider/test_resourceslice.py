"""What a consumer is answered, row by row."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import msgspec
import pytest

from liqo.api.authentication import (
    ResourceSlice,
    ResourceSliceCondition,
    TenantCondition,
)
from liqo.api.meta import JSON, Key, Meta
from liqo.provider.access import Access
from liqo.provider.certificate import Case, request_name
from liqo.provider.grant import DEFAULTS, Terms
from liqo.provider.quota import forge
from liqo.provider.resourceslice import State, controller, observe, plan
from liqo.rules import certificates, keys, names
from liqo.runtime.plan import NOTHING, Create, PatchStatus, Plan, Record
from tests import wire
from tests.unit.provider.things import (
    ADMITTED,
    CERTIFICATE,
    DOOR,
    HOME,
    LABELS,
    NOW,
    OTHER,
    PEM,
    SLICE_REQUEST,
    a_certificate_secret,
    a_home,
    a_node,
    a_signing_request,
    a_slice,
    a_tenant,
    answered,
    holding,
)

STAMP = "2026-11-15T10:17:16Z"


def a_state(
    asked: ResourceSlice | None = None, condition: TenantCondition = "Active", **changes: Any
) -> State:
    """Asked by rome, a tenant of ours; the certificate of the slice is there."""
    asked = asked or a_slice()
    state = State(
        asked=asked,
        home=a_home(),
        tenant=a_tenant(status=ADMITTED, tenant_condition=condition),
        granted=False,
        case=Case(asked, "rome", asked.spec.csr, CERTIFICATE, None, NOW),
        door=DOOR,
        terms=Terms(cluster_labels=LABELS),
        now=NOW,
    )
    return replace(state, **changes)


def change(planned: Plan) -> JSON:
    """Of the status, in the one write that there is."""
    [write] = [each for each in planned.actions if not isinstance(each, Record)]
    assert isinstance(write, PatchStatus)
    assert write.only_if_unchanged
    return write.status


def answers(planned: Plan) -> dict[str, tuple[str, str]]:
    """Status and reason by type."""
    said = change(planned)["conditions"]
    return {each["type"]: (each["status"], each["reason"]) for each in said}


def reasons(planned: Plan) -> list[str]:
    return [each.reason for each in planned.actions if isinstance(each, Record)]


def test_both_answers_come_in_one_write_and_are_those_that_were_captured() -> None:
    written = change(plan(a_state()))
    [captured] = [seen["status"] for seen in wire.captured(ResourceSlice) if "csr" in seen["spec"]][
        :1
    ]
    for field in ("conditions", "resources"):
        assert undated(written[field]) == undated(captured[field])
    assert written["authParams"].keys() == captured["authParams"].keys()
    assert written["nodeLabels"] == LABELS
    assert "storageClasses" not in written  # until there is a storage fabric


def undated(value: Any) -> Any:
    if isinstance(value, dict):
        return value
    return [{**each, "lastTransitionTime": STAMP} for each in value]


def test_an_answer_that_was_given_is_not_given_again() -> None:
    planned = plan(a_state(answered("Accepted")))
    assert planned.actions == ()
    assert planned.wake_after is not None


def test_what_changes_is_told() -> None:
    planned = plan(a_state())
    assert reasons(planned) == [
        "ResourceSliceAuthenticationAccepted",
        "ResourceSliceResourcesAccepted",
    ]
    again = plan(a_state(answered("Denied")))
    [told] = [each for each in again.actions if isinstance(each, Record)]
    assert told.message == "ResourceSlice resources updated"


def test_R13_what_is_no_longer_asked_for_is_no_longer_granted() -> None:
    asked = answered("Accepted", resources={"cpu": "8"})
    status = msgspec.structs.replace(asked.status, resources={**DEFAULTS, "gpu": "1"})
    written = change(plan(a_state(msgspec.structs.replace(asked, status=status))))
    assert written == {"resources": {"cpu": "8", "gpu": None}}


def test_R27_a_slice_without_request_is_left_alone() -> None:
    assert plan(a_state(answered("Accepted", csr=b""))) == NOTHING


def test_the_certificate_comes_first_and_both_answers_with_it() -> None:
    state = a_state()
    waiting = replace(state, case=replace(state.case, kept=b""))
    [asked] = plan(waiting).actions
    assert isinstance(asked, Create)


def test_a_tenant_that_is_not_admitted_yet_is_waited_for() -> None:
    assert plan(a_state(tenant=a_tenant())) == NOTHING


def test_who_is_trusted_without_handshake_may_use_any_key() -> None:
    other = certificates.request(keys.private_pem(OTHER), "rome", names.user_of("milan", "rome"))
    trusted = a_tenant(authz_policy="TolerateNoHandshake")
    planned = plan(a_state(a_slice(csr=other), tenant=trusted))
    assert answers(planned)["Authentication"][0] == "Accepted"


@pytest.mark.parametrize(
    "csr",
    [
        certificates.request(PEM, "liqo.io", names.user_of("milan", "rome")),
        certificates.request(PEM, "rome", names.user_of("other", "rome")),
        certificates.request(keys.private_pem(OTHER), "rome", names.user_of("milan", "rome")),
        b"rubbish",
    ],
)
def test_S1_a_request_for_another_user_group_or_key_is_denied(csr: bytes) -> None:
    planned = plan(a_state(a_slice(csr=csr)))
    assert reasons(planned)[0] == "InvalidCSR"
    assert answers(planned) == {"Authentication": ("Denied", "ResourceSliceAuthenticationDenied")}


def test_R1_the_key_that_counts_is_the_one_that_was_admitted_not_the_one_shown_now() -> None:
    shown = a_tenant(status=ADMITTED, public_key=keys.public_pem(OTHER.public_key()))
    assert plan(a_state(answered("Accepted"), tenant=shown)).actions == ()


def test_S3_a_slice_in_the_namespace_of_another_is_denied() -> None:
    elsewhere = a_home(**{"liqo.io/remote-cluster-id": "paris"})
    planned = plan(a_state(home=elsewhere))
    assert reasons(planned)[0] == "Invalid ResourceSlice"
    assert answers(planned)["Authentication"][0] == "Denied"


def test_S9_a_slice_that_changes_its_consumer_later_is_denied() -> None:
    planned = plan(a_state(answered("Accepted", consumer_cluster_id="paris"), tenant=None))
    assert answers(planned)["Authentication"][0] == "Denied"


def test_without_consumer_or_tenant_it_is_said() -> None:
    assert reasons(plan(a_state(a_slice(consumer_cluster_id="")))) == ["RemoteCertificateFailed"]
    assert reasons(plan(a_state(tenant=None))) == ["TenantNotFound"]


def test_without_address_or_signer_authentication_is_denied() -> None:
    planned = plan(a_state(door=None))
    assert reasons(planned)[0] == "AuthParamsFailed"
    refused = a_signing_request("x", "Denied", request=SLICE_REQUEST)
    state = a_state()
    planned = plan(replace(state, case=replace(state.case, kept=b"", signing=refused)))
    assert reasons(planned)[0] == "AuthParamsFailed"
    assert answers(planned)["Authentication"][0] == "Denied"


ACCEPTED = ("Accepted", "ResourceSliceResourcesAccepted")
DENIED = ("Denied", "ResourceSliceResourcesDenied")
CLOSED = ("Denied", "DefaultResourceSliceClassDisabled")


@pytest.mark.parametrize(
    ("tenant", "class_", "is_on", "answer"),
    [
        ("Active", "default", True, ACCEPTED),
        ("Active", "", True, ACCEPTED),
        ("Active", "default", False, CLOSED),
        ("Active", "gold", True, None),
        ("Active", "gold", False, None),
        ("Cordoned", "default", True, DENIED),
        ("Cordoned", "gold", True, DENIED),
        ("Drained", "default", True, DENIED),
        ("Drained", "gold", True, DENIED),
    ],
)
def test_resources_of_a_new_slice(
    tenant: TenantCondition, class_: str, is_on: bool, answer: tuple[str, str] | None
) -> None:
    terms = Terms(default_class=is_on)
    planned = plan(a_state(a_slice(class_=class_), tenant, terms=terms))
    assert answers(planned).get("Resources") == answer
    assert answers(planned)["Authentication"][0] == "Accepted"
    assert ("resources" in change(planned)) is (answer == ACCEPTED)


def test_what_was_granted_before_stays_while_the_tenant_is_cordoned() -> None:
    assert plan(a_state(answered("Accepted"), "Cordoned", granted=True)).actions == ()


def test_S7_who_accepts_its_own_slice_while_cordoned_is_denied() -> None:
    planned = plan(a_state(answered("Accepted"), "Cordoned"))
    assert answers(planned)["Resources"] == DENIED


def test_S7_what_a_consumer_writes_into_its_status_is_put_right() -> None:
    lying = answered("Accepted")
    status = msgspec.structs.replace(lying.status, resources={**DEFAULTS, "cpu": "1000"})
    written = change(plan(a_state(msgspec.structs.replace(lying, status=status))))
    assert written == {"resources": {"cpu": "4"}}


def test_R14_what_is_denied_later_was_granted_before_and_stays() -> None:
    closed = Terms(default_class=False, cluster_labels=LABELS)
    planned = plan(a_state(answered("Accepted"), terms=closed, granted=True))
    assert answers(planned)["Resources"] == CLOSED
    assert "resources" not in change(planned)
    [told] = [each for each in planned.actions if isinstance(each, Record)]
    assert told.type == "Warning"
    assert told.message.endswith("what was granted before stays in the Quota")


def test_a_class_that_nobody_serves_is_denied_after_half_a_minute() -> None:
    gold = answered(None, class_="gold")
    waiting = plan(a_state(gold))
    assert waiting.actions == ()
    assert waiting.wake_after == 30.0
    late = plan(a_state(gold, now=NOW + timedelta(seconds=30)))
    assert answers(late)["Resources"] == ("Denied", "NoClassController")


def test_what_the_controller_of_a_class_says_is_left_as_it_is() -> None:
    late = NOW + timedelta(hours=1)
    own = ResourceSliceCondition(type="Resources", status="Denied", reason="TooPoor")
    gold = answered(None, class_="gold")
    status = msgspec.structs.replace(gold.status, conditions=(*gold.status.conditions, own))
    for slice_ in (
        answered("Accepted", class_="gold"),
        msgspec.structs.replace(gold, status=status),
    ):
        assert plan(a_state(slice_, now=late)).actions == ()


def test_what_is_observed() -> None:
    asked, tenant = a_slice(), a_tenant(status=ADMITTED)
    kept = a_certificate_secret(CERTIFICATE, SLICE_REQUEST, "milan")
    node = a_node("control-plane", ("InternalIP", "10.200.0.12"))
    quota = forge(asked, {}, Terms())
    quota = msgspec.structs.replace(
        quota, metadata=msgspec.structs.replace(quota.metadata, resource_version="1")
    )
    terms = Terms(cluster_labels=LABELS)
    here = holding(asked, tenant, a_home(), kept, node, quota)
    found = observe(here, Access(ca=b"ca"), terms, lambda: NOW, asked.key)
    assert found == a_state(granted=True)
    assert observe(here, Access(), terms, lambda: NOW, Key(HOME, "other")) is None


def test_a_request_of_its_own_is_signed_for_each_slice_and_each_time() -> None:
    assert request_name(a_slice(), b"") != request_name(a_tenant(), b"")
    assert request_name(a_slice(), b"") != request_name(a_slice(), CERTIFICATE)


def test_our_own_requests_are_not_answered_here() -> None:
    own = msgspec.structs.replace(
        a_slice(), metadata=Meta(name="own", namespace=HOME, resource_version="1")
    )
    assert observe(holding(own), Access(), Terms(), lambda: NOW, own.key) is None


def test_everything_that_is_observed_is_watched() -> None:
    here = holding()
    caches = set(controller(here, Access(), Terms()).watches)
    observe(here, Access(), Terms(), lambda: NOW, Key(HOME, "milan"))
    assert caches == set(here)
