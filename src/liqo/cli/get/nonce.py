"""A nonce: what a consumer has to sign, printed without a newline."""

from __future__ import annotations

from liqo.api.kubernetes import Secret
from liqo.api.meta import Key
from liqo.cli.call import Call
from liqo.cli.objects import content
from liqo.cli.peering import namespaces
from liqo.errors import LiqoError
from liqo.kube.cluster import Cluster
from liqo.kube.errors import NotFound
from liqo.rules import names


async def get(call: Call, consumer: str, namespace: str) -> None:
    async with call.cluster() as cluster:
        home = await namespaces.find_name(cluster, consumer)
        secret = await made(cluster, home if namespace in namespaces.UNSAID else namespace)
    if secret is None:
        raise LiqoError(
            f'there is no nonce for "{consumer}" in {cluster.name}, {cluster.access.server}; '
            f"make it with: liqoctl create nonce --remote-cluster-id {consumer}"
        )
    nonce = content(secret, "nonce")
    if not nonce:
        raise LiqoError(
            f'the Secret "{secret.key}" holds no nonce yet; see whether the controllers of Liqo run'
        )
    call.out.text(nonce.decode())


async def made(cluster: Cluster, namespace: str) -> Secret | None:
    if not namespace:
        return None
    try:
        return await cluster.get(Secret, Key(namespace, names.NONCE_SECRET))
    except NotFound:
        return None
