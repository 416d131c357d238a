"""The processes of a node, with every flag and configuration file. Pure values.

A node sees its own folder at NODE, whatever its name: the paths of unix sockets stay short, and
the files below are the same on every node.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from ipaddress import IPv4Network
from pathlib import Path
from typing import Any

import yaml

from liqo.playground import images
from liqo.playground.errors import PlaygroundError
from liqo.playground.layout import Cluster, Node

NODE = "/var/lib/liqo/node"
PKI = f"{NODE}/pki"
SOCKET = "/run/containerd/containerd.sock"
DOMAIN = "cluster.local"
SIGNING_DURATION = "8760h"
SHORT_NAMES = frozenset({"apiserver", "controller-manager", "scheduler", "proxy"})
SIMULATION = Path(__file__).parent / "simulation.yaml"

# Enough for a benchmark to measure Kubernetes, not its client-side limits.
UNLIMITED = ("--kube-api-qps=500", "--kube-api-burst=1000")


@dataclass(frozen=True)
class Component:
    """A process of a node; its name is that of its executable."""

    name: str
    arguments: tuple[str, ...]
    files: Mapping[str, str] = field(default_factory=dict)  # below NODE

    @property
    def needs_api_server(self) -> bool:
        """Those that end, or give up a while, when it does not answer yet."""
        return self.name not in {"etcd", "kube-apiserver", "containerd"}


def components(cluster: Cluster, node: Node) -> list[Component]:
    """In the order in which they are started."""
    control_plane = [
        etcd(),
        api_server(cluster),
        controller_manager(cluster),
        scheduler(),
    ]
    worker = [containerd(), kubelet(cluster, node), kube_proxy(cluster, node)]
    kwok = [simulator(node)] if cluster.options.simulated.count else []
    every = [*control_plane, *worker, *kwok] if node.is_control_plane else worker
    return [with_flags(component, cluster) for component in every]


def full_name(name: str) -> str:
    """A person may leave out "kube-"."""
    return f"kube-{name}" if name in SHORT_NAMES else name


def check_flags(cluster: Cluster) -> None:
    """A flag for nobody would be lost without a word."""
    known = [component.name for component in components(cluster, cluster.control_plane)]
    for name, flag in cluster.options.flags:
        if full_name(name) not in known:
            raise PlaygroundError(
                f'there is no component "{name}" for the flag {flag} (there: {", ".join(known)})'
            )


def with_flags(component: Component, cluster: Cluster) -> Component:
    """A flag of the user's comes last, and so wins."""
    extra = tuple(flag for name, flag in cluster.options.flags if full_name(name) == component.name)
    return Component(component.name, (*component.arguments, *extra), component.files)


def etcd() -> Component:
    return Component(
        "etcd",
        (
            f"--data-dir={NODE}/etcd",
            "--listen-client-urls=http://127.0.0.1:2379",  # the node's own loopback
            "--advertise-client-urls=http://127.0.0.1:2379",
            "--listen-peer-urls=http://127.0.0.1:2380",
            "--unsafe-no-fsync",  # survives a killed process, not a power cut
            "--log-level=warn",
        ),
    )


def api_server(cluster: Cluster) -> Component:
    audit, files = auditing() if cluster.options.audit else ((), {})
    return Component(
        "kube-apiserver",
        (
            "--etcd-servers=http://127.0.0.1:2379",
            f"--advertise-address={cluster.control_plane.address}",
            "--secure-port=6443",
            f"--service-cluster-ip-range={cluster.service_cidr}",
            "--allow-privileged",
            "--authorization-mode=Node,RBAC",
            "--enable-admission-plugins=NodeRestriction",
            f"--client-ca-file={PKI}/ca.crt",
            f"--tls-cert-file={PKI}/apiserver.crt",
            f"--tls-private-key-file={PKI}/apiserver.key",
            f"--kubelet-certificate-authority={PKI}/ca.crt",
            f"--kubelet-client-certificate={PKI}/apiserver-kubelet-client.crt",
            f"--kubelet-client-key={PKI}/apiserver-kubelet-client.key",
            "--kubelet-preferred-address-types=InternalIP",
            f"--service-account-issuer=https://kubernetes.default.svc.{DOMAIN}",
            f"--service-account-key-file={PKI}/sa.pub",
            f"--service-account-signing-key-file={PKI}/sa.key",
            f"--requestheader-client-ca-file={PKI}/front-proxy-ca.crt",
            "--requestheader-allowed-names=front-proxy-client",
            "--requestheader-extra-headers-prefix=X-Remote-Extra-",
            "--requestheader-group-headers=X-Remote-Group",
            "--requestheader-username-headers=X-Remote-User",
            f"--proxy-client-cert-file={PKI}/front-proxy-client.crt",
            f"--proxy-client-key-file={PKI}/front-proxy-client.key",
            *audit,
        ),
        files,
    )


def auditing() -> tuple[tuple[str, ...], Mapping[str, str]]:
    """Who asked for what, without bodies; what components ask of themselves is noise."""
    policy = {
        "apiVersion": "audit.k8s.io/v1",
        "kind": "Policy",
        "omitStages": ["RequestReceived"],
        "rules": [
            {"level": "None", "userGroups": ["system:nodes"]},
            {"level": "None", "users": ["system:apiserver"]},
            {"level": "Metadata"},
        ],
    }
    flags = (
        f"--audit-policy-file={NODE}/audit.yaml",
        f"--audit-log-path={NODE}/logs/audit.log",
    )
    return flags, {"audit.yaml": yaml.safe_dump(policy)}


def controller_manager(cluster: Cluster) -> Component:
    return Component(
        "kube-controller-manager",
        (
            *credentials("controller-manager"),
            "--leader-elect=false",
            "--use-service-account-credentials=true",  # or its controllers are forbidden to act
            f"--cluster-cidr={cluster.pod_cidr}",
            f"--service-cluster-ip-range={cluster.service_cidr}",
            f"--cluster-signing-cert-file={PKI}/ca.crt",
            f"--cluster-signing-key-file={PKI}/ca.key",
            f"--cluster-signing-duration={cluster.options.signing_duration or SIGNING_DURATION}",
            f"--root-ca-file={PKI}/ca.crt",
            f"--service-account-private-key-file={PKI}/sa.key",
            "--node-monitor-grace-period=40s",
            *UNLIMITED,
        ),
    )


def scheduler() -> Component:
    return Component(
        "kube-scheduler", (*credentials("scheduler"), "--leader-elect=false", *UNLIMITED)
    )


def credentials(user: str) -> tuple[str, ...]:
    kubeconfig = f"{NODE}/{user}.kubeconfig"
    return (
        f"--kubeconfig={kubeconfig}",
        f"--authentication-kubeconfig={kubeconfig}",
        f"--authorization-kubeconfig={kubeconfig}",
    )


def containerd() -> Component:
    return Component(
        "containerd",
        (f"--config={NODE}/containerd.toml",),
        {"containerd.toml": CONTAINERD.format(node=NODE, socket=SOCKET, pause=images.PAUSE)},
    )


CONTAINERD = """\
version = 2
root = "{node}/containerd"
state = "/run/containerd"
disabled_plugins = ["io.containerd.internal.v1.opt", "io.containerd.snapshotter.v1.btrfs"]

[grpc]
address = "{socket}"

[plugins."io.containerd.grpc.v1.cri"]
sandbox_image = "{pause}"
# Without CAP_SYS_RESOURCE runc may only raise a process's OOM score.
restrict_oom_score_adj = true
# Below the node's own /run: they vanish with its mount namespace.
netns_mounts_under_state_dir = true

[plugins."io.containerd.grpc.v1.cri".cni]
bin_dir = "/usr/lib/cni"
conf_dir = "{node}/cni"

[plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
runtime_type = "io.containerd.runc.v2"
"""


def kubelet(cluster: Cluster, node: Node) -> Component:
    return Component(
        "kubelet",
        (
            f"--config={NODE}/kubelet.yaml",
            f"--kubeconfig={NODE}/kubelet.kubeconfig",
            f"--root-dir={NODE}/kubelet",
            f"--cert-dir={NODE}/kubelet/pki",
            f"--hostname-override={node.name}",
            f"--node-ip={node.address}",
            # A container that is made but not started counts as dead when the kubelet cleans up:
            # with the one that it keeps by default, the life before is lost where starts are slow.
            "--maximum-dead-containers-per-container=2",
        ),
        {
            "kubelet.yaml": yaml.safe_dump(kubelet_configuration(cluster, node)),
            "cni/10-playground.conflist": json.dumps(pod_network(node), indent=2),
            "resolv.conf": f"nameserver {cluster.service_address(10)}\n"
            f"search default.svc.{DOMAIN} svc.{DOMAIN} {DOMAIN}\noptions ndots:5\n",
        },
    )


def kubelet_configuration(cluster: Cluster, node: Node) -> dict[str, Any]:
    return {
        "apiVersion": "kubelet.config.k8s.io/v1beta1",
        "kind": "KubeletConfiguration",
        "authentication": {
            "anonymous": {"enabled": False},
            "webhook": {"enabled": True},
            "x509": {"clientCAFile": f"{PKI}/ca.crt"},
        },
        "authorization": {"mode": "Webhook"},
        "tlsCertFile": f"{PKI}/kubelet.crt",
        "tlsPrivateKeyFile": f"{PKI}/kubelet.key",
        "containerRuntimeEndpoint": f"unix://{SOCKET}",
        "clusterDNS": [cluster.service_address(10)],
        "clusterDomain": DOMAIN,
        "resolvConf": f"{NODE}/resolv.conf",
        "cgroupDriver": "cgroupfs",
        # Kubelets of one machine must not share a root: they would delete each other's pods.
        "cgroupRoot": f"/{node.cgroup}",
        "enforceNodeAllocatable": [],
        "failCgroupV1": False,
        "failSwapOn": False,
        "localStorageCapacityIsolation": False,
        # The disk is the machine's, not the node's: evicting pods would not make room on it.
        "evictionHard": {
            "imagefs.available": "0%",
            "imagefs.inodesFree": "0%",
            "nodefs.available": "0%",
            "nodefs.inodesFree": "0%",
        },
        "imageGCHighThresholdPercent": 100,
        "podLogsDir": f"{NODE}/pod-logs",
        "volumePluginDir": f"{NODE}/kubelet/plugins",
        "maxPods": IPv4Network(node.pod_cidr).num_addresses - 3,
        "registerWithTaints": [],
        "serializeImagePulls": False,
        "nodeStatusUpdateFrequency": "5s",
    }


def pod_network(node: Node) -> dict[str, Any]:
    """Point to point, so that every packet passes the node's own netfilter, also within it."""
    return {
        "cniVersion": "1.0.0",
        "name": "playground",
        "plugins": [
            {
                "type": "ptp",
                "mtu": 1500,
                "ipam": {
                    "type": "host-local",
                    "dataDir": f"{NODE}/cni-addresses",
                    "ranges": [[{"subnet": node.pod_cidr}]],
                    "routes": [{"dst": "0.0.0.0/0"}],
                },
            },
            {"type": "portmap", "capabilities": {"portMappings": True}},
        ],
    }


def kube_proxy(cluster: Cluster, node: Node) -> Component:
    return Component(
        "kube-proxy",
        (
            f"--kubeconfig={NODE}/kube-proxy.kubeconfig",
            f"--hostname-override={node.name}",
            "--proxy-mode=nftables",
            "--conntrack-max-per-core=0",  # a limit of the whole machine: not ours to set
            f"--cluster-cidr={cluster.pod_cidr}",
        ),
    )


def simulator(node: Node) -> Component:
    return Component(
        "kwok",
        (
            f"--config={NODE}/simulation.yaml",
            f"--kubeconfig={NODE}/admin.kubeconfig",
            "--manage-nodes-with-label-selector=type=kwok",
            f"--node-ip={node.address}",
            "--node-port=10247",
            "--cidr=198.18.0.0/15",  # of the pods that do not exist; set aside for benchmarks
            "--node-lease-duration-seconds=40",
        ),
        {"simulation.yaml": SIMULATION.read_text()},
    )
