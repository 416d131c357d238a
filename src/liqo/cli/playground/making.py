"""setup, image, demo: what `make` calls."""

import asyncio
import json
from pathlib import Path
from typing import Any

import click

from liqo.cli.lazy import examples
from liqo.cli.output import Output
from liqo.cli.playground import context
from liqo.cli.playground.clusters import TUTORIAL
from liqo.cli.playground.context import in_playground
from liqo.playground import binaries, images, machine
from liqo.playground.cluster import Site
from liqo.playground.errors import next_step
from liqo.playground.layout import Options
from liqo.playground.playground import Playground

CHECKOUT = Path(__file__).parents[4]
ARCHIVE = CHECKOUT / "build" / "liqo.tar"


@click.command(
    epilog=examples("liqoctl playground setup"),
    help="Prepare this machine: Debian packages, Kubernetes' binaries, the images of the add-ons. "
    "What is there already is left alone.",
)
def setup() -> None:
    async def work(out: Output) -> None:
        wanted = (*binaries.NEEDED, *binaries.ON_DEMAND)
        await machine.prepare(out.info)
        await images.addons(await binaries.obtain(wanted, say=out.info), out.info)
        out.info("this machine is ready; next: liqoctl playground up")

    context.run(work)


@click.command(
    epilog=examples("liqoctl playground image", "liqoctl playground load build/liqo.tar"),
    help="Build the product's image from this checkout as an archive that ctr, docker load and "
    "kind load accept.",
)
def image() -> None:
    async def work(out: Output) -> None:
        await machine.prepare(out.info, images=True)
        built = await images.product(CHECKOUT, out.info)
        ARCHIVE.parent.mkdir(exist_ok=True)
        ARCHIVE.unlink(missing_ok=True)
        ARCHIVE.symlink_to(built)
        for name in images.names(built):
            out.info(f"{ARCHIVE.relative_to(CHECKOUT)} holds {name}")
        out.info("next: liqoctl playground load build/liqo.tar")

    context.run(work)


@click.command(
    epilog=examples("liqoctl playground demo"),
    help="Three clusters side by side, a pod Running on each, and what to type next.",
)
@in_playground
def demo(playground_name: str) -> None:
    async def work(out: Output) -> None:
        playground = Playground(playground_name, out.info)
        made = await playground.up(TUTORIAL, Options())
        for site in made:
            playground.write_kubeconfig(site, Path.cwd())
        async with asyncio.TaskGroup() as tasks:
            asked = [tasks.create_task(run_pod(site)) for site in made]
        out.table(
            ("CLUSTER", "NODE", "POD", "STATUS", "IP", "IT SAYS"), [t.result() for t in asked]
        )
        out.result(what_next(playground_name))

    context.run(work)


def what_next(playground: str) -> str:
    steps = {
        "source .venv/bin/activate": "liqoctl",
        f'eval "$({next_step(playground, "env")})"': "kubectl, and a KUBECONFIG for each cluster",
        "kubectl get pods -A -o wide": "in venice",
        "kubectl --kubeconfig liqo_kubeconf_naples top node": "in naples",
        next_step(playground, "cut", "venice", "florence"): "break something: --help lists faults",
        next_step(playground, "down"): "when you have seen enough",
    }
    width = max(map(len, steps))
    lines = (f"  {command:{width}}   # {what}" for command, what in steps.items())
    return "\n".join(
        ("", "Three Kubernetes clusters are running on this machine. Type next:", "", *lines)
    )


async def run_pod(site: Site) -> tuple[str, ...]:
    """A pod that says where it runs, and what it says."""
    pod = json.dumps(demo_pod(site.cluster.name))
    await site.kubectl("apply", "--server-side", "-f", "-", text=pod)
    await site.kubectl("wait", "--for=condition=Ready", "pod/demo", "--timeout=60s")
    fields = "{.spec.nodeName},{.metadata.name},{.status.phase},{.status.podIP}"
    shown = await site.kubectl("get", "pod", "demo", "-o", f"jsonpath={fields}")
    answer = await site.kubectl("get", "--raw", "/api/v1/namespaces/default/pods/demo:8080/proxy/")
    told = json.loads(answer)
    says = f"I am {told['pod']} on {told['node']} in {told['cluster']}"
    return (site.cluster.name, *shown.split(","), says)


def demo_pod(cluster: str) -> dict[str, Any]:
    def field(name: str, path: str) -> dict[str, Any]:
        return {"name": name, "valueFrom": {"fieldRef": {"fieldPath": path}}}

    environment = [
        {"name": "CLUSTER_NAME", "value": cluster},
        field("NODE_NAME", "spec.nodeName"),
        field("POD_NAME", "metadata.name"),
        field("POD_NAMESPACE", "metadata.namespace"),
        field("POD_IP", "status.podIP"),
    ]
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "demo", "namespace": "default", "labels": {"app": "demo"}},
        "spec": {
            "containers": [
                {
                    "name": "demo",
                    "image": images.DEMO,
                    "env": environment,
                    "ports": [{"containerPort": 8080}],
                    "readinessProbe": {"httpGet": {"path": "/healthz", "port": 8080}},
                }
            ]
        },
    }
