"""The playground's network: a switch in a namespace of its own, a cable to every node.

    host ── lqp-1a2b3c4d ═╗
                          ╠═ switch (a bridge in its own namespace)
    node ── eth0 ═════════╣
    node ── eth0 ═════════╝

The host's firewall has no say in what two nodes exchange, and all of it but the host's own cable
goes with the namespaces. Nothing leads out: images come by `load`, not from a registry.
"""

from __future__ import annotations

import json
from ipaddress import IPv4Network
from pathlib import Path

from liqo.playground.command import run
from liqo.playground.delay import SLOW
from liqo.playground.layout import Layout, Node
from liqo.playground.processes import NAMESPACES

BRIDGE, UPLINK = "switch", "uplink"
NAT = "playground"  # the nft table of a node that is ours; kube-proxy has another
CUTS = "cuts"  # the nft table of the switch with the cables that carry nothing


async def create_switch(layout: Layout) -> None:
    if (NAMESPACES / layout.switch).exists() and await has_link(layout.host_link):
        return
    await delete_namespace(layout.switch)  # a half-made one
    prefix = IPv4Network(layout.network).prefixlen
    await run("ip", "netns", "add", layout.switch)
    await run("ip", "-n", layout.switch, "-batch", "-", text=switch_links())
    await inside(layout.switch, "echo 0 >/proc/sys/net/bridge/bridge-nf-call-iptables || true\n")
    await run(
        "ip",
        "-batch",
        "-",
        text=(
            f"link add {layout.host_link} type veth peer name {UPLINK} netns {layout.switch}\n"
            f"addr add {layout.host_address}/{prefix} dev {layout.host_link}\n"
            f"link set {layout.host_link} up\n"
        ),
    )
    await run(
        "ip",
        "-n",
        layout.switch,
        "-batch",
        "-",
        text=f"link set {UPLINK} master {BRIDGE}\nlink set {UPLINK} up\n",
    )


def switch_links() -> str:
    return f"link set lo up\nlink add {BRIDGE} type bridge\nlink set {BRIDGE} up\n"


async def create_node(layout: Layout, node: Node) -> None:
    """A namespace with one cable to the switch, and the rules of a node."""
    if not (NAMESPACES / node.namespace).exists():
        await run("ip", "netns", "add", node.namespace)
    if not await has_link("eth0", node.namespace):
        await run(
            *("ip", "-n", layout.switch, "-batch", "-"),
            text=(
                f"link add {node.port} type veth peer name eth0 netns {node.namespace}\n"
                f"link set {node.port} master {BRIDGE}\n"
                f"link set {node.port} up\n"
            ),
        )
    await inside(node.namespace, node_script(layout, node))


def node_script(layout: Layout, node: Node) -> str:
    """May run again at any time: it says what is, not what changes."""
    prefix = IPv4Network(layout.network).prefixlen
    routes = "".join(
        f"route replace {other.pod_cidr} via {other.address}\n"
        for other in neighbours(layout, node)
    )
    return (
        "echo 1 >/proc/sys/net/ipv4/ip_forward\n"
        "ip -batch - <<end\n"
        "link set lo up\n"
        f"addr replace {node.address}/{prefix} dev eth0\n"
        "link set eth0 up\n"
        # A Service's address needs some route before kube-proxy's rules see the packet.
        f"route replace default via {layout.host_address}\n"
        f"{routes}"
        "end\n"
        "nft -f - <<end\n"
        f"{node_rules(layout, node)}"
        "end\n"
    )


def node_rules(layout: Layout, node: Node) -> str:
    """Pods leave the cluster with their node's address; nothing leaves the playground."""
    cluster = layout.cluster(node.cluster)
    known = {cluster.pod_cidr, *(other.pod_cidr for other in neighbours(layout, node))}
    pods = ", ".join(sorted(str(network) for network in collapsed(known)))
    return (
        f"table ip {NAT}\n"
        f"delete table ip {NAT}\n"
        f"table ip {NAT} {{\n"
        "  chain leave {\n"
        "    type nat hook postrouting priority srcnat; policy accept;\n"
        f"    ip saddr {node.pod_cidr} ip daddr != {{ {pods} }} snat to {node.address}\n"
        "  }\n"
        "  chain keep {\n"
        "    type filter hook postrouting priority filter; policy accept;\n"
        f'    oifname "eth0" ip daddr != {{ {layout.network}, {pods} }} drop\n'
        "  }\n"
        "  chain late {\n"
        # What a slow link gives back (delay.py) was seen before, and keeps what was made of it.
        "    type filter hook prerouting priority raw; policy accept;\n"
        f'    iifname "{SLOW}*" notrack\n'
        "  }\n"
        "}\n"
    )


def collapsed(networks: set[str]) -> list[IPv4Network]:
    """Without those inside another: nft refuses a set that overlaps itself."""
    parsed = [IPv4Network(network) for network in networks]
    return [
        network
        for network in parsed
        if not any(network != other and network.subnet_of(other) for other in parsed)
    ]


def neighbours(layout: Layout, node: Node) -> list[Node]:
    """The nodes whose pods are reached directly: of the same cluster, or of all flat ones."""
    own = layout.cluster(node.cluster)
    return [
        other
        for cluster in layout.clusters
        if cluster.name == own.name or (cluster.options.flat and own.options.flat)
        for other in cluster.nodes
        if other != node
    ]


async def inside(namespace: str, script: str) -> str:
    """Run a shell script with that namespace's network and the machine's files."""
    return await run("nsenter", f"--net={NAMESPACES / namespace}", "sh", "-e", text=script)


async def set_cuts(layout: Layout, cuts: frozenset[frozenset[str]]) -> None:
    """Exactly these pairs of clusters exchange nothing."""
    await inside(layout.switch, f"nft -f - <<end\n{cut_rules(layout, cuts)}end\n")


def cut_rules(layout: Layout, cuts: frozenset[frozenset[str]]) -> str:
    cables = sorted(
        (left.port, right.port)
        for pair in cuts
        for left in layout.nodes
        for right in layout.nodes
        if {left.cluster, right.cluster} == pair
    )
    drops = "".join(f'    iifname "{left}" oifname "{right}" drop\n' for left, right in cables)
    return (
        f"table bridge {CUTS}\n"
        f"delete table bridge {CUTS}\n"
        f"table bridge {CUTS} {{\n"
        "  chain forward {\n"
        "    type filter hook forward priority filter; policy accept;\n"
        f"{drops}"
        "  }\n"
        "}\n"
    )


async def delete_namespace(namespace: str) -> None:
    if (NAMESPACES / namespace).exists():
        await run("ip", "netns", "delete", namespace)


async def delete_link(name: str) -> None:
    if await has_link(name):
        await run("ip", "link", "delete", name)


async def has_link(name: str, namespace: str = "") -> bool:
    if namespace and not (NAMESPACES / namespace).exists():
        return False
    where = ("-n", namespace) if namespace else ()
    links = json.loads(await run("ip", *where, "-json", "link", "show"))
    return any(link.get("ifname") == name for link in links)


async def host_networks() -> list[IPv4Network]:
    """What this machine has a route to: a playground must not hide any of it."""
    return destinations(await run("ip", "-json", "-4", "route", "show", "table", "all"))


def destinations(routes: str) -> list[IPv4Network]:
    """Of the routes as `ip -json` prints them, but for those that lead anywhere."""
    networks = [
        IPv4Network(route["dst"])
        for route in json.loads(routes)
        if route.get("dst", "default") != "default" and route.get("type") != "broadcast"
    ]
    # Two halves of everything are how some VPNs write their default route.
    return [network for network in networks if network.prefixlen > 1]


def namespaces_of(prefix: str) -> list[Path]:
    """The namespaces whose name begins so, whoever made them and however that ended."""
    return sorted(NAMESPACES.glob(f"{prefix}*")) if NAMESPACES.exists() else []
