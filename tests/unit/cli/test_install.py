"""The words of install reach what it does."""

from click.testing import CliRunner

from liqo.cli.install import command
from liqo.errors import LiqoError


def test_a_wrong_value_ends_it_before_a_cluster_is_asked() -> None:
    ended = CliRunner().invoke(command, ["--set", "tags=1"])
    assert isinstance(ended.exception, LiqoError)
    assert 'the nearest is "tag"' in str(ended.exception)
