"""A ResourceSlice by hand: asked for, and answered by the provider."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from liqo.api import labels
from liqo.api.authentication import Identity
from liqo.api.kubernetes import Secret
from liqo.cli import values
from liqo.cli.call import Call, Deadline
from liqo.cli.objects import Stamp, Wish, printed, resource_slice
from liqo.cli.peering import namespaces
from liqo.cli.peering.sides import Loan, alone
from liqo.cli.peering.slices import ask
from liqo.errors import LiqoError
from liqo.kube.cluster import Cluster
from liqo.kube.paths import Scope
from liqo.kube.reading import metadata
from liqo.rules import names


async def create(call: Call, name: str, provider: str, said: Mapping[str, Any]) -> None:
    wish = Wish(said["class_"], values.resources(said), not said["no_virtual_node"])
    async with call.cluster() as cluster:
        if said["form"]:
            namespace = await place(cluster, provider, said["namespace"])
            asked = resource_slice(name, namespace, provider, wish)
            call.out.document(printed(asked, Stamp.of(call.settings)), said["form"])
            return
        namespace = await namespaces.known(cluster, provider, said["namespace"])
        await check_credential(cluster, provider, namespace)
        loan = Loan(alone(call, cluster), provider, Deadline(said["timeout"]))
        await ask(loan, resource_slice(name, namespace, provider, wish))


async def place(cluster: Cluster, provider: str, chosen: str) -> str:
    """Where it will be: a manifest may be written before there is a peering."""
    if chosen not in namespaces.UNSAID:
        return chosen
    return await namespaces.find_name(cluster, provider) or names.tenant_namespace(provider)


async def check_credential(cluster: Cluster, provider: str, namespace: str) -> None:
    """Without one, made by us or by hand, nobody carries the request to the provider."""
    of_peer = f"{labels.REMOTE_CLUSTER_ID}={provider}"
    scope = Scope(namespace, f"{of_peer},{labels.IDENTITY_TYPE}=ControlPlane")
    if (await cluster.list(metadata(Secret), scope=scope, resource_version="")).items:
        return
    known = await cluster.list(Identity, scope=Scope(namespace), resource_version="")
    if not any(each.spec.type == "ControlPlane" for each in known.items):
        raise LiqoError(
            f'this cluster is not authenticated with "{provider}": the namespace "{namespace}" '
            "holds no Identity of a control plane; run first: liqoctl peer, or "
            "liqoctl authenticate"
        )
