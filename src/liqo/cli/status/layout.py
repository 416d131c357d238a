"""The boxes of `liqoctl status` and `status peer`, in the words of older versions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from liqo.api import labels
from liqo.api.authentication import ResourceSlice
from liqo.api.core import ForeignCluster
from liqo.api.kubernetes import Deployment
from liqo.api.meta import JSON
from liqo.cli.info import health
from liqo.cli.info.boxes import Section, Value
from liqo.cli.info.facts import Local, Peers
from liqo.cli.info.layout import YES
from liqo.rules.quantity import ZERO, Quantity, parse
from liqo.rules.summary import summary


def local(facts: Local, report: JSON, *, images: bool) -> list[Section]:
    """`report` is that of `info`; the networks are shown where it has them."""
    exists = f"{YES}    liqo control plane namespace {facts.namespace} exists"
    return [
        Section("Namespace existence check", {}, [Section(exists)]),
        Section("Control plane check", {}, list(_control_plane(facts.deployments, images))),
        Section("Local Cluster Information", {}, list(_cluster(report))),
    ]


def peer(facts: Peers, found: ForeignCluster) -> Section:
    said = health.status(found)
    words = said.peering or summary(said.role, health.modules(found), said.foreign_proxy_url)
    ours, theirs = _slices(facts, found, received=False), _slices(facts, found, received=True)
    api_server = next((each.status for each in said.conditions), "None")
    resources = [Section("Total acquired", total(ours)), Section("Total shared", total(theirs))]
    return Section(
        found.spec.cluster_id,
        {"Type": words.type},
        [
            Section("Direction", {"Outgoing": words.outgoing, "Incoming": words.incoming}),
            Section("Authentication", {"Status": words.authentication}),
            Section("Network", {"Status": words.networking}),
            Section("API Server", {"Status": api_server}),
            Section("Resources", {}, resources),
        ],
    )


def total(slices: Iterable[ResourceSlice]) -> dict[str, str]:
    """Of what was granted; a slice that waits or was denied adds nothing."""
    amounts: dict[str, Quantity] = {}
    for each in slices:
        if each.accepted("Resources"):
            for name, amount in each.status.resources.items():
                amounts[name] = amounts.get(name, ZERO) + parse(amount)
    return {name: str(amount) for name, amount in sorted(amounts.items())}


def _slices(facts: Peers, peer: ForeignCluster, *, received: bool) -> list[ResourceSlice]:
    whose = peer.spec.cluster_id
    known = [each for each in facts.slices if each.received == received]
    return [each for each in known if each.metadata.labels[labels.REMOTE_CLUSTER_ID] == whose]


def _control_plane(deployments: Iterable[Deployment], images: bool) -> Iterator[Section]:
    counts = {each.metadata.name: _count(each) for each in deployments}
    yield Section("Deployment", counts)
    if images:
        yield Section("Images", {each.metadata.name: _images(each) for each in deployments})


def _count(deployment: Deployment) -> str:
    desired, status = deployment.spec.get("replicas", 1), deployment.status
    ready, available = status.get("readyReplicas", 0), status.get("availableReplicas", 0)
    return f"Desired: {desired}, Ready: {ready}/{desired}, Available: {available}/{desired}"


def _images(deployment: Deployment) -> list[str]:
    containers = deployment.spec["template"]["spec"]["containers"]
    return [each["image"] for each in containers]


def _cluster(report: JSON) -> Iterator[Section]:
    told = report["local"]
    cluster_labels = [Section("Cluster Labels", told["labels"])] if told["labels"] else []
    names = {"Cluster ID": told["clusterID"], "Cluster Name": told["clusterID"]}
    yield Section("Cluster Identity", names, cluster_labels)
    yield Section("Configuration", {"Version": told["version"]})
    if "network" in report:
        yield Section("Network", _networks(report["network"]))
    yield Section("Kubernetes API Server", {"Address": told["APIServerAddr"]})


def _networks(told: JSON) -> dict[str, Value]:
    return {
        "Pod CIDR": told["podCIDRs"],
        "Service CIDR": told["serviceCIDR"],
        "External CIDR": told["externalCIDR"],
    }
