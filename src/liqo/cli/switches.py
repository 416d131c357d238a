"""Flags that are true or false take a value too, as those of Kubernetes' tools: --wait=false."""

from __future__ import annotations

import re
from collections.abc import Sequence

import click

ASSIGNED = re.compile(r"(--[\w-]+)=(true|false)", re.IGNORECASE)


def plain(command: click.Command, args: Sequence[str]) -> list[str]:
    """The same words, without values of switches; what follows `--` is no flag."""
    end = args.index("--") if "--" in args else len(args)
    spelled = [word for arg in args[:end] for word in _spelled(command, arg)]
    return [*spelled, *args[end:]]


def _spelled(command: click.Command, arg: str) -> Sequence[str]:
    assigned = ASSIGNED.fullmatch(arg)
    if assigned is None:
        return (arg,)
    name, is_true = assigned[1], assigned[2].lower() == "true"
    for param in command.params:
        if isinstance(param, click.Option) and param.is_flag and name in param.opts:
            return (name,) if is_true else param.secondary_opts[:1]
    return (arg,)
