"""What a cluster holds before we install: an earlier installation, and addresses in use."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from liqo.api import labels
from liqo.api.ipam import Network
from liqo.api.kubernetes import ClusterRoleBinding, ConfigMap, Node, Pod, Service
from liqo.api.meta import Key
from liqo.install import identity
from liqo.kube.cluster import Cluster
from liqo.kube.errors import NotFound
from liqo.kube.paths import Scope
from liqo.rules import names


@dataclass(frozen=True)
class Surroundings:
    cluster_id: str = ""  # of an earlier installation
    installer: str = ""  # who made that one
    elsewhere: str = ""  # the namespace of one that is not in ours
    pods: Sequence[Pod] = ()
    services: Sequence[Service] = ()
    networks: Sequence[Network] = ()
    images: frozenset[str] = frozenset()  # that nodes have
    sharing: Mapping[str, str] = field(default_factory=dict)  # what counts for shares now


async def look(cluster: Cluster, namespace: str) -> Surroundings:
    cluster_id, installer = await known_as(cluster, namespace)
    return Surroundings(
        cluster_id,
        installer,
        await installed_elsewhere(cluster, namespace),
        (await cluster.list(Pod)).items,
        (await cluster.list(Service)).items,
        await _networks(cluster, namespace),
        await _images(cluster),
        await _sharing(cluster, namespace),
    )


async def known_as(cluster: Cluster, namespace: str) -> tuple[str, str]:
    """The ID of the installation there, and who made it; empty where there is none."""
    scope = Scope(namespace=namespace, labels=f"{labels.APP_NAME}={identity.LABEL}")
    for found in (await cluster.list(ConfigMap, scope=scope, resource_version="")).items:
        installer = found.metadata.labels.get(labels.APP_MANAGED_BY, "")
        return found.data.get(identity.KEY, ""), installer
    return "", ""


async def installed_elsewhere(cluster: Cluster, namespace: str) -> str:
    """The namespace of another installation: two would fight over what belongs to the cluster."""
    try:
        binding = await cluster.get(ClusterRoleBinding, Key("", names.CONTROLLER_MANAGER))
    except NotFound:
        return ""
    homes = [subject.get("namespace", "") for subject in binding.subjects]
    return "" if namespace in homes else next(iter(homes), "")


async def _sharing(cluster: Cluster, namespace: str) -> Mapping[str, str]:
    try:
        return (await cluster.get(ConfigMap, Key(namespace, names.SHARING))).data
    except NotFound:
        return {}


async def _images(cluster: Cluster) -> frozenset[str]:
    nodes = (await cluster.list(Node)).items
    reported = [image for node in nodes for image in node.status.get("images", ())]
    return frozenset(name for image in reported for name in image.get("names") or ())


async def _networks(cluster: Cluster, namespace: str) -> Sequence[Network]:
    try:
        return (await cluster.list(Network, scope=Scope(namespace=namespace))).items
    except NotFound:
        return ()
