"""Commands are known by name and imported when they are called."""

import sys

import click
from click.testing import CliRunner

from liqo.cli.lazy import LazyGroup, Verb, examples
from liqo.cli.main import command


def test_a_verb_is_found_in_its_module() -> None:
    group = LazyGroup(name="group", verbs={"self": Verb("liqo.cli.main", "This very table")})
    assert group.list_commands(click.Context(group)) == ["self"]
    assert "Joins Kubernetes clusters" in CliRunner().invoke(group, ["self", "--help"]).output


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
