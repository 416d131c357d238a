"""Where other clusters reach the API server of this one."""

from __future__ import annotations

from collections.abc import Sequence
from ipaddress import ip_address
from urllib.parse import urlsplit

from liqo.api.kubernetes import EndpointSlice, Node
from liqo.kube.cluster import Cluster
from liqo.provider.access import CONTROL_PLANE, ENDPOINTS
from liqo.rules import apiserver


async def url(cluster: Cluster, told: str = "") -> str:
    """As we reach it ourselves, unless somebody knows better; empty where that means nothing."""
    server = cluster.access.server
    if told or not is_here(server):
        return apiserver.url_of(told or server, (), ())
    endpoints = (await cluster.list(EndpointSlice, scope=ENDPOINTS)).items
    return apiserver.url_of("", await control_planes(cluster), endpoints)


async def control_planes(cluster: Cluster) -> Sequence[Node]:
    """The first label that any node has, tells them."""
    for scope in CONTROL_PLANE:
        if nodes := (await cluster.list(Node, scope=scope)).items:
            return nodes
    return ()


def is_here(server: str) -> bool:
    """An address that means another machine to everybody else."""
    host = urlsplit(server).hostname or ""
    try:
        address = ip_address(host)
    except ValueError:
        return host == "localhost"
    return address.is_loopback or address.is_unspecified
