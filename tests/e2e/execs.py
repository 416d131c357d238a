"""Commands in pods without kubectl: a hundred of them cost no more than a few processes of it."""

from __future__ import annotations

from urllib.parse import urlencode

from liqo.api.kubernetes import Pod
from liqo.api.meta import Key
from liqo.kube.cluster import Cluster
from liqo.kube.paths import instance

WEBSOCKET = (
    ("Sec-WebSocket-Version", "13"),
    ("Sec-WebSocket-Key", "AAAAAAAAAAAAAAAAAAAAAA=="),
    ("Sec-WebSocket-Protocol", "v5.channel.k8s.io"),
)
SUCCESS = b'"status":"Success"'


async def command(cluster: Cluster, pod: Key, *words: str) -> None:
    """Until it has ended, and ended well."""
    asked = [("stdout", "true"), *(("command", word) for word in words)]
    path = f"{instance(Pod.KIND, pod, 'exec')}?{urlencode(asked)}"
    upgraded = await cluster.upgrade(path, protocol="websocket", headers=WEBSOCKET, method="GET")
    try:
        await upgraded.reader.readuntil(SUCCESS)
    finally:
        upgraded.writer.close()
