"""VirtualNode: completed with the Deployment of its kubelet; one that could never run is refused.

The Deployment is made once, when the VirtualNode is. Later only what follows the spec is kept in
step with it, so that what somebody changed by hand stays.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

import msgspec
from msgspec import to_builtins

from liqo.api import labels
from liqo.api.ipam import Network
from liqo.api.kubernetes import Namespace, Node, Secret
from liqo.api.meta import JSON, Key
from liqo.api.offloading import (
    OffloadingPatch,
    VirtualNode,
    VirtualNodeSpec,
    VkOptionsTemplate,
    VkOptionsTemplateSpec,
)
from liqo.api.values import DeploymentTemplate, LocalReference
from liqo.kube.errors import Forbidden
from liqo.kube.paths import Scope
from liqo.kube.reading import metadata
from liqo.rules.difference import difference
from liqo.rules.kubelets import (
    Surroundings,
    deployment,
    following,
    options_of,
    with_arguments,
)
from liqo.webhooks.review import BAD_REQUEST, Deny, Reader, Request, Verdict, completed
from liqo.webhooks.reviews.amounts import check_capacity

KUBECONFIG = "kubeconfig"  # the field of the Secret
POD_NETWORKS = f"{labels.NETWORK_TYPE}=pod-cidr"

Credential: TypeAlias = Literal["usable", "missing", "incomplete", "unknown"]


@dataclass(frozen=True)
class State:
    here: Surroundings
    options: VkOptionsTemplate | None
    namespace: Mapping[str, str]  # its labels
    node_exists: bool = False
    credential: Credential = "usable"  # unknown: we may not look


async def observe(here: Surroundings, reader: Reader, request: Request[VirtualNode]) -> State:
    asked = request.object
    home = await reader.find(metadata(Namespace), Key("", asked.metadata.namespace))
    node = await reader.find(metadata(Node), Key("", asked.metadata.name))
    networks = await reader.every(Network, Scope(here.namespace, labels=POD_NETWORKS))
    return State(
        here=replace(here, pod_cidrs=tuple(network.spec.cidr for network in networks)),
        options=await reader.find(VkOptionsTemplate, options_of(asked, here.namespace)),
        namespace=home.metadata.labels if home is not None else {},
        node_exists=node is not None,
        credential=await look_at_credential(reader, asked),
    )


async def look_at_credential(reader: Reader, asked: VirtualNode) -> Credential:
    named = asked.spec.kubeconfig_secret_ref
    if named is None:
        return "missing"
    try:
        secret = await reader.find(Secret, Key(asked.metadata.namespace, named.name))
    except Forbidden:
        return "unknown"
    if secret is None:
        return "missing"
    return "usable" if secret.data.get(KUBECONFIG) else "incomplete"


def mutate(request: Request[VirtualNode], state: State) -> Verdict:
    """
    operation | template | options | what is done
    ----------+----------+---------+---------------------------------------------------
    CREATE    | any      | none    | refused: nobody knows how to start its kubelet
    CREATE    | any      | there   | the Deployment, with what the template says already
    UPDATE    | none     | there   | the same: it was made while nobody completed it
    UPDATE    | there    | any     | arguments and replicas follow the spec
    both      | any      | any     | its label names its provider, as the spec does
    """
    if problem := check(request, state):
        return problem
    asked = request.object.spec
    spec = asked
    if state.options is not None:
        spec = filled(spec, state.options.spec)
        if request.is_creation or spec.template is None:
            spec = with_template(request.object, spec, state.options.spec, state.here)
    spec = in_step(spec, state.options.spec.replicas if state.options is not None else None)
    change = difference(to_builtins(asked), to_builtins(spec))
    return completed({"metadata": labelled(request.object), "spec": change})


def labelled(asked: VirtualNode) -> JSON:
    """By this label everybody finds it, with the others of its provider and with their map.

    Also where it says another: whom it borrows from, the spec alone decides.
    """
    provider, name = asked.spec.cluster_id, labels.REMOTE_CLUSTER_ID
    if not provider or asked.metadata.labels.get(name) == provider:
        return {}
    return {"labels": {name: provider}}


def check(request: Request[VirtualNode], state: State) -> Deny | None:
    asked = request.object
    if problem := check_offer(request):
        return problem
    named = asked.spec.kubeconfig_secret_ref
    is_new = request.old is None or request.old.spec.kubeconfig_secret_ref != named
    if not request.is_creation:
        return check_credential(asked, state.credential) if is_new else None
    name, namespace = asked.metadata.name, asked.metadata.namespace
    if state.namespace.get(labels.TENANT_NAMESPACE, "false") == "false":
        said = f'a VirtualNode must be created in a tenant namespace, and "{namespace}" is none'
        return Deny(f"{said}; liqoctl peer makes one for each provider", BAD_REQUEST)
    if state.node_exists:
        return Deny(f"node {name} already exists")
    if state.options is None:
        wanted = options_of(asked, state.here.namespace)
        return Deny(
            f'there is no VkOptionsTemplate "{wanted}", which says how the virtual kubelet of '
            f'"{name}" is started; name another in spec.vkOptionsTemplateRef'
        )
    return check_credential(asked, state.credential)


def check_offer(request: Request[VirtualNode]) -> Deny | None:
    """Whatever was stored before there was a check may stay: the Node shows what it can of it."""
    hard = request.object.spec.resource_quota.hard
    if request.old is not None and request.old.spec.resource_quota.hard == hard:
        return None
    return check_capacity(hard, "spec.resourceQuota.hard")


def check_credential(asked: VirtualNode, credential: Credential) -> Deny | None:
    """D06"""
    name = (asked.spec.kubeconfig_secret_ref or LocalReference()).name
    namespace = asked.metadata.namespace
    if not name:
        reason = "spec.kubeconfigSecretRef must name the Secret with the provider's kubeconfig"
    elif credential == "missing":
        reason = (
            f'there is no Secret "{name}" in the namespace "{namespace}"; '
            "the provider's kubeconfig must be in the namespace of its VirtualNode"
        )
    elif credential == "incomplete":
        reason = f'the Secret "{namespace}/{name}" has no field "{KUBECONFIG}"; put it there'
    else:
        return None
    return Deny(reason, BAD_REQUEST)


def filled(spec: VirtualNodeSpec, options: VkOptionsTemplateSpec) -> VirtualNodeSpec:
    """What is not said is as the options say."""
    create, unchecked = spec.create_node, spec.disable_network_check
    return msgspec.structs.replace(
        spec,
        create_node=options.create_node if create is None else create,
        disable_network_check=options.disable_network_check if unchecked is None else unchecked,
    )


def with_template(
    asked: VirtualNode, spec: VirtualNodeSpec, options: VkOptionsTemplateSpec, here: Surroundings
) -> VirtualNodeSpec:
    given = spec.template or DeploymentTemplate()
    made = deployment(asked, overlaid(options, given), here)
    container = made["spec"]["template"]["spec"]["containers"][0]
    container["args"] = with_arguments(container["args"], first_container(given).get("args", ()))
    patch = spec.offloading_patch or OffloadingPatch()
    annotations, marks = options.annotations_not_reflected, options.labels_not_reflected
    patch = msgspec.structs.replace(
        patch,
        annotations_not_reflected=joined(patch.annotations_not_reflected, annotations),
        labels_not_reflected=joined(patch.labels_not_reflected, marks),
    )
    template = msgspec.convert(made, DeploymentTemplate)
    is_empty = patch == OffloadingPatch()
    return msgspec.structs.replace(
        spec, template=template, offloading_patch=spec.offloading_patch if is_empty else patch
    )


def overlaid(options: VkOptionsTemplateSpec, given: DeploymentTemplate) -> VkOptionsTemplateSpec:
    """What a user wrote into the template counts for more."""
    container = first_container(given)
    return msgspec.structs.replace(
        options,
        container_image=container.get("image") or options.container_image,
        resources=container.get("resources") or options.resources,
        extra_labels={**options.extra_labels, **given.metadata.labels},
        extra_annotations={**options.extra_annotations, **given.metadata.annotations},
    )


def in_step(spec: VirtualNodeSpec, replicas: int | None) -> VirtualNodeSpec:
    template = spec.template
    container = first_container(template) if template is not None else {}
    if template is None or not container:
        return spec
    arguments = with_arguments(container.get("args", ()), following(spec))
    container = {**container, "args": arguments}
    made = template.spec
    pod = made["template"]["spec"]
    pod = {**pod, "containers": [container, *pod["containers"][1:]]}
    made = {**made, "template": {**made["template"], "spec": pod}}
    if replicas is not None:
        made["replicas"] = replicas
    return msgspec.structs.replace(spec, template=msgspec.structs.replace(template, spec=made))


def first_container(template: DeploymentTemplate) -> JSON:
    """That of the kubelet; empty where the template does not go that far."""
    pod = template.spec.get("template", {}).get("spec", {})
    containers: list[JSON] = pod.get("containers") or [{}]
    return containers[0]


def joined(given: Iterable[str], more: Iterable[str]) -> tuple[str, ...]:
    """In their order, none of them twice."""
    return tuple(dict.fromkeys((*given, *more)))
