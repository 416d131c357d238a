"""Which networks a playground and its clusters get, and which are refused. Pure values."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from ipaddress import IPv4Network

from liqo.playground.errors import PlaygroundError

NETWORKS = IPv4Network("172.30.0.0/16")  # one /24 of it per playground
SMALLEST_PODS, SMALLEST_SERVICES = 22, 28  # prefixes: 13 pods per node; DNS is the tenth Service


def free_network(taken: Iterable[IPv4Network]) -> str:
    """The first /24 that neither the host nor another playground uses."""
    used = tuple(taken)
    for candidate in NETWORKS.subnets(new_prefix=24):
        if not any(candidate.overlaps(network) for network in used):
            return str(candidate)
    raise PlaygroundError(
        f"every network of {NETWORKS} is in use on this machine: name a free one with --network"
    )


def check_network(wanted: str, taken: Iterable[IPv4Network]) -> str:
    network = parse_network("--network", wanted)
    if network.prefixlen != 24:
        raise PlaygroundError(f"--network {wanted} must be a /24: the nodes' addresses need it")
    for other in taken:
        if other.overlaps(network):
            raise PlaygroundError(
                f"--network {wanted} overlaps {other}, which this machine uses already: "
                "choose another, or leave the option out"
            )
    return str(network)


def check_networks(nodes: str, cluster: str, pods: str, services: str) -> None:
    for what, text, longest in (
        ("pod", pods, SMALLEST_PODS),
        ("service", services, SMALLEST_SERVICES),
    ):
        network = parse_network(f"--{what}-cidr", text)
        if network.prefixlen > longest:
            raise PlaygroundError(
                f"--{what}-cidr {text} is too small for a cluster: use a /{longest} or larger"
            )
    named = {"pod CIDR": pods, "service CIDR": services, "node network": nodes}
    overlap = first_overlap(named)
    if overlap:
        raise PlaygroundError(
            f'the {overlap[0]} {named[overlap[0]]} of "{cluster}" overlaps its {overlap[1]} '
            f"{named[overlap[1]]}: choose others with --pod-cidr and --service-cidr"
        )


def parse_network(what: str, text: str) -> IPv4Network:
    try:
        return IPv4Network(text)
    except ValueError as error:
        raise PlaygroundError(f'{what} "{text}" is not an IPv4 network: {error}') from None


def first_overlap(networks: Mapping[str, str]) -> tuple[str, str] | None:
    parsed = [(name, IPv4Network(text)) for name, text in networks.items()]
    for position, (name, network) in enumerate(parsed):
        for other, another in parsed[position + 1 :]:
            if network.overlaps(another):
                return name, other
    return None


def nth(network: IPv4Network, prefix: int, number: int) -> IPv4Network:
    size = 1 << (32 - prefix)
    return IPv4Network((int(network.network_address) + number * size, prefix))
