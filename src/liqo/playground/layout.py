"""Names and addresses of a playground: which cluster, which node, where. Pure values.

Everything that must be unique on the machine carries the playground's name, so that several live
beside each other. What Linux cuts at 15 characters (links) carries eight hex digits instead.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from ipaddress import IPv4Network
from itertools import chain

from liqo.playground.errors import PlaygroundError, next_step
from liqo.playground.subnets import check_networks, nth
from liqo.rules import quantity

LABEL = re.compile(r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?")
PREFIX = "lqp-"  # of network namespaces, cgroups and links: what `down` searches for
POD_NETWORKS, SERVICE_NETWORKS = IPv4Network("10.128.0.0/10"), IPv4Network("10.192.0.0/10")
NODE_BITS = 6  # a cluster's pod CIDR is cut into 64 nodes: 1,021 pods each with the default /16
MAX_CLUSTERS, MAX_NODES = 16, 14  # of which each address is <cluster><node> in the last byte
MAX_NAME = 63
MAX_NODE_NAME = 52  # "system:node:<name>" is a certificate's common name: 64 characters at most


@dataclass(frozen=True)
class Simulated:
    """Nodes that exist for the scheduler only; KWOK plays their kubelet."""

    count: int = 0
    cpu: str = "32"
    memory: str = "256Gi"
    resources: tuple[tuple[str, str], ...] = ()  # (resource, quantity)


@dataclass(frozen=True)
class Options:
    """What `up` may be told about a cluster. Two clusters of one playground may differ."""

    workers: int = 0
    simulated: Simulated = Simulated()
    pod_cidr: str = ""
    service_cidr: str = ""
    flat: bool = False
    kubernetes_version: str = ""
    signing_duration: str = ""
    audit: bool = False
    flags: tuple[tuple[str, str], ...] = ()  # (component, --name=value)


@dataclass(frozen=True)
class Node:
    """One machine of a cluster: a network, mount and PID namespace of its own."""

    name: str
    playground: str
    cluster: str
    index: int  # 0 is control plane and worker, the others are workers
    address: str
    pod_cidr: str

    @property
    def namespace(self) -> str:
        """The network namespace, by which everything of this node is found again."""
        return f"{PREFIX}{self.playground}.{self.cluster}.{self.index}"

    @property
    def cgroup(self) -> str:
        return f"{PREFIX}{self.playground}/{self.cluster}.{self.index}"

    @property
    def port(self) -> str:
        """The link on the switch that this node is plugged into."""
        return "p-" + short(self.namespace)

    @property
    def is_control_plane(self) -> bool:
        return self.index == 0


@dataclass(frozen=True)
class Cluster:
    """One Kubernetes cluster of the playground."""

    name: str
    index: int
    options: Options
    pod_cidr: str
    service_cidr: str
    nodes: tuple[Node, ...]

    @property
    def control_plane(self) -> Node:
        return self.nodes[0]

    @property
    def server(self) -> str:
        return f"https://{self.control_plane.address}:6443"

    def service_address(self, number: int) -> str:
        """The first is `kubernetes` by Kubernetes' own rule, the tenth is DNS by custom."""
        return str(IPv4Network(self.service_cidr)[number])


@dataclass(frozen=True)
class Layout:
    """A whole playground."""

    name: str
    network: str
    clusters: tuple[Cluster, ...] = ()

    @property
    def switch(self) -> str:
        """The namespace with the bridge: outside the host's, so its firewall has no say in it."""
        return f"{PREFIX}{self.name}"

    @property
    def host_link(self) -> str:
        return PREFIX + short(self.name)

    @property
    def host_address(self) -> str:
        return str(IPv4Network(self.network)[1])

    @property
    def nodes(self) -> Iterator[Node]:
        return chain.from_iterable(cluster.nodes for cluster in self.clusters)

    @property
    def names(self) -> frozenset[str]:
        return frozenset(cluster.name for cluster in self.clusters)

    def cluster(self, name: str) -> Cluster:
        for cluster in self.clusters:
            if cluster.name == name:
                return cluster
        known = ", ".join(cluster.name for cluster in self.clusters) or "none"
        raise PlaygroundError(
            f'there is no cluster "{name}" in the playground "{self.name}" (there: {known}); '
            f"make it with: {next_step(self.name, 'up', name)}"
        )

    def with_cluster(self, name: str, options: Options) -> Layout:
        """This layout, and in it that cluster: a new one, or an old one with more workers."""
        check_simulated(options.simulated)
        old = next((cluster for cluster in self.clusters if cluster.name == name), None)
        new = grown(self, old, options) if old else placed(self, name, options)
        others = [cluster for cluster in self.clusters if cluster.name != name]
        check_flat(new, others)
        return replace(
            self, clusters=tuple(sorted((*others, new), key=lambda cluster: cluster.index))
        )

    def without_cluster(self, name: str) -> Layout:
        self.cluster(name)
        left = tuple(cluster for cluster in self.clusters if cluster.name != name)
        return replace(self, clusters=left)


def short(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:8]


def check_name(what: str, name: str) -> None:
    if len(name) > MAX_NAME:
        raise PlaygroundError(
            f'the {what} name "{name}" has {len(name)} characters and may have {MAX_NAME}: '
            "choose a shorter one"
        )
    if not LABEL.fullmatch(name):
        raise PlaygroundError(
            f'the {what} name "{name}" is not a DNS label: use a-z, 0-9 and "-" '
            "(not at the beginning or the end)"
        )


def check_names(names: Iterable[str]) -> None:
    seen: set[str] = set()
    for name in names:
        check_name("cluster", name)
        if name in seen:
            raise PlaygroundError(f'the cluster "{name}" is named twice: name each one once')
        seen.add(name)


def check_simulated(nodes: Simulated) -> None:
    if nodes.resources and not nodes.count:
        raise PlaygroundError("--kwok-resource is for simulated nodes: say how many with --kwok N")
    sizes = (("cpu", nodes.cpu), ("memory", nodes.memory), *nodes.resources)
    for name, size in sizes:
        try:
            quantity.parse(size)
        except ValueError as error:
            raise PlaygroundError(f"{name} of a simulated node: {error}") from None


def placed(layout: Layout, name: str, options: Options) -> Cluster:
    """A new cluster, at the first free index."""
    taken = {cluster.index for cluster in layout.clusters}
    index = next((free for free in range(MAX_CLUSTERS - 1) if free not in taken), None)
    if index is None:
        raise PlaygroundError(
            f'the playground "{layout.name}" is full ({len(taken)} clusters): '
            "use another one with --playground NAME"
        )
    pods = options.pod_cidr or str(nth(POD_NETWORKS, 16, index))
    services = options.service_cidr or str(nth(SERVICE_NETWORKS, 16, index))
    check_networks(layout.network, name, pods, services)
    cluster = Cluster(name, index, options, pods, services, ())
    return replace(cluster, nodes=nodes_of(layout, cluster, options.workers))


def grown(layout: Layout, old: Cluster, options: Options) -> Cluster:
    """The same cluster with what was asked for now, as far as that can change while it runs."""
    if options == Options():
        return old  # `up NAME` on what is there: as it is
    now = old.options
    fixed = replace(options, workers=now.workers, simulated=now.simulated, flat=now.flat)
    fewer = options.workers < now.workers or options.simulated.count < now.simulated.count
    if fixed != now or fewer or (now.flat and not options.flat):
        removal = next_step(layout.name, "down", old.name)
        raise PlaygroundError(
            f'the cluster "{old.name}" is up with other options, and only more --workers, more '
            f"--kwok or --flat can be added to it; first: {removal}"
        )
    return replace(old, options=options, nodes=nodes_of(layout, old, options.workers))


def nodes_of(layout: Layout, cluster: Cluster, workers: int) -> tuple[Node, ...]:
    if workers >= MAX_NODES:
        raise PlaygroundError(
            f'the cluster "{cluster.name}" may have at most {MAX_NODES - 1} workers, '
            f"not {workers}: use --kwok for more"
        )
    pods = IPv4Network(cluster.pod_cidr)
    addresses = IPv4Network(layout.network)
    return tuple(
        Node(
            name=node_name(cluster.name, index),
            playground=layout.name,
            cluster=cluster.name,
            index=index,
            address=str(addresses[16 * (cluster.index + 1) + index]),
            pod_cidr=str(nth(pods, pods.prefixlen + NODE_BITS, index)),
        )
        for index in range(workers + 1)
    )


def node_name(cluster: str, index: int) -> str:
    suffix = f"-worker-{index}" if index else ""
    return cluster[: MAX_NODE_NAME - len(suffix)].rstrip("-") + suffix


def check_flat(new: Cluster, others: Iterable[Cluster]) -> None:
    for other in others:
        if not (new.options.flat and other.options.flat):
            continue
        if IPv4Network(new.pod_cidr).overlaps(IPv4Network(other.pod_cidr)):
            raise PlaygroundError(
                f'"{new.name}" and "{other.name}" share pod addresses ({new.pod_cidr}, '
                f"{other.pod_cidr}), so they cannot both be flat: choose another --pod-cidr, "
                "or leave out --flat"
            )


def check_same_network(layout: Layout, wanted: str) -> None:
    if wanted and wanted != layout.network:
        raise PlaygroundError(
            f'the playground "{layout.name}" has the network {layout.network} and keeps it: leave '
            "out --network, or make another playground with -p NAME"
        )
