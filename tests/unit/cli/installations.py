"""Installations of Liqo as a cluster shows them: rome and milan, when stock clients looked."""

from __future__ import annotations

from liqo.api.meta import JSON
from liqo.cli.release import MARKS
from tests.unit.cli.served import captured


def rome(moment: str = "2-peered") -> list[JSON]:
    """The consumer, when the transcripts were made: at peace, its networks not yet known."""
    mine = installation("rome", "10.200.0.11", "provider=Azure,region=A")
    networks = [network(name) for name in ("service", "external", "internal")]
    pod = network("pod", "pod-cidr-10-71-0-0-22")
    return [*mine, pod, *networks, *(captured(f"{moment}-consumer") if moment else ())]


def milan() -> list[JSON]:
    mine = installation("milan", "10.200.0.12", "region=B,provider=AWS")
    return [*mine, *captured("2-peered-provider")]


def installation(cluster_id: str, address: str, cluster_labels: str) -> list[JSON]:
    return [
        an_object("v1", "Namespace", "liqo", namespace=""),
        an_object(
            "v1",
            "ConfigMap",
            "liqo-clusterid-configmap",
            labels={"app.kubernetes.io/name": "clusterid-configmap"},
            data={"CLUSTER_ID": cluster_id},
        ),
        controllers(f"--cluster-labels={cluster_labels}"),
        a_pod("liqo-controller-manager-58466864f8-m8j9x"),
        an_object(
            "v1",
            "Node",
            f"{cluster_id}-node",
            namespace="",
            labels={"node-role.kubernetes.io/control-plane": ""},
            status={"addresses": [{"type": "InternalIP", "address": address}]},
        ),
    ]


def controllers(*flags: str, image: str = "ghcr.io/some/controllers:v1.2.0") -> JSON:
    container = {"name": "controller-manager", "image": image, "args": list(flags)}
    return an_object(
        "apps/v1",
        "Deployment",
        "liqo-controller-manager",
        labels=MARKS,
        spec={"replicas": 1, "template": {"spec": {"containers": [container]}}},
        status={"readyReplicas": 1, "availableReplicas": 1},
    )


def a_pod(name: str, *, ready: bool = True, phase: str = "Running", restarts: int = 0) -> JSON:
    containers = [
        {"name": "one", "ready": True, "restartCount": 0},
        {"name": "two", "ready": ready, "restartCount": restarts},
    ]
    conditions = [{"type": "Ready", "status": str(ready)}]
    status = {"phase": phase, "conditions": conditions, "containerStatuses": containers}
    return an_object("v1", "Pod", name, status=status)


def network(purpose: str, name: str = "", cidr: str = "") -> JSON:
    return an_object(
        "ipam.liqo.io/v1alpha1",
        "Network",
        name or f"{purpose}-cidr",
        labels={"ipam.liqo.io/network-type": f"{purpose}-cidr"},
        spec={"cidr": "10.71.0.0/22"},
        status={"cidr": cidr} if cidr else {},
    )


def an_object(
    version: str,
    kind: str,
    name: str,
    *,
    namespace: str = "liqo",
    labels: dict[str, str] | None = None,
    **parts: JSON,
) -> JSON:
    metadata = {"name": name, "namespace": namespace, "labels": labels or {}}
    return {"apiVersion": version, "kind": kind, "metadata": metadata, **parts}
