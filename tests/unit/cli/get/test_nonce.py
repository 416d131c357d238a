"""get nonce: the text alone, or what to do without one."""

from __future__ import annotations

import pytest

from liqo.cli.get.verbs import nonce as command
from liqo.errors import LiqoError
from tests.unit.cli.answers import a_home, a_secret, thing, things
from tests.unit.cli.calling import called
from tests.unit.kube.scripted import Answer, refuses

WORDS = "--remote-cluster-id rome"
HOME = things(a_home("rome"))


async def test_it_prints_the_text_without_a_newline(capsys: pytest.CaptureFixture[str]) -> None:
    await called(command, WORDS, HOME, thing(a_secret("x", "liqo-nonce", {}, nonce=b"text==")))
    assert capsys.readouterr().out == "text=="


@pytest.mark.parametrize("script", [(things(),), (HOME, refuses(404))])
async def test_without_one_the_step_before_is_told(script: tuple[Answer, ...]) -> None:
    with pytest.raises(LiqoError, match="liqoctl create nonce --remote-cluster-id rome"):
        await called(command, WORDS, *script)


async def test_an_empty_one_is_not_printed(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(LiqoError, match="holds no nonce yet"):
        await called(command, WORDS, HOME, thing(a_secret("x", "liqo-nonce", {})))
    assert capsys.readouterr().out == ""
