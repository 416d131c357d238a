"""Who is asked before everything goes."""

from click.testing import CliRunner

from liqo.cli.uninstall import command
from liqo.errors import LiqoError


def test_without_a_terminal_it_ends_before_a_cluster_is_asked() -> None:
    ended = CliRunner().invoke(command, ["--kubeconfig", "nowhere"])
    assert isinstance(ended.exception, LiqoError)
    assert "--skip-confirm" in str(ended.exception)


def test_who_skips_the_question_is_not_asked() -> None:
    ended = CliRunner().invoke(command, ["--kubeconfig", "nowhere", "--skip-confirm"])
    assert "nowhere" in str(ended.exception)
