"""The Deployment of a virtual kubelet: as a VirtualNode's `spec.template` shows it, and as it runs.

Its names, labels and the order of its arguments are those of the wire: a real Liqo that takes over
finds what it would have made.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import msgspec

from liqo.api import labels
from liqo.api.meta import JSON, Key
from liqo.api.offloading import VirtualNode, VirtualNodeSpec, VkOptionsTemplateSpec
from liqo.api.values import LocalReference
from liqo.rules import customs

REFLECTED = (
    "pod",
    "service",
    "endpointslice",
    "ingress",
    "configmap",
    "secret",
    "serviceaccount",
    "persistentvolumeclaim",
    "event",
)
CHOSEN = ("service", "ingress", "configmap", "secret", "event")  # by an allow or deny list
FOLLOWED = frozenset({*CHOSEN, "endpointslice"})  # kinds whose policy a kubelet reads while it runs
LIVE = frozenset(f"--{kind}-reflection-{what}" for kind in FOLLOWED for what in ("type", "workers"))
DEFAULT_OPTIONS = "virtual-kubelet-default"
FIELDS = {
    "POD_IP": "status.podIP",
    "POD_NAME": "metadata.name",
    "POD_NAMESPACE": "metadata.namespace",
}


@dataclass(frozen=True)
class Surroundings:
    """What a virtual kubelet is told of the cluster it runs in."""

    cluster_id: str
    namespace: str  # of the installation
    pod_cidrs: tuple[str, ...] = ()


def options_of(node: VirtualNode, namespace: str) -> Key:
    """The VkOptionsTemplate that says how its kubelet is started."""
    named = node.spec.vk_options_template_ref
    if named is None:
        return Key(namespace, DEFAULT_OPTIONS)
    return Key(named.namespace or namespace, named.name or DEFAULT_OPTIONS)


def deployment(node: VirtualNode, options: VkOptionsTemplateSpec, here: Surroundings) -> JSON:
    name, namespace = node.metadata.name, node.metadata.namespace
    own = {
        labels.OFFLOADING_COMPONENT: "virtual-kubelet",
        labels.REMOTE_CLUSTER_ID: node.spec.cluster_id,
        labels.VIRTUAL_NODE: name,
    }
    marks: JSON = {"labels": {**options.extra_labels, **own}}
    if options.extra_annotations:
        marks["annotations"] = options.extra_annotations
    pod: JSON = {"serviceAccountName": name, "containers": [container(node, options, here)]}
    if options.image_pull_secrets:
        pod["imagePullSecrets"] = [{"name": each.name} for each in options.image_pull_secrets]
    if options.tolerations:
        pod["tolerations"] = list(options.tolerations)
    spec: JSON = {
        "selector": {"matchLabels": own},
        "template": {"metadata": marks, "spec": pod},
    }
    return {"metadata": {"name": f"vk-{name}", "namespace": namespace, **marks}, "spec": spec}


def container(node: VirtualNode, options: VkOptionsTemplateSpec, here: Surroundings) -> JSON:
    fields = [
        {"name": name, "valueFrom": {"fieldRef": {"fieldPath": path}}}
        for name, path in FIELDS.items()
    ]
    made: JSON = {
        "name": "virtual-kubelet",
        "image": options.container_image,
        "imagePullPolicy": options.pull_policy or "IfNotPresent",
        "command": ["/usr/bin/virtual-kubelet"],
        "args": list(arguments(node, options, here)),
        "env": [*fields, {"name": "VIRTUALNODE_NAME", "value": node.metadata.name}],
        "resources": options.resources,
    }
    if options.metrics_enabled and (port := port_of(options.metrics_address)):
        made["ports"] = [{"name": "metrics", "containerPort": port, "protocol": "TCP"}]
    return made


def arguments(
    node: VirtualNode, options: VkOptionsTemplateSpec, here: Surroundings
) -> Iterator[str]:
    yield f"--foreign-cluster-id={node.spec.cluster_id}"
    yield f"--nodename={node.metadata.name}"
    yield "--node-ip=$(POD_IP)"
    yield f"--tenant-namespace={node.metadata.namespace}"
    yield f"--liqo-namespace={here.namespace}"
    yield f"--home-cluster-id={here.cluster_id}"
    yield from (f"--local-podcidr={cidr}" for cidr in here.pod_cidrs)
    yield from classes(node)
    yield from reflectors(options)
    if options.custom_resources:
        yield f"--custom-resources={','.join(map(customs.word, options.custom_resources))}"
    if options.node_extra_annotations:
        yield f"--node-extra-annotations={pairs(options.node_extra_annotations)}"
    if options.node_extra_labels:
        yield f"--node-extra-labels={pairs(options.node_extra_labels)}"
    yield from options.extra_args
    yield f"--metrics-enabled={word(options.metrics_enabled)}"
    if options.metrics_enabled and options.metrics_address:
        yield f"--metrics-address={options.metrics_address}"


def classes(node: VirtualNode) -> Iterator[str]:
    """What its provider offers, and which of it is meant where nothing is said."""
    spec = node.spec
    offered = (
        ("storage", [(each.default, each.storage_class_name) for each in spec.storage_classes]),
        ("ingress", [(each.default, each.ingress_class_name) for each in spec.ingress_classes]),
        (
            "load-balancer",
            [(each.default, each.load_balancer_class_name) for each in spec.load_balancer_classes],
        ),
    )
    for what, names in offered:
        if names:
            preferred = next((name for default, name in names if default), names[0][1])
            yield f"--enable-{what}"
            yield f"--remote-real-{what}-class-name={preferred}"


def reflectors(options: VkOptionsTemplateSpec) -> Iterator[str]:
    told = options.reflectors_config
    for kind in REFLECTED:
        if kind in told:
            yield f"--{kind}-reflection-workers={told[kind].workers}"
    for kind in CHOSEN:
        if kind in told and told[kind].type:
            yield f"--{kind}-reflection-type={told[kind].type}"


def settled(options: VkOptionsTemplateSpec) -> VkOptionsTemplateSpec:
    """Without the policies that a kubelet reads while it runs."""
    told = {kind: each for kind, each in options.reflectors_config.items() if kind not in FOLLOWED}
    return msgspec.structs.replace(options, reflectors_config=told)


def with_policies(given: Sequence[str], before: Sequence[str]) -> list[str]:
    """Those given, and of those before the policies, each where it stood among the others.

    So it does not depend on the policies of today how a kubelet is started. One that is given all
    the same, by an administrator, is as it is given.
    """
    flags = set(map(flag_of, given))
    made, place = [*given], 0
    for argument in before:
        flag = flag_of(argument)
        if flag in flags:
            place = max(at for at, each in enumerate(made) if flag_of(each) == flag) + 1
        elif flag in LIVE:
            made.insert(place, argument)
            place += 1
    return made


def following(spec: VirtualNodeSpec) -> tuple[str, ...]:
    """Arguments that follow the spec of a VirtualNode, also later."""
    secret = (spec.kubeconfig_secret_ref or LocalReference()).name
    return (
        f"--foreign-kubeconfig-secret-name={secret}",
        f"--create-node={word(spec.create_node is not False)}",
        f"--node-check-network={word(not spec.disable_network_check)}",
    )


def with_arguments(given: Sequence[str], wanted: Iterable[str]) -> list[str]:
    """Those that are given, in their place; where one of the same flag is wanted, that one."""
    by_flag = {flag_of(argument): argument for argument in wanted}
    kept = [by_flag.pop(flag_of(argument), argument) for argument in given]
    return [*kept, *by_flag.values()]


def flag_of(argument: str) -> str:
    return argument.partition("=")[0]


def word(value: bool) -> str:
    return "true" if value else "false"


def pairs(mapping: Mapping[str, str]) -> str:
    return ",".join(f"{name}={value}" for name, value in mapping.items())


def port_of(address: str) -> int:
    """Of ":5872" or "0.0.0.0:5872"; 0 where there is none."""
    port = address.rpartition(":")[2]
    return int(port) if port.isdigit() else 0
