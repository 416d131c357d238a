"""A verb, called with words as a user types them, on a server that answers what a test says."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import click

from liqo.cli import flags, switches
from liqo.cli.call import Call
from liqo.cli.flags import Target
from liqo.cli.output import Output
from tests.unit.kube.scripted import Answer, Asked, scripted

OF_ALL = {option.name for option in flags.everywhere()}


async def called(verb: click.Command, words: str, *answers: Answer) -> Sequence[Asked]:
    """What it asked the server for. Not through `main`: the test has its own event loop."""
    with TemporaryDirectory() as folder:
        async with scripted(*answers) as server:
            file = Path(folder) / "config"
            file.write_text(kubeconfig(server.access.server))
            context = verb.make_context("liqoctl", switches.plain(verb, words.split()))
            own = {name: said for name, said in context.params.items() if name not in OF_ALL}
            work: Any = verb.callback
            target = Target(kubeconfig=str(file))
            await work.__wrapped__(Call(Output(), flags.settings(context), target, target), **own)
        return server.asked


def kubeconfig(server: str) -> str:
    return (
        "current-context: a\n"
        f"clusters: [{{name: a, cluster: {{server: '{server}'}}}}]\n"
        "contexts: [{name: a, context: {cluster: a}}]\n"
    )
