"""What a consumer is answered, row by row."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import msgspec
import pytest

from liqo.api import labels
from liqo.api.authentication import (
    ResourceSlice,
    ResourceSliceCondition,
    TenantCondition,
)
from liqo.api.meta import JSON, Key, Meta
from liqo.provider import grant
from liqo.provider.access import Access
from liqo.provider.certificate import Case, request_name
from liqo.provider.grant import DEFAULTS, Offered, Terms
from liqo.provider.quota import forge
from liqo.provider.resourceslice import State, controller, observe, plan
from liqo.rules import certificates, keys, names
from liqo.runtime.plan import NOTHING, Create, Patch, PatchStatus, Plan, Record, do
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
    leaving,
    lending,
    marked,
    unreadable,
)

ENDING = leaving(a_tenant(status=ADMITTED), NOW)
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
        platform={},
        now=NOW,
    )
    return replace(state, **changes)


def change(planned: Plan) -> JSON:
    """Of the status, in one write."""
    [write] = [each for each in planned.actions if isinstance(each, PatchStatus)]
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


def test_the_platform_of_our_nodes_is_told_unless_an_administrator_says_otherwise() -> None:
    arm = {"kubernetes.io/arch": "arm64", "kubernetes.io/os": "linux"}
    assert change(plan(a_state(platform=arm)))["nodeLabels"] == {**arm, **LABELS}
    told = Terms(cluster_labels={"kubernetes.io/arch": "riscv64"})
    answered = change(plan(a_state(platform=arm, terms=told)))["nodeLabels"]
    assert answered == {"kubernetes.io/arch": "riscv64", "kubernetes.io/os": "linux"}


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


def noticed(asked: ResourceSlice, since: str) -> ResourceSlice:
    """With what we wrote on it when we first saw that its class had to answer."""
    return marked(asked, class_asked=since)


def test_a_class_that_nobody_serves_is_denied_half_a_minute_after_it_was_first_asked() -> None:
    """However old the slice is: nobody may have been there to ask."""
    hour = NOW + timedelta(hours=1)
    gold = answered(None, class_="gold")
    first = plan(a_state(gold, now=hour))
    mark = {"metadata": {"annotations": {labels.CLASS_ASKED: "2026-11-15T11:17:16Z gold"}}}
    assert first == do(Patch(gold, mark), wake_after=30.0)
    seen = noticed(gold, "2026-11-15T11:17:16Z gold")
    assert plan(a_state(seen, now=hour + timedelta(seconds=10))) == do(wake_after=20.0)
    late = plan(a_state(seen, now=hour + timedelta(seconds=30)))
    assert answers(late)["Resources"] == ("Denied", "NoClassController")


@pytest.mark.parametrize(
    "since",
    [
        "2026-11-15T09:00:00Z silver",
        "yesterday gold",
        "soonZ gold",
        "2026-11-15T09:00:00 gold",
        "",
        " ",
    ],
)
def test_another_class_has_half_a_minute_of_its_own(since: str) -> None:
    asked = noticed(answered(None, class_="gold"), since)
    waiting = plan(a_state(asked))
    assert waiting.wake_after == 30.0
    assert [type(each) for each in waiting.actions] == [Patch]


def test_that_nobody_answered_for_another_class_is_taken_back() -> None:
    silver = grant.nobody_answers(a_slice(class_="silver"))
    asked = answered(None, class_="gold")
    status = msgspec.structs.replace(asked.status, conditions=(*asked.status.conditions, silver))
    asked = noticed(msgspec.structs.replace(asked, status=status), "2026-11-15T09:00:00Z silver")
    again, mark = plan(a_state(asked)).actions
    assert isinstance(again, PatchStatus)
    assert [each["type"] for each in again.status["conditions"]] == ["Authentication"]
    assert isinstance(mark, Patch)
    gold = noticed(asked, "2026-11-15T10:16:46Z gold")
    assert answers(plan(a_state(gold)))["Resources"] == ("Denied", "NoClassController")


def test_nobody_waits_for_a_class_while_the_tenant_is_cordoned() -> None:
    planned = plan(a_state(answered(None, class_="gold"), "Cordoned"))
    assert answers(planned)["Resources"] == DENIED


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
    quota = forge(asked, Offered({}), Terms())
    quota = msgspec.structs.replace(
        quota, metadata=msgspec.structs.replace(quota.metadata, resource_version="1")
    )
    terms = Terms(cluster_labels=LABELS)
    here = holding(asked, tenant, a_home(), kept, node, quota)
    found = observe(here, Access(ca=b"ca"), lending(here, terms), lambda: NOW, asked.key)
    assert found == a_state(granted=True)
    assert observe(here, Access(), lending(here), lambda: NOW, Key(HOME, "other")) is None


def test_a_request_of_its_own_is_signed_for_each_slice_and_each_time() -> None:
    assert request_name(a_slice(), b"") != request_name(a_tenant(), b"")
    assert request_name(a_slice(), b"") != request_name(a_slice(), CERTIFICATE)


def test_our_own_requests_are_not_answered_here() -> None:
    own = msgspec.structs.replace(
        a_slice(), metadata=Meta(name="own", namespace=HOME, resource_version="1")
    )
    here = holding(own)
    assert observe(here, Access(), lending(here), lambda: NOW, own.key) is None


def test_everything_that_is_observed_is_watched() -> None:
    here = holding()
    lent = lending(here)
    watches = controller(here, Access(), lent).watches
    observe(here, Access(), lent, lambda: NOW, Key(HOME, "milan"))
    assert set(watches) == {*here, lent.shares}
    assert list(watches[lent.shares](Key(HOME, "milan"))) == [Key(HOME, "milan")]


def test_nothing_more_is_signed_or_granted_for_a_tenant_that_goes() -> None:
    waiting = a_state(tenant=ENDING)
    assert plan(waiting) == NOTHING
    assert plan(replace(waiting, case=replace(waiting.case, kept=b""))) == NOTHING


def test_a_slice_that_goes_and_is_held_by_somebody_is_not_answered_any_more() -> None:
    going = msgspec.structs.replace(
        a_slice(), metadata=msgspec.structs.replace(a_slice().metadata, deletion_timestamp=STAMP)
    )
    here = holding(going, a_tenant(status=ADMITTED), a_home())
    assert observe(here, Access(), lending(here), lambda: NOW, going.key) is None


def test_a_tenant_whose_certificate_nobody_can_read_is_not_admitted() -> None:
    assert plan(a_state(tenant=a_tenant(status=unreadable(ADMITTED)))) == NOTHING
