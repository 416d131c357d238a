"""create resourceslice: what it asks for, what it prints, and what it refuses to begin with."""

from __future__ import annotations

import json

import click
import pytest

from liqo.api.meta import JSON
from liqo.cli.create.verbs import resourceslice as command
from liqo.errors import LiqoError
from tests import seeds
from tests.unit.cli.answers import a_home, a_secret, a_slice, answer, thing, things
from tests.unit.cli.calling import called
from tests.unit.kube.scripted import Answer, a_watch, an_event, refuses

Captured = pytest.CaptureFixture[str]

HOME = things(a_home("milan"))
CREDENTIAL = things(a_secret("liqo-tenant-milan", "kubeconfig", {}))
READY = (HOME, CREDENTIAL, refuses(404))  # there is no such slice yet
WHY = 'no controller of the class "default" has answered'
KNOWN = answer("Authentication", "Accepted")
WORDS = "mypool --remote-cluster-id milan"


def seen(later: JSON) -> Answer:
    return a_watch(an_event("MODIFIED", later), stays=True)


async def test_a_manifest_needs_no_peering(capsys: Captured) -> None:
    await called(command, "-o yaml --remote-cluster-id cool-firefly mypool", things())
    assert capsys.readouterr().out == seeds.SLICE


async def test_a_manifest_is_for_the_namespace_there_is_or_is_chosen(capsys: Captured) -> None:
    await called(command, f"{WORDS} -o json", things(a_home("milan", "lent")))
    assert json.loads(capsys.readouterr().out)["metadata"]["namespace"] == "lent"
    assert await called(command, f"{WORDS} -o json -n mine --global-labels team=a") == []
    metadata = json.loads(capsys.readouterr().out)["metadata"]
    assert (metadata["namespace"], metadata["labels"]["team"]) == ("mine", "a")


async def test_both_answers_in_one_write_are_told_at_once(capsys: Captured) -> None:
    accepted = a_slice(conditions=[KNOWN, answer("Resources", "Accepted")])
    script = (
        *READY,
        thing(a_slice()),
        seen(accepted),
    )
    requests = await called(command, f"{WORDS} --cpu 2 --no-virtual-node", *script)
    sent = json.loads(requests[3].body)
    assert sent["spec"]["resources"] == {"cpu": "2"}
    assert sent["metadata"]["annotations"] == {"liqo.io/create-virtual-node": "false"}
    assert capsys.readouterr().err == (
        "Creating ResourceSlice\n"
        "INFO: ResourceSlice created\n"
        "Waiting for ResourceSlice authentication to be accepted\n"
        "INFO: ResourceSlice authentication: Accepted\n"
        "INFO: ResourceSlice resources: Accepted\n"
    )


async def test_R16_a_slow_answer_about_resources_is_waited_for(capsys: Captured) -> None:
    half = a_slice(conditions=[KNOWN])
    denied = a_slice(conditions=[KNOWN, answer("Resources", "Denied", "NoClassController", WHY)])
    denied["metadata"]["resourceVersion"] = "8"
    await called(command, WORDS, *READY, thing(half), seen(denied))
    assert capsys.readouterr().err.splitlines()[-2:] == [
        "INFO: ResourceSlice authentication: Accepted",
        f"WARN: ResourceSlice resources not accepted: NoClassController: {WHY}",
    ]


async def test_a_denied_authentication_is_an_error_with_its_reason() -> None:
    denied = a_slice(conditions=[answer("Authentication", "Denied", "Why", "because")])
    with pytest.raises(LiqoError) as wrong:
        await called(
            command,
            WORDS,
            *READY,
            thing(a_slice()),
            seen(denied),
        )
    assert str(wrong.value).startswith("Failed waiting for ResourceSlice authentication to be")
    assert str(wrong.value).endswith("Why: because")


async def test_R16_no_answer_at_all_ends_with_the_time() -> None:
    script = (*READY, thing(a_slice()), a_watch(stays=True))
    with pytest.raises(LiqoError, match="timed out waiting for the condition: an answer of"):
        await called(command, f"{WORDS} --timeout 1s", *script)


async def test_who_is_not_authenticated_makes_nothing() -> None:
    with pytest.raises(LiqoError, match='not authenticated with "milan": the namespace'):
        await called(command, WORDS, HOME, things(), things())


@pytest.mark.parametrize(
    "words",
    ["My_Pool --remote-cluster-id milan", f"{WORDS} --cpu -1", f"{WORDS} --memory lots", "mypool"],
)
async def test_what_cannot_be_is_refused_before_anything_is_asked(words: str) -> None:
    with pytest.raises(click.UsageError):
        await called(command, words)
