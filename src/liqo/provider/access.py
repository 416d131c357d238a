"""How consumers reach the API server of this cluster: its address, and who vouches for it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from liqo.api import labels
from liqo.api.authentication import AuthParams
from liqo.api.kubernetes import EndpointSlice, Node
from liqo.kube.cache import Cache, Caches
from liqo.kube.paths import Scope
from liqo.rules import apiserver

# The first label that any node has, tells the nodes of the control plane.
CONTROL_PLANE = tuple(
    Scope(labels=f"node-role.kubernetes.io/{role}")
    for role in ("control-plane", "master", "controlplane")
)
ENDPOINTS = Scope(namespace="default", labels=f"{labels.SERVICE_NAME}=kubernetes")


@dataclass(frozen=True)
class Access:
    """What an administrator told; what is empty is found out, or vouched for by public CAs."""

    address: str = ""
    ca: bytes = b""


def watched(here: Caches) -> tuple[Cache[Any], ...]:
    """Where the address may come from."""
    return (here.of(EndpointSlice, ENDPOINTS), *(here.of(Node, each) for each in CONTROL_PLANE))


def observe(here: Caches, access: Access) -> AuthParams | None:
    """All but the certificate; None while nobody knows the address."""
    nodes = next((found for each in CONTROL_PLANE if (found := here.of(Node, each).values())), [])
    by_name = sorted(nodes, key=lambda node: node.metadata.name)
    url = apiserver.url_of(access.address, by_name, here.of(EndpointSlice, ENDPOINTS))
    return AuthParams(ca=access.ca, api_server=url) if url else None
