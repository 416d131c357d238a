"""Where the API server of a cluster is reached from outside, as far as the cluster itself knows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from urllib.parse import urlsplit

from liqo.api.kubernetes import EndpointSlice, Node

PORT = 6443  # of every API server whose port nobody told
HTTPS = 443  # of an address that says none
PREFERRED = ("ExternalDNS", "ExternalIP", "InternalDNS", "InternalIP", "Hostname")


def url_of(told: str, control_planes: Sequence[Node], endpoints: Iterable[EndpointSlice]) -> str:
    """What an administrator told, else an address of a control-plane node, else of the endpoints.

    Empty where there is none: managed clusters show neither.
    """
    if told:
        return told if "://" in told else f"https://{told}"
    if address := _of_nodes(control_planes):
        return f"https://{_bracketed(address)}:{PORT}"
    for each in endpoints:
        addresses = [found for endpoint in each.endpoints for found in endpoint["addresses"]]
        if addresses and each.ports:
            return f"https://{_bracketed(addresses[0])}:{each.ports[0]['port']}"
    return ""


def endpoint_of(url: str) -> tuple[str, int] | None:
    """Host and port, for those who can be told no more: pods. None where there is more to it.

    Behind a path, as proxies have it, they would ask somebody else.
    """
    try:
        parts = urlsplit(url_of(url, (), ()))
        host, port = parts.hostname, parts.port or HTTPS
    except ValueError:
        return None
    if not host or parts.scheme != "https" or parts.path.strip("/"):
        return None
    return host, port


def _of_nodes(nodes: Iterable[Node]) -> str:
    addresses = [address for node in nodes for address in node.status.get("addresses", ())]
    for kind in PREFERRED:
        for address in addresses:
            if address["type"] == kind:
                return address["address"]
    return ""


def _bracketed(address: str) -> str:
    return f"[{address}]" if ":" in address else address
