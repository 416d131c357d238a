"""Flags before and after the verb, and how their values are read."""

import click
import pytest
from click.testing import CliRunner

from liqo.cli import flags
from liqo.cli.flags import Duration, Pairs, Settings, Target


@click.command()
@flags.timeout("2m")
def show(timeout: float, **_: object) -> None:
    context = click.get_current_context()
    remote = flags.target(context, "remote-")
    click.echo(f"{timeout:g} {flags.target(context)} {remote.kubeconfig} {flags.settings(context)}")


flags.add(show, [])
show.params += [*flags.everywhere(), *flags.kubernetes("remote-", "remote ")]
root = click.Group("liqoctl", commands={"show": show}, params=flags.everywhere())


def said(*words: str) -> str:
    return CliRunner().invoke(root, words, catch_exceptions=False).output.strip()


@pytest.mark.parametrize(
    "words",
    [
        ["--kubeconfig", "rome", "show"],
        ["--kubeconfig=rome", "show"],
        ["show", "--kubeconfig", "rome"],
        ["show", "--kubeconfig=rome"],
        ["--kubeconfig", "milan", "show", "--kubeconfig", "rome"],
    ],
)
def test_a_cluster_is_named_before_or_after_the_verb_and_the_verb_wins(words: list[str]) -> None:
    nothing = Settings(verbose=False, skip_confirm=False, labels={}, annotations={})
    assert said(*words) == f"120 {Target('rome')}  {nothing}"


def test_the_remote_cluster_has_flags_of_its_own() -> None:
    assert f"{Target()} milan " in said("show", "--remote-kubeconfig", "milan")


def test_settings_count_wherever_they_stand() -> None:
    wanted = Settings(
        verbose=True, skip_confirm=True, labels={"a": "1", "b": "x=y"}, annotations={"c": ""}
    )
    words = ("-v", "show", "--skip-confirm", "--global-labels", "a=1,b=x=y")
    assert str(wanted) in said(*words, "--global-annotations", "c=")


@pytest.mark.parametrize(
    ("text", "seconds"), [("50ms", 0.05), ("60s", 60), ("2m", 120), ("1h30m", 5400), ("1.5s", 1.5)]
)
def test_a_duration_is_written_as_go_does_it(text: str, seconds: float) -> None:
    assert Duration().convert(text, None, None) == pytest.approx(seconds)


@pytest.mark.parametrize("text", ["", "5", "s", "2 m", "-1s", "1d"])
def test_what_is_no_duration_is_refused(text: str) -> None:
    with pytest.raises(click.BadParameter, match="is not a duration such as 30s or 2m"):
        Duration().convert(text, None, None)


@pytest.mark.parametrize("text", ["a", "=1", "a=1,b"])
def test_what_is_no_pair_is_refused(text: str) -> None:
    with pytest.raises(click.BadParameter, match="is not of the form key=value"):
        Pairs().convert(text, None, None)


@pytest.mark.parametrize(
    ("words", "value"),
    [([], True), (["--wait"], True), (["--no-wait"], False)],
)
def test_a_switch_that_is_on_can_be_spelled_off(words: list[str], value: bool) -> None:
    @click.command()
    @flags.switch("--wait", default=True, help="Wait.")
    def wait(wait: bool) -> None:
        click.echo(wait)

    assert CliRunner().invoke(wait, words, catch_exceptions=False).output.strip() == str(value)
