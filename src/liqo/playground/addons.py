"""What every cluster holds from its first minute: its nodes, and what addons.yaml lists."""

from __future__ import annotations

from pathlib import Path
from string import Template
from typing import Any

import yaml

from liqo.playground import images
from liqo.playground.components import DOMAIN, NODE
from liqo.playground.layout import Cluster

Manifest = dict[str, Any]

SYSTEM = "kube-system"
METRICS_API = "v1beta1.metrics.k8s.io"
ADDONS = Path(__file__).parent / "addons.yaml"


def manifests(cluster: Cluster) -> list[Manifest]:
    return [*real_nodes(cluster), *addons(cluster), *simulated_nodes(cluster)]


def addons(cluster: Cluster) -> list[Manifest]:
    """DNS, metrics, storage, rights for kube-proxy, and a description of the cluster."""
    text = Template(ADDONS.read_text()).substitute(
        cluster=cluster.name,
        pod_cidr=cluster.pod_cidr,
        service_cidr=cluster.service_cidr,
        server=cluster.server,
        dns_address=cluster.service_address(10),
        domain=DOMAIN,
        node=NODE,
        metrics_api=METRICS_API,
        coredns=images.COREDNS,
        metrics_server=images.METRICS_SERVER,
        local_path=images.LOCAL_PATH,
        helper=images.HELPER,
    )
    return list(yaml.safe_load_all(text))


def real_nodes(cluster: Cluster) -> list[Manifest]:
    """What a kubelet may not say of itself; it finds this and adds the rest."""
    role = {"node-role.kubernetes.io/control-plane": ""}
    return [
        {
            **a_node(node.name, role if node.is_control_plane else {}),
            "spec": {"podCIDR": node.pod_cidr, "podCIDRs": [node.pod_cidr]},
        }
        for node in cluster.nodes
    ]


def simulated_nodes(cluster: Cluster) -> list[Manifest]:
    simulated = cluster.options.simulated
    capacity = {
        "cpu": simulated.cpu,
        "memory": simulated.memory,
        "pods": "1000",
        **dict(simulated.resources),
    }
    return [
        {
            **a_node(name, {"type": "kwok", "kubernetes.io/hostname": name}),
            "status": {"allocatable": capacity, "capacity": capacity},
        }
        for name in (f"{cluster.name[:40]}-kwok-{number}" for number in range(simulated.count))
    ]


def a_node(name: str, labels: dict[str, str]) -> Manifest:
    return {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name, "labels": labels}}
