"""A playground: several clusters on one machine, made and removed together."""

from __future__ import annotations

import asyncio
import hashlib
import shutil
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from ipaddress import IPv4Network
from pathlib import Path

import msgspec

from liqo.errors import first_error
from liqo.playground import (
    binaries,
    cgroups,
    cluster,
    images,
    layout,
    links,
    machine,
    network,
    node,
    store,
    subnets,
)
from liqo.playground.cluster import Site
from liqo.playground.components import check_flags, components
from liqo.playground.errors import DEFAULT, PlaygroundError, next_step
from liqo.playground.layout import PREFIX, Cluster, Layout, Options

LEAST_DISK = 2 << 30  # bytes: the images, twice unpacked, and an etcd for each of three clusters
KUBECONFIG = "liqo_kubeconf_"


@dataclass(frozen=True)
class Playground:
    """One playground of this machine, whether it exists yet or not."""

    name: str = DEFAULT
    say: Callable[[str], None] = lambda _: None
    network: str = ""  # a /24 for the nodes; a free one is found by itself

    def __post_init__(self) -> None:
        layout.check_name("playground", self.name)

    async def up(self, names: Sequence[str], options: Options) -> list[Site]:
        """Make these clusters, or what is missing of them. What fails leaves nothing behind."""
        self.check(names, options)
        archive = await self.supplies(options)
        async with store.locked(store.folder(self.name)):
            before = store.read(self.name)
            if before is not None and before.clusters:
                layout.check_same_network(before, self.network)
            try:
                after = with_clusters(before or await self.new_layout(), names, options)
                store.write(after)
                await self.prepare_network(before, after)
                return await self.start([after.cluster(name) for name in names], after, archive)
            except BaseException as why:
                if isinstance(why, asyncio.CancelledError):
                    self.say("interrupted: taking away what was made so far")
                await self.undo(before)
                raise

    def check(self, names: Sequence[str], options: Options) -> None:
        """Refuse what can be known to be wrong before minutes are spent on building."""
        layout.check_names(names)
        check_disk()
        known = store.read(self.name) or Layout(self.name, subnets.free_network(()))
        with_clusters(known, names, options)

    async def supplies(self, options: Options) -> Path:
        """Everything that clusters are made of, built where it is missing; gives the images."""
        await machine.prepare(self.say, version=options.kubernetes_version)
        return await images.addons(await self.executables(options), self.say)

    async def executables(self, options: Options) -> Mapping[str, Path]:
        """Of the version that this cluster has; at hand after the first time."""
        wanted = (*binaries.NEEDED, *(binaries.ON_DEMAND if options.simulated.count else ()))
        return await binaries.obtain(wanted, version=options.kubernetes_version, say=self.say)

    async def new_layout(self) -> Layout:
        async with store.locked(store.HOME):
            taken = [*await network.host_networks(), *networks_of(store.every())]
            chosen = (
                subnets.check_network(self.network, taken)
                if self.network
                else subnets.free_network(taken)
            )
            fresh = Layout(self.name, chosen)
            store.write(fresh)
            return fresh

    async def prepare_network(self, before: Layout | None, after: Layout) -> None:
        await network.create_switch(after)
        if cuts := store.cuts(self.name):
            await network.set_cuts(after, cuts)  # the cables of new nodes too
        if before is not None and before != after:
            for other in before.nodes:  # their routes to the new nodes
                await network.create_node(after, other)

    async def start(self, members: Iterable[Cluster], known: Layout, archive: Path) -> list[Site]:
        sites = [await self.site(known, member) for member in members]
        try:
            async with asyncio.TaskGroup() as tasks:
                for site in sites:
                    tasks.create_task(self.complete(site, archive))
        except BaseExceptionGroup as group:
            raise first_error(group) from None
        return sites

    async def complete(self, site: Site, archive: Path) -> None:
        mark = site.folder / "complete"
        wanted = digest(site.cluster, archive)
        if mark.exists() and mark.read_text() == wanted and await is_running(site):
            self.say(f"{site.cluster.name}: is up")
            return
        mark.unlink(missing_ok=True)
        self.say(f"{site.cluster.name}: starting {len(site.cluster.nodes)} node(s)")
        await cluster.up(site, archive, self.say)
        mark.write_text(wanted)
        self.say(f"{site.cluster.name}: every node is Ready and names resolve")

    async def undo(self, before: Layout | None) -> None:
        """Take away what an `up` that failed has made, and keep what was there."""
        if before is None or not before.clusters:
            await self.destroy()
            return
        kept = {member.namespace for member in before.nodes}
        for path in network.namespaces_of(f"{PREFIX}{self.name}."):
            if path.name not in kept:
                await self.destroy_node(path.name)
        now = store.read(self.name) or before
        for name in now.names - before.names:
            await self.destroy_cluster(name)
        store.write(before)

    async def down(self, names: Sequence[str] = ()) -> None:
        """Remove these clusters, or all of it, from what can be seen of them on this machine."""
        if not names:
            async with store.locked(store.folder(self.name)):
                await self.destroy()
            return
        layout.check_names(names)
        self.existing()
        async with store.locked(store.folder(self.name)):
            known = self.existing()
            for name in names:
                known = known.without_cluster(name)
            for name in names:
                await self.destroy_cluster(name)
            store.write(known)
            if not known.clusters:
                await self.destroy()
                return
            await links.forget(known, names)

    async def destroy(self) -> None:
        prefix = f"{PREFIX}{self.name}"
        found = network.namespaces_of(f"{prefix}.")
        async with asyncio.TaskGroup() as tasks:
            for path in found:
                tasks.create_task(self.destroy_node(path.name))
        for path in store.folder(self.name).glob("*/"):
            self.forget_kubeconfigs(path)
        await network.delete_link(Layout(self.name, "0.0.0.0/24").host_link)
        await network.delete_namespace(prefix)
        cgroups.remove(prefix)
        node.remove_mount_points()
        store.remove(store.folder(self.name))

    async def destroy_cluster(self, name: str) -> None:
        for path in network.namespaces_of(f"{PREFIX}{self.name}.{name}."):
            await self.destroy_node(path.name)
        folder = store.cluster_folder(self.name, name)
        self.forget_kubeconfigs(folder)
        shutil.rmtree(folder, ignore_errors=True)

    async def destroy_node(self, namespace: str) -> None:
        group = namespace.replace(".", "/", 1)  # lqp-<playground>/<cluster>.<index>
        await node.destroy(namespace, group)
        await network.delete_namespace(namespace)

    def existing(self) -> Layout:
        found = store.read(self.name)
        if found is None or not found.clusters:  # one that is being made has none yet
            raise PlaygroundError(
                f'there is no playground "{self.name}" on this machine; '
                f"make it with: {next_step(self.name, 'up')}"
            )
        return found

    async def site(self, known: Layout, member: Cluster) -> Site:
        folder = store.cluster_folder(self.name, member.name)
        return Site(known, member, folder, await self.executables(member.options))

    async def sites(self, names: Iterable[str] = ()) -> list[Site]:
        """Those with these names, or all. What is not there is said before anything is built."""
        known = self.existing()
        wanted = [known.cluster(name) for name in names] or known.clusters
        return [await self.site(known, member) for member in wanted]

    def write_kubeconfig(self, site: Site, folder: Path) -> Path:
        """A copy for a person; it is remembered, and goes when the cluster goes."""
        path = folder / f"{KUBECONFIG}{site.cluster.name}"
        path.unlink(missing_ok=True)
        path.touch(mode=0o600)
        path.write_bytes(site.kubeconfig.read_bytes())
        copies = site.folder / "copies"
        listed = set(copies.read_text().splitlines()) if copies.exists() else set()
        copies.write_text("\n".join(sorted({*listed, str(path.absolute())})))
        return path

    def forget_kubeconfigs(self, folder: Path) -> None:
        copies, original = folder / "copies", folder / "0" / "admin.kubeconfig"
        if not copies.exists() or not original.exists():
            return
        content = original.read_bytes()
        for copy in map(Path, copies.read_text().splitlines()):
            if copy.is_file() and copy.read_bytes() == content:  # never one that changed hands
                copy.unlink()


def with_clusters(known: Layout, names: Iterable[str], options: Options) -> Layout:
    for name in names:
        known = known.with_cluster(name, options)
        check_flags(known.cluster(name))
    return known


def digest(member: Cluster, archive: Path) -> str:
    """What a cluster that is complete was made of."""
    return hashlib.sha256(msgspec.json.encode(member) + archive.name.encode()).hexdigest()


async def is_running(site: Site) -> bool:
    for member in site.cluster.nodes:
        wanted = [component.name for component in components(site.cluster, member)]
        if not set(wanted) <= set(node.running(member)):
            return False
        if any(answer != "ok" for answer in (await cluster.probe(member, *wanted)).values()):
            return False
    return True


def networks_of(layouts: Iterable[Layout]) -> list[IPv4Network]:
    return [IPv4Network(known.network) for known in layouts]


def check_disk() -> None:
    free = machine.free_bytes(store.HOME)
    if free < LEAST_DISK:
        raise PlaygroundError(
            f"{store.HOME} has {free >> 20} MiB free and a playground needs "
            f"{LEAST_DISK >> 20} MiB: make room there"
        )
