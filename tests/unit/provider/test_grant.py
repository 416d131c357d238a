"""What our terms allow, and the words of the answer."""

import pytest

from liqo.api.authentication import Answer, Question, TenantCondition
from liqo.provider import grant
from liqo.provider.grant import Terms
from tests.unit.provider.things import a_slice

CLOSED = Terms(default_class=False)


def test_what_is_not_asked_for_has_a_default_and_what_is_asked_for_is_granted() -> None:
    asked = a_slice(resources={"cpu": "8", "nvidia.com/gpu": "1"})
    assert grant.offered(asked, Terms()) == {
        "cpu": "8",
        "memory": "8Gi",
        "pods": "110",
        "ephemeral-storage": "20Gi",
        "nvidia.com/gpu": "1",
    }


@pytest.mark.parametrize(("class_", "ours"), [("", True), ("default", True), ("gold", False)])
def test_two_names_are_ours_and_all_others_somebody_elses(class_: str, ours: bool) -> None:
    assert grant.is_ours(a_slice(class_=class_)) is ours


@pytest.mark.parametrize(
    ("class_", "tenant", "terms", "is_open"),
    [
        ("default", "Active", Terms(), True),
        ("default", "Active", CLOSED, False),
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


def test_a_class_that_nobody_serves_is_named() -> None:
    said = grant.nobody_answers(a_slice(class_="gold"))
    assert (said.status, said.reason) == ("Denied", "NoClassController")
    assert '"gold"' in said.message
