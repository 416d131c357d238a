"""One cluster: from a folder and some namespaces to nodes that are Ready and names that resolve."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import yaml

from liqo.playground import addons, network, node, pki
from liqo.playground.command import CommandError, run
from liqo.playground.components import Component, components, full_name
from liqo.playground.errors import PlaygroundError, next_step
from liqo.playground.layout import Cluster, Layout, Node
from liqo.playground.waiting import until

START = 120.0  # seconds: twice what three clusters need together on two busy cores
SOON = 0.2


@dataclass(frozen=True)
class Site:
    """A cluster with all that is needed to act on it."""

    layout: Layout
    cluster: Cluster
    folder: Path
    executables: Mapping[str, Path]

    @property
    def kubeconfig(self) -> Path:
        return self.folder_of(self.cluster.control_plane) / "admin.kubeconfig"

    def folder_of(self, member: Node) -> Path:
        return self.folder / str(member.index)

    async def kubectl(self, *arguments: str, text: str = "") -> str:
        return await run(
            self.executables["kubectl"], f"--kubeconfig={self.kubeconfig}", *arguments, text=text
        )

    async def load(self, archive: Path) -> None:
        """Put the images of an archive into every node."""
        for member in self.cluster.nodes:
            await node.load(member, archive)


async def up(site: Site, archive: Path, say: Callable[[str], None]) -> None:
    """Make it run, whatever of it runs already."""
    write_files(site)
    for member in site.cluster.nodes:
        await network.create_node(site.layout, member)
        await node.start(member, site.folder_of(member))
        await launch(site, member, needing_api_server=False)
    async with asyncio.TaskGroup() as tasks:
        for member in site.cluster.nodes:
            tasks.create_task(load_images(site, member, archive))
        await healthy(site, site.cluster.control_plane, "kube-apiserver")
        say(f"{site.cluster.name}: the API server answers at {site.cluster.server}")
        await apply_addons(site)
        for member in site.cluster.nodes:
            await launch(site, member, needing_api_server=True)
    await complete(site)


def write_files(site: Site) -> None:
    """Certificates are made once; configuration is written anew, as the options say now."""
    signers = pki.authorities(site.folder / "pki", site.cluster.name)
    for member in site.cluster.nodes:
        folder = site.folder_of(member)
        if not (folder / "kube-proxy.kubeconfig").exists():  # the last one to be written
            if member.is_control_plane:
                pki.write_control_plane(folder, site.cluster, signers)
            pki.write_node(folder, site.cluster, member, signers)
        for component in components(site.cluster, member):
            node.write_files(folder, component)


async def launch(site: Site, member: Node, *, needing_api_server: bool) -> None:
    for component in components(site.cluster, member):
        if component.needs_api_server == needing_api_server:
            await node.launch(member, site.folder_of(member), component, site.executables)


async def healthy(site: Site, member: Node, component: str) -> None:
    """Wait for a component to say that it is well; a dead one is not waited for."""
    state = {component: "no answer yet"}

    async def is_well() -> bool:
        fail_if_not_running(site, member, component)
        state.update(await probe(member, component))
        return state[component] == "ok"

    await until(
        is_well,
        START,
        lambda: (
            f'{component} of "{member.name}" is not ready after {START:.0f} s: {state[component]}'
        ),
        every=SOON,
    )


def fail_if_not_running(site: Site, member: Node, component: str) -> None:
    """It, or one that it stands on, such as the etcd below an API server."""
    alive = node.running(member)
    for name in {"kube-apiserver": ("etcd", "kube-apiserver")}.get(component, (component,)):
        if "=" in name:
            continue  # a question to DNS, not a process
        if name not in alive:
            raise PlaygroundError(node.ended(member, site.folder_of(member), name))
        if alive[name].is_paused:
            goes_on = next_step(
                member.playground, "resume", member.cluster, name, *node.named(member)
            )
            raise PlaygroundError(
                f'{name} of "{member.name}" is paused; let it go on with: {goes_on}'
            )


async def probe(member: Node, *names: str) -> dict[str, str]:
    answer = await node.inside(member, sys.executable, "-m", "liqo.playground.probe", *names)
    found = json.loads(answer)
    assert isinstance(found, dict)
    return found


async def load_images(site: Site, member: Node, archive: Path) -> None:
    await healthy(site, member, "containerd")
    await node.load(member, archive)


async def apply_addons(site: Site) -> None:
    documents = yaml.safe_dump_all(addons.manifests(site.cluster))
    # Right after its start an API server may still refuse: its own roles are being made.
    await until(
        lambda: applied(site, documents),
        START,
        lambda: f'the add-ons of "{site.cluster.name}" cannot be applied',
        every=SOON,
    )


async def applied(site: Site, documents: str) -> bool:
    try:
        await site.kubectl("apply", "--server-side", "--force-conflicts", "-f", "-", text=documents)
    except CommandError as error:
        if "forbidden" in str(error) or "not found" in str(error):
            return False
        raise
    return True


async def complete(site: Site) -> None:
    """Every component well, every node Ready, the add-ons available, and a name that resolves."""
    for member in site.cluster.nodes:
        for component in components(site.cluster, member):
            await healthy(site, member, component.name)
    simulated = addons.simulated_nodes(site.cluster)
    names = [f"node/{member.name}" for member in site.cluster.nodes]
    names += [f"node/{manifest['metadata']['name']}" for manifest in simulated]
    in_system = f"--namespace={addons.SYSTEM}"
    wait = ("wait", f"--timeout={START:.0f}s")
    try:
        await site.kubectl(*wait, "--for=condition=Ready", *names)
        await site.kubectl(*wait, in_system, "--for=condition=Available", "deployment", "--all")
        await site.kubectl(*wait, "--for=condition=Available", f"apiservice/{addons.METRICS_API}")
    except CommandError as error:
        listed = await site.kubectl("get", "nodes,pods", "--all-namespaces", "--no-headers")
        raise PlaygroundError(
            f'the cluster "{site.cluster.name}" is not complete ({error}); it has:\n{listed}'
        ) from None
    await healthy(site, site.cluster.control_plane, f"dns={site.cluster.service_address(10)}")


async def restart(site: Site, member: Node) -> None:
    """A whole node again, after it was killed."""
    await network.create_node(site.layout, member)
    await node.start(member, site.folder_of(member))
    await launch(site, member, needing_api_server=False)
    await healthy(site, site.cluster.control_plane, "kube-apiserver")
    await launch(site, member, needing_api_server=True)


def component_named(site: Site, member: Node, name: str) -> Component:
    every = {component.name: component for component in components(site.cluster, member)}
    if full_name(name) not in every:
        known = ", ".join(every)
        raise PlaygroundError(
            f'there is no component "{name}" on "{member.name}" (there: {known}, and "node")'
        )
    return every[full_name(name)]
