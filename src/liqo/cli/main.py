"""liqoctl: the table of its verbs, and how an error ends it.

A verb's module is imported when the verb is called or its help is asked for: `liqoctl --help`
costs a tenth of a second of CPU, however many verbs there are.
"""

import importlib
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import click

from liqo.cli.output import Output
from liqo.errors import LiqoError


@dataclass(frozen=True)
class Verb:
    """Where a command lives, and the line about it in the list of commands."""

    module: str  # its attribute `command` is the click command
    summary: str


VERBS: Mapping[str, Verb] = {
    "playground": Verb("liqo.cli.playground", "Real Kubernetes clusters on this machine"),
}


class LazyGroup(click.Group):
    """A group that knows its commands by name and imports one only to run it."""

    def __init__(self, *, verbs: Mapping[str, Verb], **settings: object) -> None:
        super().__init__(**settings)  # type: ignore[arg-type]  # click's own keywords, passed on
        self.verbs = verbs

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.verbs)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        verb = self.verbs.get(cmd_name)
        if verb is None:
            return None
        command = importlib.import_module(verb.module).command
        assert isinstance(command, click.Command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, verb.summary) for name, verb in self.verbs.items()])


command = LazyGroup(
    name="liqoctl",
    verbs=VERBS,
    help="Joins Kubernetes clusters into one.",
    epilog="Example: liqoctl playground up",
    context_settings={"help_option_names": ["-h", "--help"]},
)


def main() -> None:
    """Run one command. An error is one sentence on stderr and exit code 1, never a stack trace."""
    called_as = "kubectl liqo" if Path(sys.argv[0]).name == "kubectl-liqo" else "liqoctl"
    try:
        code = command.main(prog_name=called_as, standalone_mode=False)
    except click.exceptions.Abort:
        sys.exit(130)
    except click.ClickException as error:
        error.show()
        sys.exit(1)
    except LiqoError as error:
        Output().error(str(error))
        sys.exit(1)
    sys.exit(code if isinstance(code, int) else 0)
