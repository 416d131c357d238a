"""Both answers to a slice, as they are told."""

from __future__ import annotations

import pytest

from liqo.api.authentication import Answer as Said
from liqo.api.meta import JSON
from liqo.cli.objects import Wish, resource_slice
from liqo.cli.peering.slices import DENIED, ask, is_answered
from liqo.errors import LiqoError
from tests.builders import a_slice
from tests.unit.cli.peering.pairs import HERE, an_object, scene
from tests.unit.kube.scripted import says

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
    assert is_answered(asked) is enough


async def test_a_grant_is_told_in_two_lines(capsys: pytest.CaptureFixture[str]) -> None:
    async with scene(rome=[says(answered("Accepted", "Accepted"))]) as world:
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
    no = says(answered("Accepted", "Denied", "nobody answers for gold"))
    async with scene(rome=[no]) as world:
        await ask(world.loan, WANTED)
    assert capsys.readouterr().err.splitlines()[-1] == (
        "WARN: ResourceSlice resources not accepted: NoClassController: nobody answers for gold"
    )


async def test_a_denial_of_the_identity_is_an_error() -> None:
    async with scene(rome=[says(answered("Denied", message="whose key is this?"))]) as world:
        with pytest.raises(LiqoError, match=r"Failed waiting .* accepted: .*whose key is this"):
            await ask(world.loan, WANTED)


async def test_a_mere_no_is_told_in_the_usual_words(capsys: pytest.CaptureFixture[str]) -> None:
    no = answered("Accepted", "Denied", "denied", "ResourceSliceResourcesDenied")
    async with scene(rome=[says(no)]) as world:
        await ask(world.loan, WANTED)
    assert capsys.readouterr().err.splitlines()[-1] == f"WARN: {DENIED}"
