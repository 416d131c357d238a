"""Commands are known by name and imported when they are called."""

import sys

import click
from click.testing import CliRunner

from liqo.cli import flags
from liqo.cli.lazy import LazyGroup, Verb, examples
from liqo.cli.main import command


def test_a_verb_is_found_in_its_module() -> None:
    group = LazyGroup(name="group", verbs={"self": Verb("liqo.cli.main", "This very table")})
    assert group.list_commands(click.Context(group)) == ["self"]
    assert "Joins Kubernetes clusters" in CliRunner().invoke(group, ["self", "--help"]).output


def test_a_verb_has_other_names_too() -> None:
    verbs = {"self": Verb("liqo.cli.main", "This very table", aliases=("me", "i"))}
    group = LazyGroup(name="group", verbs=verbs)
    assert "Joins Kubernetes clusters" in CliRunner().invoke(group, ["me", "--help"]).output
    assert group.list_commands(click.Context(group)) == ["self"]


def test_the_list_of_commands_imports_none() -> None:
    group = LazyGroup(name="group", verbs={"far": Verb("no.such.module", "Far away")})
    assert "far  Far away" in CliRunner().invoke(group, ["--help"]).output
    assert "no" not in sys.modules


def test_a_command_that_is_in_no_table_is_none() -> None:
    assert command.get_command(click.Context(command), "fly") is None


def test_examples_stand_line_by_line_where_click_would_fill_a_paragraph() -> None:
    one = click.Command("one", epilog=examples("liqoctl one", "liqoctl one --more"))
    assert (
        CliRunner()
        .invoke(one, ["--help"])
        .output.endswith("Examples:\n    liqoctl one\n    liqoctl one --more\n")
    )


def test_what_is_said_before_a_command_counts_for_it_unless_it_says_otherwise() -> None:
    here = sys.modules[__name__].__name__
    group = LazyGroup(
        name="group",
        verbs={"inner": Verb(here, "Says its namespace", "inner")},
        params=[click.Option(["--namespace"], default="liqo")],
    )
    for words, said in (
        (["inner"], "default"),
        (["--namespace", "a", "inner"], "a"),
        (["--namespace", "a", "inner", "--namespace", "b"], "b"),
    ):
        assert CliRunner().invoke(group, words).output == f"{said}\n"


def test_switches_take_values_in_every_command() -> None:
    verbs = {"lamp": Verb(sys.modules[__name__].__name__, "Says whether it is on", "lamp")}
    group = LazyGroup(name="group", verbs=verbs)
    for word, said in (("--on", True), ("--on=true", True), ("--on=false", False)):
        assert CliRunner().invoke(group, ["lamp", word]).output == f"{said}\n"


def test_a_command_to_come_is_told_and_not_listed() -> None:
    group = LazyGroup(name="group", verbs={}, later={"fly": "the wings"})
    assert "fly" not in CliRunner().invoke(group, ["--help"]).output
    said = CliRunner().invoke(group, ["fly", "--high"]).exception
    assert str(said) == "group fly is still to come, with the wings"


def test_names_are_completed_with_their_summaries_and_nothing_is_imported() -> None:
    far = {"far": Verb("no.such.module", "Far away"), "near": Verb("no.such.module", "Near")}
    group = LazyGroup(name="group", verbs=far, params=[click.Option(["--fast"], is_flag=True)])
    found = group.shell_complete(click.Context(group), "f")
    assert [(each.value, each.help) for each in found] == [("far", "Far away")]
    assert "--fast" in [each.value for each in group.shell_complete(click.Context(group), "--")]


@click.command()
@click.option("--namespace", default="default")
def inner(namespace: str) -> None:
    click.echo(namespace)


@click.command()
@flags.switch("--on", default=False, help="Burn.")
def lamp(on: bool) -> None:
    click.echo(on)
