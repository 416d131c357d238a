"""The process around a class."""

from pathlib import Path

import pytest

from liqo.classes import Answer, Request, serve


def nothing(_: Request) -> Answer:
    return {}


@pytest.mark.parametrize("taken", ["", "default"])
def test_a_class_of_liqo_itself_cannot_be_served(taken: str) -> None:
    with pytest.raises(SystemExit, match="choose another"):
        serve(taken, nothing, [])


def test_a_cluster_that_cannot_be_found_is_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match="nowhere"):
        serve("half", nothing, [f"--kubeconfig={tmp_path / 'nowhere'}"])


def test_what_is_served_is_said_in_its_help(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="0"):
        serve("half", nothing, ["--help"])
    assert '"half"' in capsys.readouterr().out
