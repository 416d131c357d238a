"""create nonce: a namespace and a Secret, and what the provider puts there."""

from __future__ import annotations

from pathlib import Path

import pytest

from liqo.cli.create.verbs import nonce as command
from tests.golden import assert_golden
from tests.unit.cli.answers import a_home, a_secret, thing, things
from tests.unit.cli.calling import called
from tests.unit.kube.scripted import a_watch, an_event

WORDS = "--remote-cluster-id rome"


async def test_it_is_made_waited_for_and_told(capsys: pytest.CaptureFixture[str]) -> None:
    empty = a_secret("liqo-tenant-rome", "liqo-nonce", {})
    filled = a_secret("liqo-tenant-rome", "liqo-nonce", {}, nonce=b"text")
    later = a_watch(an_event("MODIFIED", filled), stays=True)
    await called(command, WORDS, things(a_home("rome")), thing(empty), later)
    told = capsys.readouterr().err.splitlines()
    assert [line for line in told if line.startswith("INFO")] == [
        "INFO: Nonce created",
        "INFO: Nonce generated successfully",
        "INFO: Nonce retrieved: text",
    ]


async def test_it_can_be_printed_instead(capsys: pytest.CaptureFixture[str]) -> None:
    await called(command, f"{WORDS} -o yaml", things())
    assert_golden(capsys.readouterr().out, Path(__file__).parent / "golden/nonce.yaml")
