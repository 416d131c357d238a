"""A virtual node by hand: of a granted slice, or of a credential that exists."""

from __future__ import annotations

from base64 import b64decode
from binascii import Error as NotBase64
from collections.abc import Mapping
from typing import Any

from liqo.api import labels
from liqo.api.authentication import ResourceSlice
from liqo.api.kubernetes import Node, Secret
from liqo.api.meta import JSON, Key
from liqo.api.offloading import VirtualNode
from liqo.api.values import IngressClass, LoadBalancerClass, StorageClass
from liqo.cli import objects, values
from liqo.cli.call import Call, TimedOut, at_most
from liqo.cli.objects import NodeWish, Share, Stamp, printed, share_of
from liqo.cli.peering import namespaces
from liqo.cli.peering.sides import alone
from liqo.errors import LiqoError
from liqo.kube.cluster import Cluster
from liqo.kube.errors import Misconfigured, NotFound
from liqo.kube.kubeconfig import from_text
from liqo.kube.waiting import until
from liqo.rules import names

# What a slice knows by itself.
OF_SECRETS = (
    *("cpu", "memory", "pods", "resource"),
    *("storage_classes", "ingress_classes", "load_balancer_classes"),
)

BOTH = (
    "only one of --kubeconfig-secret-name and --resource-slice-name can be specified at the same "
    "time"
)
NEITHER = "exactly one of --kubeconfig-secret-name and --resource-slice-name must be specified"


async def create(call: Call, name: str, provider: str, said: Mapping[str, Any]) -> None:
    check_source(said)
    wish, out, stamp = wished(said), call.out, Stamp.of(call.settings)
    async with call.cluster() as cluster:
        namespace = await namespaces.known(cluster, provider, said["namespace"])
        share = await found(cluster, Key(namespace, said["resource_slice_name"]), said)
        node = objects.virtual_node(Key(namespace, name), provider, share, wish)
        if ignored := unheard(said):
            out.warning(ignored)
        if said["form"]:
            out.document(shown(node, stamp, said), said["form"])
            return
        with out.step("Creating virtual node", "Virtual node created"):
            await check_credential(cluster, Key(namespace, share.secret), provider, said)
            await alone(call, cluster).put(node, VirtualNode)
        if wish.create_node:
            with out.step(f"Waiting for node {name} to be Ready", f"Node {name} is Ready"):
                await ready(cluster, node, said["timeout"])


def check_source(said: Mapping[str, Any]) -> None:
    if said["resource_slice_name"] and said["kubeconfig_secret_name"]:
        raise LiqoError(BOTH)
    if not said["resource_slice_name"] and not said["kubeconfig_secret_name"]:
        raise LiqoError(NEITHER)


def unheard(said: Mapping[str, Any]) -> str:
    """What was said in vain, because a slice knows it by itself."""
    vain = [f"--{name.replace('_', '-')}" for name in OF_SECRETS if said[name]]
    if not said["resource_slice_name"] or not vain:
        return ""
    return f"{', '.join(vain)} count only with --kubeconfig-secret-name: the ResourceSlice decides"


def shown(node: VirtualNode, stamp: Stamp, said: Mapping[str, Any]) -> JSON:
    document = printed(node, stamp)
    if said["kubeconfig_secret_name"]:
        del document["status"]  # that of a Secret is shown without
    return document


def wished(said: Mapping[str, Any]) -> NodeWish:
    namespace, slash, name = said["vk_options_template"].partition("/")
    if namespace and not (slash and name):
        raise LiqoError(
            f'"{namespace}" does not say which VkOptionsTemplate is meant: --vk-options-template '
            "expects NAMESPACE/NAME"
        )
    return NodeWish(
        create_node=said["create_node"],
        disable_network_check=said["disable_network_check"],
        labels=said["labels"] or {},
        node_selector=said["node_selector"] or {},
        runtime_class=said["runtime_class_name"],
        options=Key(namespace, name) if name else None,
    )


async def found(cluster: Cluster, slice_: Key, said: Mapping[str, Any]) -> Share:
    if not slice_.name:
        return of_a_secret(said)
    try:
        return of_a_slice(await cluster.get(ResourceSlice, slice_))
    except NotFound:
        raise LiqoError(
            f'there is no ResourceSlice "{slice_.name}" in the namespace "{slice_.namespace}"; '
            "make it with: liqoctl create resourceslice"
        ) from None


def of_a_slice(granted: ResourceSlice) -> Share:
    key = granted.key
    if not granted.accepted("Resources"):
        raise LiqoError(
            f'the resources of the ResourceSlice "{key}" are not accepted; see what its provider '
            f"said: kubectl describe resourceslices.authentication.liqo.io {key.name} "
            f"-n {key.namespace}"
        )
    return share_of(granted)


def of_a_secret(said: Mapping[str, Any]) -> Share:
    return Share(
        secret=said["kubeconfig_secret_name"],
        resources={**values.OF_A_NODE, **values.resources(said)},
        storage_classes=tuple(
            StorageClass(storage_class_name=name, default=first)
            for name, first in _listed(said["storage_classes"])
        ),
        ingress_classes=tuple(
            IngressClass(ingress_class_name=name, default=first)
            for name, first in _listed(said["ingress_classes"])
        ),
        load_balancer_classes=tuple(
            LoadBalancerClass(load_balancer_class_name=name, default=first)
            for name, first in _listed(said["load_balancer_classes"])
        ),
    )


async def check_credential(
    cluster: Cluster, key: Key, provider: str, said: Mapping[str, Any]
) -> None:
    """The credential, which for a slice may be about to come, whichever of the two was named."""
    if said["resource_slice_name"] or await is_promised(cluster, key):
        async with at_most(said["timeout"], f'the Secret "{key}" of the slice has not come'):
            await until(cluster, Secret, key, lambda _: True)
    if said["resource_slice_name"]:
        return
    try:
        secret = await cluster.get(Secret, key)
    except NotFound:
        raise LiqoError(
            f'there is no Secret "{key.name}" in the namespace "{key.namespace}", where the '
            "VirtualNode has to be; make it there, with the key kubeconfig and the label "
            f"{labels.REMOTE_CLUSTER_ID}={provider}"
        ) from None
    if problem := check_secret(secret, provider):
        raise LiqoError(problem)


async def is_promised(cluster: Cluster, key: Key) -> bool:
    """Whether it is the credential of a slice to which its provider has said yes."""
    name = names.slice_of_kubeconfig(key.name)
    if not name:
        return False
    try:
        granted = await cluster.get(ResourceSlice, Key(key.namespace, name))
        return granted.accepted("Authentication")
    except NotFound:
        return False


def check_secret(secret: Secret, provider: str) -> str:
    """Why no virtual node can be made of it, as a sentence; empty where one can."""
    key, mark = secret.key, secret.metadata.labels.get(labels.REMOTE_CLUSTER_ID)
    if mark != provider:
        return (
            f'the Secret "{key}" is not labelled as one of "{provider}"; if it is, say so: '
            f"kubectl label secret {key.name} -n {key.namespace} --overwrite "
            f"{labels.REMOTE_CLUSTER_ID}={provider}"
        )
    content = secret.data.get("kubeconfig", "")
    if not content:
        return f'the Secret "{key}" has no key kubeconfig; put a kubeconfig of "{provider}" there'
    try:
        from_text(b64decode(content).decode(), f'the Secret "{key}"')
    except (NotBase64, UnicodeDecodeError):
        return f'the key kubeconfig of the Secret "{key}" is not text'
    except Misconfigured as wrong:
        return str(wrong)
    return ""


async def ready(cluster: Cluster, node: VirtualNode, timeout: float) -> None:
    name = node.metadata.name
    try:
        async with at_most(timeout, f'the Node "{name}" is not Ready'):
            await until(cluster, Node, Key("", name), is_ready)
    except TimedOut as late:
        raise LiqoError(f"{late}: {await missing(cluster, node.key)}") from None


def is_ready(node: Node) -> bool:
    return any(
        each["type"] == "Ready" and each["status"] == "True"
        for each in node.status.get("conditions", ())
    )


async def missing(cluster: Cluster, key: Key) -> str:
    """What was seen last, where no ready Node was."""
    try:
        node = await cluster.get(Node, Key("", key.name))
    except NotFound:
        return (
            f"no such Node has appeared; see its virtual kubelet: kubectl get pods -n "
            f"{key.namespace} -l {labels.VIRTUAL_NODE}={key.name}"
        )
    return not_ready(node)


def not_ready(node: Node) -> str:
    for each in node.status.get("conditions", ()):
        if each["type"] == "Ready":
            return f"{each.get('reason', 'no reason')}: {each.get('message', 'no message')}"
    return f"its virtual kubelet has not reported yet; see: kubectl describe node {node.key}"


def _listed(written: str) -> list[tuple[str, bool]]:
    """Each name, and whether it is the first."""
    return [(name, at == 0) for at, name in enumerate(filter(None, written.split(",")))]
