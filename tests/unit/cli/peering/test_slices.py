"""Both answers to a slice, as they are told."""

from __future__ import annotations

import pytest

from liqo.api.authentication import Answer as Said
from liqo.api.authentication import (
    ResourceSlice,
    ResourceSliceCondition,
    ResourceSliceSpec,
    ResourceSliceStatus,
)
from liqo.api.meta import JSON
from liqo.cli.objects import Wish, resource_slice
from liqo.cli.peering.slices import (
    CORDONED,
    DENIED,
    NOBODY,
    TO_ALL,
    ask,
    is_about,
    is_answered,
)
from liqo.errors import LiqoError
from tests.builders import a_slice
from tests.unit.cli.peering.pairs import HERE, an_object, scene
from tests.unit.kube.scripted import a_watch, an_event, refuses, says

NEW = refuses(404)  # there was no slice of that name before
WANTED = resource_slice("milan", HERE, "milan", Wish("gold"))


def answered(
    authentication: str,
    resources: str = "",
    message: str = "",
    reason: str = "NoClassController",
) -> JSON:
    conditions = [{"type": "Authentication", "status": authentication, "message": message}]
    if resources:
        why = {"reason": reason, "message": message}
        conditions.append({"type": "Resources", "status": resources, **why})
    return an_object("milan", HERE, status={"conditions": conditions})


@pytest.mark.parametrize(
    ("authentication", "resources", "enough"),
    [
        (None, None, False),
        (None, "Accepted", False),
        ("Accepted", None, False),
        ("Accepted", "Accepted", True),
        ("Accepted", "Denied", True),
        ("Denied", None, True),
    ],
)
def test_r16_both_answers_are_waited_for(
    authentication: Said | None, resources: Said | None, enough: bool
) -> None:
    asked = a_slice(authentication=authentication, resources=resources)
    assert is_answered(None, asked) is enough


def condition(status: Said, reason: str = "", message: str = "") -> ResourceSliceCondition:
    return ResourceSliceCondition(type="Resources", status=status, reason=reason, message=message)


def of_class(name: str, *said: ResourceSliceCondition) -> ResourceSlice:
    return ResourceSlice(
        spec=ResourceSliceSpec(class_=name), status=ResourceSliceStatus(conditions=said)
    )


NOBODY_FOR_GOLD = condition("Denied", NOBODY, 'no controller of the class "gold" has answered')
TOO_MUCH = condition("Denied", CORDONED, "too much")
CLOSED = condition("Denied", CORDONED, TO_ALL)
GRANTED = condition("Accepted")


@pytest.mark.parametrize(
    ("answer", "before", "is_ours"),
    [
        (GRANTED, None, True),
        (GRANTED, of_class("gold", GRANTED), True),
        (NOBODY_FOR_GOLD, None, False),
        (NOBODY_FOR_GOLD, of_class("gold", NOBODY_FOR_GOLD), False),
        (NOBODY_FOR_GOLD, of_class("silver", NOBODY_FOR_GOLD), False),  # that call was killed
        (condition("Denied", NOBODY, 'no controller of the class "silver" answers'), None, True),
        (CLOSED, of_class("gold", CLOSED), True),
        (TOO_MUCH, of_class("gold", TOO_MUCH), False),
        (TOO_MUCH, of_class("silver", TOO_MUCH), True),
        (TOO_MUCH, of_class("gold", NOBODY_FOR_GOLD), True),
        (TOO_MUCH, None, True),
    ],
)
def test_an_answer_about_another_class_is_none(
    answer: ResourceSliceCondition, before: ResourceSlice | None, is_ours: bool
) -> None:
    assert is_about(answer, of_class("silver", answer), before) is is_ours


async def test_who_asks_for_another_class_waits_for_the_answer_about_that(
    capsys: pytest.CaptureFixture[str],
) -> None:
    stale = answered("Accepted", "Denied", 'no controller of the class "silver" has answered')
    before, after = ({**stale, "spec": {"class": name}} for name in ("silver", "gold"))
    granted = {**answered("Accepted", "Accepted"), "spec": {"class": "gold"}}
    news = a_watch(an_event("MODIFIED", granted), stays=True)
    async with scene(rome=[says(before), says(after), news]) as world:
        await ask(world.loan, WANTED)
    assert capsys.readouterr().err.splitlines()[-1] == "INFO: ResourceSlice resources: Accepted"


async def test_a_grant_is_told_in_two_lines(capsys: pytest.CaptureFixture[str]) -> None:
    async with scene(rome=[NEW, says(answered("Accepted", "Accepted"))]) as world:
        await ask(world.loan, WANTED)
    assert capsys.readouterr().err.splitlines() == [
        "Creating ResourceSlice",
        "INFO: ResourceSlice created",
        "Waiting for ResourceSlice authentication to be accepted",
        "INFO: ResourceSlice authentication: Accepted",
        "INFO: ResourceSlice resources: Accepted",
    ]


async def test_a_denial_of_resources_is_a_warning_with_its_reason(
    capsys: pytest.CaptureFixture[str],
) -> None:
    no = {**answered("Accepted", "Denied", 'nobody answers for "gold"'), "spec": {"class": "gold"}}
    async with scene(rome=[NEW, says(no)]) as world:
        await ask(world.loan, WANTED)
    assert capsys.readouterr().err.splitlines()[-1] == (
        'WARN: ResourceSlice resources not accepted: NoClassController: nobody answers for "gold"'
    )


async def test_a_denial_of_the_identity_is_an_error() -> None:
    no = says(answered("Denied", message="whose key is this?"))
    async with scene(rome=[NEW, no]) as world:
        with pytest.raises(LiqoError, match=r"Failed waiting .* accepted: .*whose key is this"):
            await ask(world.loan, WANTED)


async def test_a_mere_no_is_told_in_the_usual_words(capsys: pytest.CaptureFixture[str]) -> None:
    no = answered("Accepted", "Denied", "denied", "ResourceSliceResourcesDenied")
    async with scene(rome=[NEW, says(no)]) as world:
        await ask(world.loan, WANTED)
    assert capsys.readouterr().err.splitlines()[-1] == f"WARN: {DENIED}"
