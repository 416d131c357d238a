"""liqoctl help: the help of a command, for those who ask for it in words."""

import click

from liqo.cli.lazy import examples


@click.command(
    "help",
    help="How a command is called.",
    epilog=examples("liqoctl help", "liqoctl help playground up"),
)
@click.argument("words", metavar="[COMMAND]...", nargs=-1)
@click.pass_context
def command(ctx: click.Context, words: tuple[str, ...]) -> None:
    outer = ctx.find_root()
    for word in words:
        inner = outer.command
        found = inner.get_command(outer, word) if isinstance(inner, click.Group) else None
        if found is None:
            raise click.UsageError(f"No such command {word!r}.", outer)
        outer = click.Context(found, parent=outer, info_name=found.name)
    click.echo(outer.get_help())
