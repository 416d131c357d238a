"""env, kubeconfig, shell, load: how a person and kubectl get in."""

from __future__ import annotations

import os
import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click

from liqo.cli.lazy import examples
from liqo.cli.output import Output
from liqo.cli.playground import context
from liqo.cli.playground.context import in_playground
from liqo.playground.errors import PlaygroundError

if TYPE_CHECKING:
    from liqo.playground.cluster import Site


@click.command(
    epilog=examples('eval "$(liqoctl playground env)"'),
    help="Print exports for a shell: KUBECONFIG for the first cluster, KUBECONFIG_<NAME> for "
    "each, and a PATH on which the right kubectl comes first.",
)
@in_playground
def env(playground_name: str) -> None:
    async def work(out: Output) -> None:
        from liqo.playground.playground import Playground

        for name, value in exports(await Playground(playground_name, out.info).sites()):
            # Not quoted whole: PATH goes on with what the shell has.
            out.result(f"export {name}={value}")

    context.run(work)


def exports(sites: list[Site]) -> list[tuple[str, str]]:
    each = [
        (
            f"KUBECONFIG_{site.cluster.name.upper().replace('-', '_')}",
            shlex.quote(str(site.kubeconfig)),
        )
        for site in sites
    ]
    tools = shlex.quote(str(sites[0].executables["kubectl"].parent))
    return [("KUBECONFIG", each[0][1]), *each, ("PATH", f'{tools}:"$PATH"')]


@click.command(
    epilog=examples("liqoctl playground kubeconfig venice > venice.yaml"),
    help="Print the kubeconfig of the cluster NAME.",
)
@click.argument("name")
@in_playground
def kubeconfig(name: str, playground_name: str) -> None:
    async def work(out: Output) -> None:
        from liqo.playground.playground import Playground

        [site] = await Playground(playground_name, out.info).sites([name])
        out.result(site.kubeconfig.read_text())

    context.run(work)


@click.command(
    epilog=examples("liqoctl playground shell venice"),
    help="Start your shell with the kubeconfig of the cluster NAME and the right kubectl first "
    "on the PATH; leave it with exit.",
)
@click.argument("name")
@in_playground
def shell(name: str, playground_name: str) -> None:
    async def work(out: Output) -> Mapping[str, str]:
        from liqo.playground.playground import Playground

        [site] = await Playground(playground_name, out.info).sites([name])
        tools = site.executables["kubectl"].parent
        out.info(f'kubectl talks to "{name}"; leave with exit')
        return {"KUBECONFIG": str(site.kubeconfig), "PATH": f"{tools}:{os.environ['PATH']}"}

    environment = {**os.environ, **context.run(work)}
    program = os.environ.get("SHELL", "/bin/sh")
    os.execvpe(program, [program], environment)


@click.command(
    epilog=examples("make image && liqoctl playground load build/liqo.tar venice"),
    help="Put the images of ARCHIVE (as `docker save` writes it) into the containerd of every "
    "node of the clusters NAME…, or of all.",
)
@click.argument("archive", type=click.Path(path_type=Path))
@click.argument("names", metavar="[NAME]...", nargs=-1)
@in_playground
def load(archive: Path, names: tuple[str, ...], playground_name: str) -> None:
    if not archive.is_file():
        raise PlaygroundError(f"there is no file {archive}; `make image` writes build/liqo.tar")
    whole = archive.absolute()

    async def work(out: Output) -> None:
        from liqo.playground.playground import Playground

        for site in await Playground(playground_name, out.info).sites(names):
            await site.load(whole)
            out.info(f"{site.cluster.name}: every node has the images")

    context.run(work)
