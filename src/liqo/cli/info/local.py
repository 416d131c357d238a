"""The report about an installation: who it is, how it is, and whom it knows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from liqo.api import labels
from liqo.api.core import ForeignCluster
from liqo.api.meta import JSON
from liqo.cli import release
from liqo.cli.info import health
from liqo.cli.info.facts import Local
from liqo.cli.offload.words import where_it_stands, why_nowhere
from liqo.errors import LiqoError
from liqo.rules import apiserver, names

TROUBLED = ("SomeFailed", "AllFailed", "NoClusterSelected")


@dataclass
class Report:
    """Plain values, as -o json prints them, and what could not be found out."""

    values: JSON = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)


def report(facts: Local, *, with_network: bool) -> Report:
    told = Report(warnings=list(facts.refused))
    network = {"network": _network(facts, told)} if with_network else {}
    told.values = {
        "health": _health(facts),
        "local": _local(facts, told),
        **network,
        "peerings": {"peers": [_peering(peer) for peer in facts.peers]},
    }
    told.warnings += [*_silent(facts), *_unfinished(facts)]
    return told


def cluster_id(facts: Local) -> str:
    """Empty where there is none, or nobody knows which."""
    return facts.ids[0].data.get("CLUSTER_ID", "") if len(facts.ids) == 1 else ""


def _local(facts: Local, told: Report) -> JSON:
    identity, container, version = cluster_id(facts), {}, ""
    if not identity:
        told.warnings.append(
            "unable to get cluster id: there must be one ConfigMap with the label "
            f'"{labels.APP_NAME}=clusterid-configmap" and a CLUSTER_ID, in the namespace '
            f'"{facts.namespace}"; repair it with: liqoctl install'
        )
    try:
        container = release.controllers(facts.deployments)
        version = release.version(container)
    except LiqoError as missing:
        told.warnings.append(f"unable to get Liqo version: {missing}")
    override = release.flag(container, "api-server-address-override")
    return {
        "clusterID": identity,
        "version": version,
        "labels": dict(sorted(release.cluster_labels(container).items())),
        "APIServerAddr": apiserver.url_of(override, facts.control_planes, facts.endpoints),
    }


def _health(facts: Local) -> JSON:
    bad = health.unhealthy_pods(facts.pods)
    return {"healthy": False, "unhealthyPods": bad} if bad else {"healthy": True}


def _silent(facts: Local) -> Iterator[str]:
    for each in facts.deployments:
        if each.metadata.name == names.WEBHOOK and not each.status.get("availableReplicas", 0):
            yield (
                f'the Deployment "{names.WEBHOOK}" does not run: until it does, no pod can be '
                "created in offloaded namespaces, nor can objects of Liqo be changed"
            )


def _unfinished(facts: Local) -> Iterator[str]:
    for each in facts.offloadings:
        if (phase := each.status.offloading_phase) in TROUBLED:
            yield (
                f'the offloading of namespace "{each.metadata.namespace}" is in "{phase}" state: '
                + (why_nowhere(each) if phase == "NoClusterSelected" else where_it_stands(each))
            )


def _network(facts: Local, told: Report) -> JSON:
    pods, unknown = [], []
    for each in facts.networks:
        if each.metadata.labels[labels.NETWORK_TYPE] == "pod-cidr":
            pods.append(each.status.cidr)
            unknown += [] if each.status.cidr else [each.metadata.name]
    told.warnings += [
        "unable to get PodCIDRs: the pod CIDR is not yet configured: "
        f'missing status on Network "{name}"'
        for name in unknown
    ]
    return {"podCIDRs": [cidr for cidr in pods if cidr], **dict(_single_networks(facts, told))}


def _single_networks(facts: Local, told: Report) -> Iterator[tuple[str, str]]:
    """Those of which a cluster has one each; where there is none, the network module is off."""
    by_type = {each.metadata.labels[labels.NETWORK_TYPE]: each for each in facts.networks}
    for name in ("service", "external", "internal"):
        found = by_type.get(f"{name}-cidr")
        if found is not None and not found.status.cidr:
            told.warnings.append(
                f"unable to get {name.capitalize()}CIDR: the {name} CIDR is not yet configured: "
                "missing status on the Network resource"
            )
        yield f"{name}CIDR", found.status.cidr if found is not None else ""


def _peering(peer: ForeignCluster) -> JSON:
    """With all its alerts; there is no such field where all is well."""
    modules = health.modules(peer)
    spoken = list(health.status(peer).conditions)
    for module in (modules.networking, modules.authentication, modules.offloading):
        spoken += module.conditions if module.enabled else ()
    alerts = health.alerts(spoken)
    return {
        "clusterID": peer.spec.cluster_id,
        "role": health.status(peer).role,
        "networkingStatus": health.of_module(modules.networking),
        "authenticationStatus": health.of_module(modules.authentication),
        "offloadingStatus": health.of_module(modules.offloading),
        **({"alerts": alerts} if alerts else {}),
    }
