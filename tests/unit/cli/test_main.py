"""The table of verbs, the help of all of them, and how an error ends the program."""

import subprocess
import sys
from collections.abc import Iterator

import click
import pytest

from liqo.cli.lazy import LazyGroup
from liqo.cli.main import VERBS, command, our_fault, wrong_call

# A process of its own: what is imported, and the exit code, are those of a user's call.
CALL = """
import sys
from liqo.cli import main
sys.argv = {argv!r}
try:
    main.main()
finally:
    slow = ("yaml", "cryptography", "msgspec", "asyncio", "liqo.playground", "liqo.cli.playground")
    print("imported:", [name for name in slow if name in sys.modules])
"""

EVERY_HELP = """
import sys
from liqo.cli.main import run
for path in {paths}:
    assert run([*path, "--help"]) == 0, path
slow = ("aiohttp", "asyncio", "cryptography", "msgspec", "yaml")
print([name for name in slow if name in sys.modules])
"""


def call(*argv: str) -> subprocess.CompletedProcess[str]:
    script = CALL.format(argv=list(argv))
    return subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False
    )


def commands(path: str, one: click.Command) -> Iterator[tuple[str, click.Command]]:
    """It and all below it, each with the words by which it is called."""
    yield path, one
    if isinstance(one, LazyGroup):
        for name in one.verbs:
            below = one.get_command(click.Context(one), name)
            assert below is not None
            yield from commands(f"{path} {name}", below)


EVERY = list(commands("liqoctl", command))


@pytest.mark.parametrize(("path", "one"), EVERY, ids=[path for path, _ in EVERY])
def test_every_command_says_what_it_does_and_how_it_is_called(
    path: str, one: click.Command
) -> None:
    text = one.get_help(click.Context(one, info_name=path))
    said, _, shown = text.partition("Examples:\n")
    assert one.help
    assert "".join(one.help.split()) in "".join(said.split())  # wherever its lines end
    assert shown.strip()
    assert all("liqoctl" in line for line in shown.strip().splitlines())
    assert all(len(line) <= 100 for line in text.splitlines())


@pytest.mark.parametrize(("path", "one"), EVERY, ids=[path for path, _ in EVERY])
def test_every_option_is_explained(path: str, one: click.Command) -> None:
    options = [each for each in one.params if isinstance(each, click.Option)]
    assert [each.name for each in options if not each.help] == []


def test_every_group_has_a_summary_of_each_of_its_commands() -> None:
    groups = [one for _, one in EVERY if isinstance(one, LazyGroup)]
    summaries = [verb.summary for group in groups for verb in group.verbs.values()]
    assert len(set(summaries)) == len(summaries)
    assert all(0 < len(summary) < 60 and summary[-1] != "." for summary in summaries)


def test_help_lists_every_verb_and_imports_nothing_slow() -> None:
    run = call("liqoctl", "--help")
    assert run.returncode == 0
    assert all(verb.summary in run.stdout for verb in VERBS.values())
    assert "imported: []" in run.stdout


def test_the_help_of_no_command_imports_what_is_slow() -> None:
    """One process for all: what any of them imports is there in the end."""
    script = EVERY_HELP.format(paths=[path.split() for path, _ in EVERY])
    run = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False
    )
    assert run.stdout.splitlines()[-1] == "[]", run.stderr
    assert run.stdout.count("Usage: ") == len(EVERY)


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["move", "volume", "x"], "liqoctl move is still to come, with storage across clusters"),
        (["create", "gatewayserver"], "liqoctl create gatewayserver is still to come, with the"),
    ],
)
def test_a_command_of_liqo_that_is_still_to_come_is_told(words: list[str], sentence: str) -> None:
    run = call("liqoctl", *words)
    assert run.returncode == 1
    assert run.stderr.startswith(f"ERRO: {sentence}")


def test_what_nobody_expected_is_our_fault_in_one_line() -> None:
    try:
        raise KeyError("a\nb")
    except KeyError as error:
        said = our_fault(error)
    assert said.startswith("this is a fault of liqoctl itself, not yours: KeyError: ")
    assert "(test_main.py:" in said
    assert "\n" not in said


def test_the_help_of_a_group_imports_none_of_its_commands() -> None:
    run = call("liqoctl", "playground", "--help")
    assert run.returncode == 0
    assert "imported: ['liqo.cli.playground']" in run.stdout


def test_help_calls_itself_what_it_was_called_as() -> None:
    assert call("/usr/bin/kubectl-liqo", "--help").stdout.startswith("Usage: kubectl liqo ")


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["fly"], "no such command 'fly'; see: liqoctl --help"),
        (["playground", "fly"], "no such command 'fly'; see: liqoctl playground --help"),
        (["--fast"], "no such option '--fast'; see: liqoctl --help"),
        (
            ["playground", "up", "--workers", "many"],
            "invalid value for '--workers': 'many' is not a valid integer range; "
            "see: liqoctl playground up --help",
        ),
        (
            ["playground", "kubeconfig"],
            "missing argument 'NAME'; see: liqoctl playground kubeconfig --help",
        ),
    ],
)
def test_a_wrong_call_is_one_sentence_with_the_help_that_tells_more(
    words: list[str], sentence: str
) -> None:
    with pytest.raises(click.UsageError) as wrong:
        command.main(words, prog_name="liqoctl", standalone_mode=False)
    assert wrong_call(wrong.value) == sentence


def test_an_error_of_no_command_has_no_help_to_point_to() -> None:
    assert wrong_call(click.ClickException("The disk is full.")) == "the disk is full"


def test_a_wrong_call_ends_on_stderr_with_exit_code_1() -> None:
    run = call("kubectl-liqo", "playground", "kubeconfig")
    assert run.returncode == 1
    assert run.stderr == (
        "ERRO: missing argument 'NAME'; see: kubectl liqo playground kubeconfig --help\n"
    )


def test_an_error_of_ours_ends_on_stderr_with_exit_code_1_and_no_stack_trace() -> None:
    run = call("liqoctl", "playground", "load", "/no/such/file")
    assert run.returncode == 1
    assert run.stderr.startswith("ERRO: there is no file /no/such/file; `make image` writes")
    assert run.stderr.count("\n") == 1


def test_what_the_machine_refuses_is_one_sentence_too() -> None:
    run = call("liqoctl", "playground", "load", "x" * 300)
    assert run.returncode == 1
    assert "File name too long" in run.stderr
    assert run.stderr.count("\n") == 1


def test_a_group_alone_shows_its_help_and_ends_with_exit_code_1() -> None:
    run = call("liqoctl", "playground")
    assert run.returncode == 1
    assert run.stderr.startswith("Usage: liqoctl playground ")
