"""liqoctl, called as a person calls it, and what the stock client printed for the same words."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from liqo.api.meta import JSON
from liqo.cli.main import run
from tests import wire
from tests.unit.cli.installations import milan, rome
from tests.unit.cli.served import Served, in_background, kubeconfig


@dataclass(frozen=True)
class Said:
    code: int
    out: str
    err: str


@dataclass(frozen=True)
class Transcript:
    words: list[str]
    said: Said


@dataclass(frozen=True)
class Client:
    """A person who stands in rome; milan's kubeconfig is at hand."""

    capsys: pytest.CaptureFixture[str]
    folder: Path

    def say(self, *words: str, consumer: list[JSON] | None = None) -> Said:
        here = Served(rome() if consumer is None else consumer)
        with in_background(here), in_background(Served(milan())) as there:
            known = {
                "milan.kubeconfig": str(kubeconfig(there, self.folder / "milan")),
                "rome.kubeconfig": str(kubeconfig(here, self.folder / "rome")),
            }
            chosen = () if "--kubeconfig" in words else ("--kubeconfig", known["rome.kubeconfig"])
            said = (known.get(word, word) for word in words)
            code = _ended(["liqoctl", *chosen, *said])
        return Said(code, *self.capsys.readouterr())


def _ended(argv: list[str]) -> int:
    try:
        return run(argv)
    except SystemExit as ended:  # a verb that has said all there is to say
        return ended.code if isinstance(ended.code, int) else 1


def transcript(name: str) -> Transcript:
    text = (wire.HERE / "transcripts" / f"{name}.txt").read_text()
    head, _, rest = text.partition("--- stdout\n")
    out, _, err = rest.partition("--- stderr\n")
    command, code = head.splitlines()
    said = Said(int(code.removeprefix("rc=")), out, err)
    return Transcript(command.removeprefix("$ liqoctl ").split(), said)
