"""Help, asked for in words, is the help that a flag gives."""

import pytest

from liqo.cli.main import run


def printed(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    assert run(["liqoctl", *words]) == 0
    return capsys.readouterr().out


@pytest.mark.parametrize("words", [[], ["info"], ["info", "peer"], ["playground", "up"]])
def test_help_of_a_command_is_what_its_flag_prints(
    words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert printed(capsys, "help", *words) == printed(capsys, *words, "--help")


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["fly"], "ERRO: no such command 'fly'; see: liqoctl --help\n"),
        (["version", "fly"], "ERRO: no such command 'fly'; see: liqoctl version --help\n"),
    ],
)
def test_help_of_no_command_is_a_wrong_call(
    words: list[str], sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["liqoctl", "help", *words]) == 1
    assert capsys.readouterr().err == sentence


@pytest.mark.row("L09")
@pytest.mark.parametrize(
    ("words", "default"),
    [
        ("offload namespace", "20s"),
        ("unoffload namespace", "120s"),
        ("unpeer", "120s"),
        ("unpeer out-of-band", "120s"),
        ("peer out-of-band", "120s"),
        ("peer", "10m"),
        ("install", "10m"),
        ("uninstall", "10m"),
    ],
)
def test_how_long_a_command_waits(
    words: str, default: str, capsys: pytest.CaptureFixture[str]
) -> None:
    said = " ".join(printed(capsys, "help", *words.split()).split())
    assert f"--timeout DURATION How long to wait at most. [default: {default}]" in said
