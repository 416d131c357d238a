"""demo: the story of docs/tutorial.md, told and run, and what to type next."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from liqo.cli.lazy import examples
from liqo.cli.output import Output
from liqo.cli.playground import context
from liqo.cli.playground.context import in_playground
from liqo.playground.errors import PlaygroundError, next_step

if TYPE_CHECKING:
    from liqo.playground.layout import Layout

ACTIVATE = "source .venv/bin/activate"


@click.command(
    epilog=examples("liqoctl playground demo"),
    help="Run the commands of docs/tutorial.md, with what it says about each: three clusters with "
    "Liqo, and a web server of the one that runs in another. It ends before the page takes "
    "everything back. The clusters stay, to go on by hand.",
)
@in_playground
def demo(playground_name: str) -> None:
    async def work(out: Output) -> None:
        from liqo.cli.playground.story import tell
        from liqo.playground import store

        check_new(playground_name, store.read(playground_name))
        await tell(out, playground_name)
        out.result(what_next(playground_name))

    context.run(work)


def check_new(playground: str, known: Layout | None) -> None:
    """The story creates everything, and creating fails where something is."""
    if known is None or not known.clusters:
        return
    there = ", ".join(cluster.name for cluster in known.clusters)
    raise PlaygroundError(
        f'the playground "{playground}" is there already ({there}), and the demo begins with '
        f"nothing; remove it with: {ACTIVATE} && {next_step(playground, 'down')}"
    )


def what_next(playground: str) -> str:
    south = "-n liqo-demo deployment/app-south"
    steps = {
        ACTIVATE: "liqoctl",
        f'eval "$({next_step(playground, "env")})"': "kubectl, for venice unless you say else",
        f"kubectl scale {south} --replicas=3": "more pods, all in naples",
        f"kubectl port-forward {south} 8080": "then: http://localhost:8080",
        "kubectl describe node liqo-naples": "what was borrowed",
        "liqoctl info peer": "the peerings, and what they share",
        next_step(playground, "cut", "venice", "naples"): "break something: --help lists faults",
        next_step(playground, "down"): "when you have seen enough",
    }
    width = max(map(len, steps))
    lines = (f"  {command:{width}}   # {what}" for command, what in steps.items())
    told = "The clusters stay. Type next, the first two lines in every new terminal:"
    rest = "Or take everything back by hand: docs/tutorial.md goes on with that, under: And back"
    return "\n".join(("", told, "", *lines, "", rest))
