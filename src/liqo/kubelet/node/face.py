"""What a virtual node looks like: labels and status, made of what its provider offers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime

from liqo.api import labels
from liqo.api.kubernetes import Condition
from liqo.api.meta import JSON
from liqo.api.offloading import VirtualNode
from liqo.kubelet.node import taints
from liqo.kubelet.node.health import Health
from liqo.rules import amounts, quantity
from liqo.runtime.clock import timestamp

ARCHITECTURE, OPERATING_SYSTEM = "kubernetes.io/arch", "kubernetes.io/os"
OFFERED = "The remote cluster is advertising sufficient resources"
NOTHING_OFFERED = "The remote cluster is advertising no/insufficient resources"


@dataclass(frozen=True)
class Face:
    """What stays as it is while the kubelet runs."""

    name: str
    provider: str
    address: str  # of the kubelet
    port: int  # of the kubelet's API
    version: str  # of the consumer's API server: what its own nodes may have
    architecture: str = "amd64"  # unless the provider's labels say another
    operating_system: str = "linux"
    extra_labels: Mapping[str, str] = field(default_factory=dict)
    extra_annotations: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Network:
    """Between the clusters. Not shown: there is none, or nobody wants to know."""

    shown: bool = False
    established: bool = False

    @property
    def is_ready(self) -> bool:
        return self.established or not self.shown


def marks(face: Face, wanted: VirtualNode) -> dict[str, str]:
    """Its labels: the provider's count for more than ours, but for those that say whose it is."""
    given = {**face.extra_labels, **wanted.spec.labels}
    return {
        "alpha.service-controller.kubernetes.io/exclude-balancer": "true",
        "kubernetes.io/role": "agent",
        "node.kubernetes.io/exclude-from-external-load-balancers": "true",
        "type": "virtual-kubelet",
        ARCHITECTURE: face.architecture,
        OPERATING_SYSTEM: face.operating_system,
        **given,
        "kubernetes.io/hostname": face.name,
        labels.TYPE: "virtual-node",
        labels.REMOTE_CLUSTER_ID: face.provider,
        labels.STORAGE_AVAILABLE: "true" if wanted.spec.storage_classes else "false",
    }


def notes(face: Face, wanted: VirtualNode) -> dict[str, str]:
    return {**face.extra_annotations, **wanted.spec.annotations, **taints.note(wanted)}


def status(face: Face, wanted: VirtualNode, conditions: list[Condition]) -> JSON:
    offered = _offered(wanted)
    marked = marks(face, wanted)
    return {
        "addresses": [{"type": "InternalIP", "address": face.address}],
        "allocatable": offered,
        "capacity": offered,
        "conditions": conditions,
        "daemonEndpoints": {"kubeletEndpoint": {"Port": face.port}},
        "images": list(wanted.spec.images),
        "nodeInfo": {
            "architecture": marked[ARCHITECTURE],
            "bootID": "",
            "containerRuntimeVersion": "",
            "kernelVersion": "",
            "kubeProxyVersion": "",
            "kubeletVersion": face.version,
            "machineID": "",
            "operatingSystem": marked[OPERATING_SYSTEM],
            "osImage": "",
            "systemUUID": "",
        },
    }


def conditions(
    wanted: VirtualNode, health: Health, network: Network, now: datetime, old: list[Condition]
) -> list[Condition]:
    """As of now; what says what it said before keeps the time since when it does."""
    before = {each["type"]: each for each in old}
    heard = timestamp(now)
    made = []
    for kind, holds, reason, message in _claims(wanted, health, network):
        state = "True" if holds else "False"
        last = before.get(kind, {})
        same = last.get("status") == state
        since = last.get("lastTransitionTime") if same else None
        made.append(
            Condition(
                type=kind,
                status=state,
                reason=reason,
                message=message,
                lastHeartbeatTime=heard,
                lastTransitionTime=since or heard,
            )
        )
    return made


def _claims(
    wanted: VirtualNode, health: Health, network: Network
) -> Iterator[tuple[str, bool, str, str]]:
    enough = is_offering(wanted)
    yield _ready(enough, health, network)
    offer = OFFERED if enough else NOTHING_OFFERED
    short = (
        ("Memory", "SufficientMemory"),
        ("Disk", "NoDiskPressure"),
        ("PID", "NoPIDPressure"),
    )
    for what, fine in short:
        reason = f"RemoteClusterHas{fine}" if enough else f"RemoteClusterHas{what}Pressure"
        yield f"{what}Pressure", not enough, reason, offer
    if network.shown:
        down = ("LiqoNetworkingDown", "The Liqo cluster interconnection is down")
        up = ("LiqoNetworkingUp", "The Liqo cluster interconnection is established")
        yield "NetworkUnavailable", not network.is_ready, *(up if network.is_ready else down)


def _ready(enough: bool, health: Health, network: Network) -> tuple[str, bool, str, str]:
    """The first reason why not, in words that say where to look."""
    if health.is_lost:
        return "Ready", False, "RemoteClusterUnreachable", health.sentence
    if not (enough and network.is_ready):
        return "Ready", False, "KubeletNotReady", "The Liqo Virtual Kubelet is currently not ready"
    return "Ready", True, "KubeletReady", "The Liqo Virtual Kubelet is posting ready status"


def _offered(wanted: VirtualNode) -> dict[str, str]:
    """As Kubernetes writes it: a Node that is read with other words than it was told is told anew
    every time."""
    counted = amounts.counted(wanted.spec.resource_quota.hard)
    return {name: str(quantity.parse(amount)) for name, amount in counted.items()}


def is_offering(wanted: VirtualNode) -> bool:
    hard = wanted.spec.resource_quota.hard
    return all(amounts.readable(hard.get(key, "0")) for key in ("cpu", "memory"))
