"""What our terms allow, and the words of the answer."""

import pytest

from liqo.api.authentication import Answer, Question, TenantCondition
from liqo.provider import grant
from liqo.provider.grant import Offered, Prospect, Terms
from liqo.provider.quota import forge
from tests.unit.provider.things import a_slice

CLOSED = Terms(default_class=False)
NO_SHARES = Terms(share_class=False)


def test_what_is_not_asked_for_has_a_default_and_what_is_asked_for_is_granted() -> None:
    asked = a_slice(resources={"cpu": "8", "nvidia.com/gpu": "1"})
    assert grant.offered(asked, Terms()) == {
        "cpu": "8",
        "memory": "8Gi",
        "pods": "110",
        "ephemeral-storage": "20Gi",
        "nvidia.com/gpu": "1",
    }


def test_what_no_node_may_have_is_cut() -> None:
    asked = a_slice(resources={"cpu": "500m", "memory": "-1", "pods": "1500m"})
    assert grant.offered(asked, Terms(defaults={"nvidia.com/gpu": "2500m"})) == {
        "cpu": "500m",
        "memory": "0",
        "pods": "1",
        "nvidia.com/gpu": "2",
    }


@pytest.mark.parametrize(
    ("class_", "ours"), [("", True), ("default", True), ("share", True), ("gold", False)]
)
def test_three_names_are_ours_and_all_others_somebody_elses(class_: str, ours: bool) -> None:
    assert grant.is_ours(a_slice(class_=class_)) is ours


@pytest.mark.parametrize(
    ("class_", "tenant", "terms", "is_open"),
    [
        ("default", "Active", Terms(), True),
        ("default", "Active", CLOSED, False),
        ("default", "Active", NO_SHARES, True),
        ("share", "Active", Terms(), True),
        ("share", "Active", CLOSED, True),
        ("share", "Active", NO_SHARES, False),
        ("gold", "Active", CLOSED, True),
        ("default", "Cordoned", Terms(), False),
        ("gold", "Drained", Terms(), False),
    ],
)
def test_when_something_new_may_be_granted(
    class_: str, tenant: TenantCondition, terms: Terms, is_open: bool
) -> None:
    assert grant.is_open(a_slice(class_=class_), tenant, terms) is is_open


@pytest.mark.parametrize(
    ("question", "answer", "reason", "message"),
    [
        (
            "Authentication",
            "Accepted",
            "ResourceSliceAuthenticationAccepted",
            "ResourceSlice authentication accepted",
        ),
        (
            "Authentication",
            "Denied",
            "ResourceSliceAuthenticationDenied",
            "ResourceSlice authentication denied",
        ),
        (
            "Resources",
            "Accepted",
            "ResourceSliceResourcesAccepted",
            "ResourceSlice resources accepted",
        ),
        ("Resources", "Denied", "ResourceSliceResourcesDenied", "ResourceSlice resources denied"),
    ],
)
def test_the_words_are_those_of_the_wire(
    question: Question, answer: Answer, reason: str, message: str
) -> None:
    said = grant.condition(question, answer)
    assert (said.type, said.status, said.reason, said.message) == (
        question,
        answer,
        reason,
        message,
    )


@pytest.mark.parametrize(
    ("class_", "reason", "message"),
    [
        (
            "default",
            "DefaultResourceSliceClassDisabled",
            "the default ResourceSlice class has been administratively disabled on the provider",
        ),
        (
            "share",
            "ShareResourceSliceClassDisabled",
            "the share ResourceSlice class has been administratively disabled on the provider",
        ),
    ],
)
def test_a_class_that_is_switched_off_is_named(class_: str, reason: str, message: str) -> None:
    said = grant.closed(a_slice(class_=class_), Terms(default_class=False, share_class=False))
    assert said is not None
    assert (said.status, said.reason, said.message) == ("Denied", reason, message)


def test_a_quota_holds_what_is_offered() -> None:
    assert grant.standing(None) is None
    offered = Offered({"cpu": "45"}, "cpu 45 = floor(0.9 × 50)")
    for each in (offered, Offered({"cpu": "4"})):
        assert grant.standing(forge(a_slice(), each, Terms())) == each


def test_what_is_said_of_one_consumer_counts_for_more_than_what_is_said_of_all() -> None:
    terms = Terms(
        pod_security="baseline",
        labels={"team": "guests", "tier": "low"},
        labels_of_peers={
            "rome": {"team": "rome", "pod-security.kubernetes.io/enforce": "restricted"}
        },
    )
    level = "pod-security.kubernetes.io/enforce"
    assert terms.namespace_labels("rome") == {level: "restricted", "team": "rome", "tier": "low"}
    assert terms.namespace_labels("turin") == {level: "baseline", "team": "guests", "tier": "low"}
    assert Terms(pod_security="").namespace_labels("turin") == {}


def test_a_class_that_nobody_serves_is_named() -> None:
    said = grant.nobody_answers(a_slice(class_="gold"))
    assert (said.status, said.reason) == ("Denied", "NoClassController")
    assert '"gold"' in said.message


def test_what_we_said_of_another_class_is_no_answer_for_this_one() -> None:
    gold = a_slice(class_="gold")
    for ours in (
        grant.CLASS_DISABLED,
        grant.SHARE_DISABLED,
        grant.untold(Prospect(problem="nobody knows")),
    ):
        assert grant.is_outdated(ours, gold)
    assert grant.is_outdated(grant.nobody_answers(a_slice(class_="silver")), gold)
    assert not grant.is_outdated(grant.nobody_answers(gold), gold)
    assert not grant.is_outdated(grant.condition("Resources", "Denied"), gold)
