"""What a virtual kubelet needs to run: its Deployment, its account, its rights, its map."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from hashlib import sha256

import msgspec
from msgspec import to_builtins

from liqo.api import labels
from liqo.api.kubernetes import (
    ClusterRole,
    ClusterRoleBinding,
    Deployment,
    Lease,
    Role,
    RoleBinding,
    ServiceAccount,
)
from liqo.api.meta import JSON, Meta, Resource
from liqo.api.offloading import NamespaceMap, VirtualNode, VkOptionsTemplate
from liqo.api.values import LocalReference
from liqo.rules import names
from liqo.rules.kubelets import (
    Surroundings,
    deployment,
    following,
    settled,
    with_arguments,
    with_policies,
)
from liqo.rules.ownership import owned_by
from liqo.runtime.plan import Manifest

LOCAL_ROLE = "liqo-virtual-kubelet-local"  # what it may in the whole cluster
TENANT_ROLE = "liqo-virtual-kubelet-tenant"  # and beside its VirtualNode
NODE_ROLE = "liqo-virtual-kubelet-node"  # and among the leases of nodes
GROUP = ClusterRole.KIND.group


def everything(
    wanted: VirtualNode,
    options: VkOptionsTemplate | None,
    here: Surroundings,
    with_node: bool | None,
) -> Iterator[Resource | Manifest]:
    """Rights first: a kubelet that starts without them fails.

    `with_node`: whether it sees to a Node and to pods. None: nobody knows yet, and what runs stays.
    """
    yield account(wanted)
    yield cluster_binding(wanted)
    yield tenant_binding(wanted)
    yield node_binding(wanted)
    yield own_role(wanted)
    yield own_binding(wanted)
    if with_node is not None:
        yield running(wanted, options, here, with_node)
    yield namespace_map(wanted)


def running(
    wanted: VirtualNode,
    options: VkOptionsTemplate | None,
    here: Surroundings,
    with_node: bool = True,
) -> Manifest:
    """As its options say now; without them, as they were when the VirtualNode was made.

    But for what is reflected, for which nobody restarts it: it reads that itself.
    """
    made: JSON = to_builtins(wanted.spec.template) if wanted.spec.template is not None else {}
    body = made
    if options is not None:
        body = deployment(wanted, settled(options.spec), here)
        body["spec"]["replicas"] = options.spec.replicas if options.spec.replicas is not None else 1
    pod = body["spec"]["template"]
    container = pod["spec"]["containers"][0]
    given = with_policies(container["args"], _arguments_in(made))
    spec = msgspec.structs.replace(wanted.spec, create_node=with_node)
    container["args"] = with_arguments(given, following(spec))
    annotations = {**pod["metadata"].get("annotations", {}), **_patch_hash(wanted)}
    pod["metadata"] = {**pod["metadata"], "annotations": annotations}
    body["metadata"] = {**body["metadata"], "ownerReferences": [to_builtins(owned_by(wanted))]}
    return Manifest(Deployment.KIND, body)


def _arguments_in(made: JSON) -> Sequence[str]:
    containers = made.get("spec", {}).get("template", {}).get("spec", {}).get("containers", ())
    given: Sequence[str] = containers[0].get("args", ()) if containers else ()
    return given


def account(wanted: VirtualNode) -> Manifest:
    return Manifest(ServiceAccount.KIND, {"metadata": _own(wanted, wanted.metadata.name)})


def cluster_binding(wanted: VirtualNode) -> Manifest:
    metadata = {"name": names.kubelet_binding(wanted.metadata.name), "labels": marks(wanted)}
    body = bound(wanted, ClusterRole.KIND.name, LOCAL_ROLE)
    return Manifest(ClusterRoleBinding.KIND, {"metadata": metadata, **body})


def tenant_binding(wanted: VirtualNode) -> Manifest:
    name = names.kubelet_binding(wanted.metadata.name)
    body = bound(wanted, ClusterRole.KIND.name, TENANT_ROLE)
    return Manifest(RoleBinding.KIND, {"metadata": _own(wanted, name), **body})


def node_binding(wanted: VirtualNode) -> Manifest:
    name = names.kubelet_binding(wanted.metadata.name)
    metadata = {"name": name, "namespace": names.NODE_LEASES, "labels": marks(wanted)}
    body = bound(wanted, ClusterRole.KIND.name, NODE_ROLE)
    return Manifest(RoleBinding.KIND, {"metadata": metadata, **body})


def own_role(wanted: VirtualNode) -> Manifest:
    """Its kubeconfig and its leases, and nobody else's."""
    secret = (wanted.spec.kubeconfig_secret_ref or LocalReference()).name
    leases = [wanted.metadata.name, names.REFLECTION_LEASE]
    rules = [
        _rule("", "secrets", "get list watch", [secret]),
        _rule(Lease.KIND.group, "leases", "get patch", leases),
        _rule(Lease.KIND.group, "leases", "create"),  # which cannot be limited to a name
    ]
    return Manifest(Role.KIND, {"metadata": _own(wanted, _own_rights(wanted)), "rules": rules})


def own_binding(wanted: VirtualNode) -> Manifest:
    name = _own_rights(wanted)
    body = bound(wanted, Role.KIND.name, name)
    return Manifest(RoleBinding.KIND, {"metadata": _own(wanted, name), **body})


def rights_of(wanted: VirtualNode) -> tuple[Resource, ...]:
    """What no owner takes along: it is not in the namespace of the VirtualNode."""
    name = names.kubelet_binding(wanted.metadata.name)
    return (
        ClusterRoleBinding(metadata=Meta(name=name)),
        RoleBinding(metadata=Meta(name=name, namespace=names.NODE_LEASES)),
    )


def namespace_map(wanted: VirtualNode) -> Manifest:
    """Its metadata alone: which namespaces go out is decided elsewhere."""
    provider = wanted.spec.cluster_id
    marks = {
        labels.REMOTE_CLUSTER_ID: provider,
        labels.REMOTE_ID: provider,
        labels.REPLICATION: "true",
    }
    metadata = {"name": provider, "namespace": wanted.metadata.namespace, "labels": marks}
    return Manifest(NamespaceMap.KIND, {"metadata": metadata})


def bound(wanted: VirtualNode, kind: str, role: str) -> JSON:
    subject = {
        "kind": ServiceAccount.KIND.name,
        "name": wanted.metadata.name,
        "namespace": wanted.metadata.namespace,
    }
    return {"roleRef": {"apiGroup": GROUP, "kind": kind, "name": role}, "subjects": [subject]}


def marks(wanted: VirtualNode) -> dict[str, str]:
    return {
        labels.APP_MANAGED_BY: "liqo",
        labels.REMOTE_CLUSTER_ID: wanted.spec.cluster_id,
        labels.VIRTUAL_NODE: wanted.metadata.name,
    }


def _own(wanted: VirtualNode, name: str) -> JSON:
    """In its namespace, and gone with it."""
    return {
        "name": name,
        "namespace": wanted.metadata.namespace,
        "labels": marks(wanted),
        "ownerReferences": [to_builtins(owned_by(wanted))],
    }


def _own_rights(wanted: VirtualNode) -> str:
    return f"{names.kubelet_binding(wanted.metadata.name)}-credential"


def _rule(group: str, resource: str, verbs: str, only: Sequence[str] = ()) -> JSON:
    rule: JSON = {"apiGroups": [group], "resources": [resource], "verbs": verbs.split()}
    return {**rule, "resourceNames": list(only)} if only else rule


def _patch_hash(wanted: VirtualNode) -> dict[str, str]:
    """A kubelet reads the patch when it starts: another one starts it anew."""
    patch = wanted.spec.offloading_patch
    digest = sha256(msgspec.json.encode(patch)).hexdigest() if patch is not None else ""
    return {labels.OFFLOADING_PATCH_HASH: digest}
