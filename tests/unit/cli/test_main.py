"""The table of verbs, and how an error ends the program."""

import subprocess
import sys

import click
from click.testing import CliRunner

from liqo.cli.main import VERBS, LazyGroup, Verb

# A process of its own: what is imported, and the exit code, are those of a user's call.
CALL = """
import sys
from liqo.cli import main
sys.argv = {argv!r}
try:
    main.main()
finally:
    print("imported:", [verb.module for verb in main.VERBS.values() if verb.module in sys.modules])
"""


def call(*argv: str) -> subprocess.CompletedProcess[str]:
    script = CALL.format(argv=list(argv))
    return subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False
    )


def test_help_lists_every_verb_and_imports_none() -> None:
    run = call("liqoctl", "--help")
    assert run.returncode == 0
    assert all(verb.summary in run.stdout for verb in VERBS.values())
    assert "imported: []" in run.stdout


def test_help_calls_itself_what_it_was_called_as() -> None:
    assert call("/usr/bin/kubectl-liqo", "--help").stdout.startswith("Usage: kubectl liqo ")


def test_an_unknown_verb_is_named_on_stderr_and_ends_with_exit_code_1() -> None:
    run = call("liqoctl", "fly")
    assert run.returncode == 1
    assert "No such command 'fly'" in run.stderr
    assert "Traceback" not in run.stderr


def test_a_verb_is_found_in_its_module() -> None:
    group = LazyGroup(name="group", verbs={"self": Verb("liqo.cli.main", "This very table")})
    assert group.list_commands(click.Context(group)) == ["self"]
    assert "Joins Kubernetes clusters" in CliRunner().invoke(group, ["self", "--help"]).output
