"""`/portForward/{namespace}/{pod}`: connections to ports of a pod."""

from __future__ import annotations

from urllib.parse import parse_qsl, urlencode

from liqo.api.kubernetes import Pod
from liqo.api.meta import Key
from liqo.kube.paths import instance


def path(twin: Key, query: str) -> str:
    """On the provider. Which ports, SPDY says later; WebSocket says it here, as `port`."""
    ports = [("ports", value) for name, value in parse_qsl(query) if name == "port"]
    start = instance(Pod.KIND, twin, "portforward")
    return f"{start}?{urlencode(ports)}" if ports else start
