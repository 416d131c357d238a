"""Commands that are imported when they are called.

`liqoctl --help` costs a tenth of a second of CPU, however many verbs there are.
"""

import importlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import click


@dataclass(frozen=True)
class Verb:
    """Where a command lives, and the line about it in the list of commands."""

    module: str
    summary: str
    attribute: str = "command"


class LazyGroup(click.Group):
    """A group that knows its commands by name and imports one only to run or explain it."""

    def __init__(self, *, verbs: Mapping[str, Verb], **settings: Any) -> None:
        super().__init__(**settings)
        self.verbs = verbs

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.verbs)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        verb = self.verbs.get(cmd_name)
        if verb is None:
            return None
        command = getattr(importlib.import_module(verb.module), verb.attribute)
        assert isinstance(command, click.Command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, verb.summary) for name, verb in self.verbs.items()])


def examples(*lines: str) -> str:
    """The end of a help text: commands that can be copied. \\b keeps their lines as they are."""
    return "\b\nExamples:\n" + "\n".join(f"  {line}" for line in lines)
