"""Commands that are imported when they are called.

`liqoctl --help` costs a tenth of a second of CPU, however many verbs there are.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from liqo.cli import flags, switches
from liqo.errors import LiqoError

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

NETWORK = "the network module"  # which some commands are to come with
COMPLETION_VARIABLE = "_LIQOCTL_COMPLETE"  # by which a shell asks what could come next


@dataclass(frozen=True)
class Verb:
    """Where a command lives, and the line about it in the list of commands."""

    module: str
    summary: str
    attribute: str = "command"
    aliases: tuple[str, ...] = ()


class LazyGroup(click.Group):
    """A group that knows its commands by name and imports one only to run or explain it.

    `later` are commands that users of Liqo know and that are still to come, each with what it
    comes with: they are not listed, and who calls one is told.
    """

    def __init__(
        self, *, verbs: Mapping[str, Verb], later: Mapping[str, str] | None = None, **settings: Any
    ) -> None:
        super().__init__(**{"params": flags.everywhere(), **settings})
        self.verbs = verbs
        self.later = later or {}

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.verbs)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        verb = self.verbs.get(cmd_name) or self._by_alias(cmd_name)
        if cmd_name in self.later:
            called = f"{ctx.command_path} {cmd_name}"
            raise LiqoError(f"{called} is still to come, with {self.later[cmd_name]}")
        if verb is None:
            return None
        command = getattr(importlib.import_module(verb.module), verb.attribute)
        assert isinstance(command, click.Command)
        return command

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        return super().parse_args(ctx, switches.plain(self, args))

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name, found, rest = super().resolve_command(ctx, args)
        return name, found, switches.plain(found, rest) if found else rest

    def invoke(self, ctx: click.Context) -> Any:
        """What is said before a command counts for it too."""
        said = {
            name: value
            for name, value in ctx.params.items()
            if ctx.get_parameter_source(name) is ParameterSource.COMMANDLINE
        }
        ctx.default_map = dict.fromkeys(self.verbs, said) if said else ctx.default_map
        return super().invoke(ctx)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem[str]]:
        """The names of commands, which need not be imported for that, and our own options."""
        from click.shell_completion import CompletionItem

        names = [
            CompletionItem(name, help=verb.summary)
            for name, verb in self.verbs.items()
            if name.startswith(incomplete)
        ]
        return names + click.Command.shell_complete(self, ctx, incomplete)

    def _by_alias(self, word: str) -> Verb | None:
        return next((verb for verb in self.verbs.values() if word in verb.aliases), None)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, verb.summary) for name, verb in self.verbs.items()])


def examples(*lines: str) -> str:
    """The end of a help text: commands that can be copied. \\b keeps their lines as they are."""
    return "\b\nExamples:\n" + "\n".join(f"  {line}" for line in lines)
