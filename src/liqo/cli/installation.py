"""An installation of Liqo, as a client finds it: by its labels, never by a name."""

from __future__ import annotations

from dataclasses import dataclass

from liqo.api import labels
from liqo.api.kubernetes import ConfigMap
from liqo.cli.running import together
from liqo.errors import LiqoError
from liqo.kube.cluster import Cluster
from liqo.kube.paths import Scope
from liqo.rules import names

CLUSTER_ID = Scope(labels=f"{labels.APP_NAME}=clusterid-configmap")


@dataclass(frozen=True)
class Installation:
    cluster: Cluster
    namespace: str
    id: str


async def find(cluster: Cluster, namespace: str, flag: str = "--namespace") -> Installation:
    scope = Scope(namespace=namespace, labels=CLUSTER_ID.labels)
    found = (await cluster.list(ConfigMap, scope=scope)).items
    if not found:
        raise LiqoError(
            f'Liqo is not installed in the namespace "{namespace}" of {cluster.name}, '
            f"{cluster.access.server}; install it with: liqoctl install, "
            f"or say where it is with {flag}"
        )
    if len(found) > 1:
        several = ", ".join(sorted(each.metadata.name for each in found))
        raise LiqoError(
            f'{cluster.name} has several cluster IDs in the namespace "{namespace}": the '
            f"ConfigMaps {several}; delete those that are not Liqo's"
        )
    identity = found[0].data.get("CLUSTER_ID", "")
    if not identity:
        raise LiqoError(
            f'the ConfigMap "{found[0].key}" of {cluster.name} holds no CLUSTER_ID; '
            "repair it with: liqoctl install"
        )
    if wrong := names.check_cluster_id(identity):
        raise LiqoError(
            f"{wrong}: {cluster.name} cannot be a peer; install Liqo anew there, with another "
            "--cluster-id"
        )
    return Installation(cluster, namespace, identity)


async def find_both(
    clusters: tuple[Cluster, Cluster], namespace: str, remote_namespace: str
) -> tuple[Installation, Installation]:
    local, remote = await together(
        find(clusters[0], namespace), find(clusters[1], remote_namespace, "--remote-namespace")
    )
    check_differ(local, remote)
    return local, remote


def check_differ(local: Installation, remote: Installation) -> None:
    if local.id == remote.id:
        raise LiqoError(
            f'both clusters have the ID "{local.id}" ({local.cluster.access.server} and '
            f"{remote.cluster.access.server}), and peers must differ; install one of them anew "
            "with another --cluster-id"
        )
