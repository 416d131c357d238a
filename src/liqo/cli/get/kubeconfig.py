"""A kubeconfig: how this cluster reaches a provider, for kubectl and for people."""

from __future__ import annotations

from liqo.api.authentication import Identity
from liqo.api.kubernetes import Secret
from liqo.api.meta import Key
from liqo.cli.call import Call
from liqo.cli.objects import content
from liqo.cli.peering import namespaces
from liqo.errors import LiqoError
from liqo.kube.cluster import Cluster
from liqo.kube.errors import NotFound
from liqo.kube.paths import Scope


async def get(call: Call, identity: str, provider: str, namespace: str) -> None:
    async with call.cluster() as cluster:
        home = await namespaces.known(cluster, provider, namespace)
        secret = await kept(cluster, await known(cluster, Key(home, identity)))
    call.out.text(content(secret, "kubeconfig").decode())


async def known(cluster: Cluster, key: Key) -> Identity:
    listing = await cluster.list(Identity, scope=Scope(key.namespace), resource_version="")
    there = {each.metadata.name: each for each in listing.items}
    if key.name not in there:
        raise LiqoError(
            f'there is no Identity "{key.name}" in the namespace "{key.namespace}" '
            f"(there: {', '.join(sorted(there)) or 'none'})"
        )
    return there[key.name]


async def kept(cluster: Cluster, identity: Identity) -> Secret:
    named = identity.status.kubeconfig_secret_ref
    try:
        if named is not None:
            return await cluster.get(Secret, Key(identity.metadata.namespace, named.name))
    except NotFound:
        pass
    raise LiqoError(
        f'no kubeconfig has been made of the Identity "{identity.key}" yet; see whether the '
        "controllers of Liqo run"
    )
