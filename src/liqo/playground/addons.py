"""What runs inside every cluster: DNS, metrics, storage, and rights for kube-proxy. Pure values."""

from __future__ import annotations

import json
from typing import Any

from liqo.playground import images
from liqo.playground.components import DOMAIN, NODE
from liqo.playground.layout import Cluster

Manifest = dict[str, Any]

SYSTEM = "kube-system"
METRICS_API = "v1beta1.metrics.k8s.io"


def manifests(cluster: Cluster) -> list[Manifest]:
    return [
        *description(cluster),
        *real_nodes(cluster),
        *proxy_rights(),
        *dns(cluster),
        *metrics(),
        *storage(),
        *simulated_nodes(cluster),
    ]


def description(cluster: Cluster) -> list[Manifest]:
    """What an installer wants to know of this cluster, as kubeadm leaves it in a ConfigMap."""
    return [
        {
            **named("v1", "ConfigMap", "playground", SYSTEM),
            "data": {
                "clusterName": cluster.name,
                "podCIDR": cluster.pod_cidr,
                "serviceCIDR": cluster.service_cidr,
                "server": cluster.server,
            },
        }
    ]


def real_nodes(cluster: Cluster) -> list[Manifest]:
    """What a kubelet may not say of itself; it finds this and adds the rest."""
    role = "node-role.kubernetes.io/control-plane"
    return [
        {
            **named("v1", "Node", node.name, labels={role: ""} if node.is_control_plane else None),
            "spec": {"podCIDR": node.pod_cidr, "podCIDRs": [node.pod_cidr]},
        }
        for node in cluster.nodes
    ]


def proxy_rights() -> list[Manifest]:
    subject = {"kind": "User", "name": "system:kube-proxy", "apiGroup": "rbac.authorization.k8s.io"}
    return [cluster_role_binding("playground:kube-proxy", "system:node-proxier", subject)]


def dns(cluster: Cluster) -> list[Manifest]:
    corefile = (
        f".:53 {{\n  errors\n  health\n  ready\n  cache 5\n"
        f"  kubernetes {DOMAIN} in-addr.arpa {{\n    pods insecure\n  }}\n  reload 10s\n}}\n"
    )
    rules = [
        rule("", ["endpoints", "services", "pods", "namespaces"], ["list", "watch"]),
        rule("discovery.k8s.io", ["endpointslices"], ["list", "watch"]),
    ]
    service = {
        **named("v1", "Service", "kube-dns", SYSTEM, {"k8s-app": "kube-dns"}),
        "spec": {
            "clusterIP": cluster.service_address(10),
            "selector": {"app": "coredns"},
            "ports": [
                {"name": "dns", "port": 53, "protocol": "UDP"},
                {"name": "dns-tcp", "port": 53, "protocol": "TCP"},
            ],
        },
    }
    container = {
        "name": "coredns",
        "image": images.COREDNS,
        "args": ["-conf", "/etc/coredns/Corefile"],
        "ports": [{"containerPort": 53, "protocol": "UDP"}],
        "readinessProbe": {"httpGet": {"path": "/ready", "port": 8181}, "periodSeconds": 1},
        "resources": {"requests": {"cpu": "50m", "memory": "30Mi"}},
        "volumeMounts": [{"name": "config", "mountPath": "/etc/coredns"}],
    }
    return [
        {**named("v1", "ConfigMap", "coredns", SYSTEM), "data": {"Corefile": corefile}},
        *account_with_role("coredns", rules),
        service,
        deployment("coredns", container, {"name": "config", "configMap": {"name": "coredns"}}),
    ]


def metrics() -> list[Manifest]:
    rules = [
        rule("", ["nodes/metrics"], ["get"]),
        rule("", ["pods", "nodes"], ["get", "list", "watch"]),
    ]
    container = {
        "name": "metrics-server",
        "image": images.METRICS_SERVER,
        "args": [
            "--secure-port=4443",
            "--cert-dir=/tmp",
            "--metric-resolution=10s",
            "--kubelet-request-timeout=5s",
            "--kubelet-preferred-address-types=InternalIP",
            "--kubelet-certificate-authority=/var/run/secrets/kubernetes.io/serviceaccount/ca.crt",
        ],
        "readinessProbe": {
            "httpGet": {"path": "/readyz", "port": 4443, "scheme": "HTTPS"},
            "periodSeconds": 1,
        },
        "resources": {"requests": {"cpu": "50m", "memory": "60Mi"}},
        "volumeMounts": [{"name": "tmp", "mountPath": "/tmp"}],
    }
    api = {
        **named("apiregistration.k8s.io/v1", "APIService", METRICS_API),
        "spec": {
            "group": "metrics.k8s.io",
            "version": "v1beta1",
            "service": {"name": "metrics-server", "namespace": SYSTEM},
            "groupPriorityMinimum": 100,
            "versionPriority": 100,
            "insecureSkipTLSVerify": True,
        },
    }
    reader = rule("metrics.k8s.io", ["pods", "nodes"], ["get", "list", "watch"])
    aggregated = {
        **named(RBAC, "ClusterRole", "playground:metrics-reader"),
        "rules": [reader],
    }
    aggregated["metadata"]["labels"] = {
        f"rbac.authorization.k8s.io/aggregate-to-{role}": "true" for role in ("view", "edit")
    }
    subject = service_account("metrics-server")
    service = {
        **named("v1", "Service", "metrics-server", SYSTEM),
        "spec": {
            "selector": {"app": "metrics-server"},
            "ports": [{"port": 443, "targetPort": 4443}],
        },
    }
    return [
        *account_with_role("metrics-server", rules),
        cluster_role_binding("metrics-server:delegator", "system:auth-delegator", subject),
        {
            **named(RBAC, "RoleBinding", "metrics-server:reader", SYSTEM),
            "roleRef": role_ref("Role", "extension-apiserver-authentication-reader"),
            "subjects": [subject],
        },
        aggregated,
        service,
        deployment("metrics-server", container, {"name": "tmp", "emptyDir": {}}),
        api,
    ]


def storage() -> list[Manifest]:
    rules = [
        rule("", ["nodes", "persistentvolumeclaims", "configmaps"], ["get", "list", "watch"]),
        rule("", ["persistentvolumes"], ["get", "list", "watch", "create", "patch", "delete"]),
        rule("", ["pods", "pods/log"], ["get", "list", "watch", "create", "delete"]),
        rule("", ["events"], ["create", "patch"]),
        rule("", ["endpoints"], ["get", "list", "watch", "create", "update", "patch"]),
        rule("coordination.k8s.io", ["leases"], ["get", "create", "update"]),
        rule("storage.k8s.io", ["storageclasses"], ["get", "list", "watch"]),
    ]
    helper = {
        **named("v1", "Pod", "helper-pod"),
        "spec": {
            "priorityClassName": "system-node-critical",
            "tolerations": [{"operator": "Exists"}],
            "containers": [{"name": "helper-pod", "image": images.HELPER}],
        },
    }
    paths = {"nodePathMap": [{"node": ANY_NODE, "paths": [f"{NODE}/volumes"]}]}
    config = {
        "config.json": json.dumps(paths),
        "setup": '#!/bin/sh\nset -eu\nmkdir -m 0777 -p "$VOL_DIR"\n',
        "teardown": '#!/bin/sh\nset -eu\nrm -rf "$VOL_DIR"\n',
        "helperPod.yaml": json.dumps(helper),
    }
    container = {
        "name": "local-path-provisioner",
        "image": images.LOCAL_PATH,
        "args": [
            "start",
            "--config=/etc/config/config.json",
            f"--helper-image={images.HELPER}",
            "--service-account-name=local-path-provisioner",  # of the pods that make a volume
        ],
        "env": [
            {"name": "POD_NAMESPACE", "value": SYSTEM},
            {"name": "CONFIG_MOUNT_PATH", "value": "/etc/config/"},
        ],
        "resources": {"requests": {"cpu": "10m", "memory": "20Mi"}},
        "volumeMounts": [{"name": "config", "mountPath": "/etc/config/"}],
    }
    storage_class = {
        **named("storage.k8s.io/v1", "StorageClass", "local-path"),
        "provisioner": "rancher.io/local-path",
        "volumeBindingMode": "WaitForFirstConsumer",
        "reclaimPolicy": "Delete",
    }
    storage_class["metadata"]["annotations"] = {
        "storageclass.kubernetes.io/is-default-class": "true"
    }
    volume = {"name": "config", "configMap": {"name": "local-path-config"}}
    return [
        {**named("v1", "ConfigMap", "local-path-config", SYSTEM), "data": config},
        *account_with_role("local-path-provisioner", rules),
        deployment("local-path-provisioner", container, volume),
        storage_class,
    ]


ANY_NODE = "DEFAULT_PATH_FOR_NON_LISTED_NODES"  # a word of the provisioner's


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
            **named("v1", "Node", name, labels={"type": "kwok", "kubernetes.io/hostname": name}),
            "status": {"allocatable": capacity, "capacity": capacity},
        }
        for name in (f"{cluster.name[:40]}-kwok-{number}" for number in range(simulated.count))
    ]


RBAC = "rbac.authorization.k8s.io/v1"


def named(
    version: str, kind: str, name: str, namespace: str = "", labels: dict[str, str] | None = None
) -> Manifest:
    metadata: Manifest = {"name": name}
    if namespace:
        metadata["namespace"] = namespace
    if labels:
        metadata["labels"] = labels
    return {"apiVersion": version, "kind": kind, "metadata": metadata}


def deployment(name: str, container: Manifest, volume: Manifest) -> Manifest:
    labels = {"app": name}
    critical = {
        "serviceAccountName": name,
        "priorityClassName": "system-cluster-critical",
        "tolerations": [{"operator": "Exists", "effect": "NoSchedule"}],
        "nodeSelector": {"node-role.kubernetes.io/control-plane": ""},
        "containers": [container],
        "volumes": [volume],
    }
    return {
        **named("apps/v1", "Deployment", name, SYSTEM, labels),
        "spec": {
            "replicas": 1,
            "selector": {"matchLabels": labels},
            "template": {"metadata": {"labels": labels}, "spec": critical},
        },
    }


def account_with_role(name: str, rules: list[Manifest]) -> list[Manifest]:
    return [
        named("v1", "ServiceAccount", name, SYSTEM),
        {**named(RBAC, "ClusterRole", f"playground:{name}"), "rules": rules},
        cluster_role_binding(f"playground:{name}", f"playground:{name}", service_account(name)),
    ]


def service_account(name: str) -> Manifest:
    return {"kind": "ServiceAccount", "name": name, "namespace": SYSTEM}


def cluster_role_binding(name: str, role: str, subject: Manifest) -> Manifest:
    return {
        **named(RBAC, "ClusterRoleBinding", name),
        "roleRef": role_ref("ClusterRole", role),
        "subjects": [subject],
    }


def role_ref(kind: str, name: str) -> Manifest:
    return {"apiGroup": "rbac.authorization.k8s.io", "kind": kind, "name": name}


def rule(group: str, resources: list[str], verbs: list[str]) -> Manifest:
    return {"apiGroups": [group], "resources": resources, "verbs": verbs}
