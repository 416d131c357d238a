"""What a virtual node looks like: labels and status, made of what its provider offers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import TypeAlias

from liqo.api import labels
from liqo.api.kubernetes import Condition
from liqo.api.meta import JSON
from liqo.api.offloading import VirtualNode
from liqo.kubelet.node import taints
from liqo.kubelet.node.health import Health
from liqo.rules import amounts, quantity
from liqo.rules.selectors import is_key, is_value
from liqo.runtime.clock import timestamp

ARCHITECTURE, OPERATING_SYSTEM = "kubernetes.io/arch", "kubernetes.io/os"
# Conditions that are ours to say, and to take back.
OURS = frozenset({"Ready", "MemoryPressure", "DiskPressure", "PIDPressure", "NetworkUnavailable"})
UNREACHABLE = "RemoteClusterUnreachable"
READY = "The Liqo Virtual Kubelet is posting ready status"
NOT_READY = "The Liqo Virtual Kubelet is currently not ready"
OFFERED = "The remote cluster is advertising sufficient resources"
NOTHING_OFFERED = "The remote cluster is advertising no/insufficient resources"
Claim: TypeAlias = tuple[str, str, str, str]
"""Of a condition: type, status, reason, message."""


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
    """Its labels: the provider's count for more than ours, but for those that say whose it is.

    What Kubernetes takes for no label is left out: it would refuse the whole Node for it.
    """
    asked = {**face.extra_labels, **wanted.spec.labels}
    given = {name: value for name, value in asked.items() if is_key(name) and is_value(value)}
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
    """Its annotations. Kubernetes takes capital letters anywhere in their keys."""
    asked = {**face.extra_annotations, **wanted.spec.annotations}
    given = {name: value for name, value in asked.items() if is_key(name.lower())}
    return {**given, **taints.note(wanted)}


def unfit(face: Face, wanted: VirtualNode) -> list[str]:
    """What was asked for and no Node can have, in words."""
    marked, noted = marks(face, wanted), notes(face, wanted)
    asked = {**face.extra_labels, **wanted.spec.labels}
    written = {**face.extra_annotations, **wanted.spec.annotations}
    return [
        *(f'the label "{name}={asked[name]}"' for name in sorted(asked.keys() - marked.keys())),
        *(f'the annotation "{name}"' for name in sorted(written.keys() - noted.keys())),
        *(f'the taint "{taint}"' for taint in taints.unfit(wanted)),
    ]


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
    for kind, state, reason, message in _claims(wanted, health, network, before.get("Ready")):
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
    wanted: VirtualNode, health: Health, network: Network, said: Condition | None
) -> Iterator[Claim]:
    enough = is_offering(wanted)
    yield _ready(enough and network.is_ready, health, said)
    offer = OFFERED if enough else NOTHING_OFFERED
    short = (
        ("Memory", "SufficientMemory"),
        ("Disk", "NoDiskPressure"),
        ("PID", "NoPIDPressure"),
    )
    for what, fine in short:
        reason = f"RemoteClusterHas{fine}" if enough else f"RemoteClusterHas{what}Pressure"
        yield f"{what}Pressure", _word(not enough), reason, offer
    if network.shown:
        down = ("LiqoNetworkingDown", "The Liqo cluster interconnection is down")
        up = ("LiqoNetworkingUp", "The Liqo cluster interconnection is established")
        yield "NetworkUnavailable", _word(not network.is_ready), *(up if network.is_ready else down)


def _ready(fine: bool, health: Health, said: Condition | None) -> Claim:
    """
    provider        | the Node said             | else | so it says
    ----------------+---------------------------+------+-----------------------------------------
    lost            | any                       | any  | not ready, in words that say where to look
    nobody can tell | that it was lost, or      | any  | the same as before: who has just begun
                    | nobody knew               |      | knows no better, and pods wait to leave
    any other       | any                       | bad  | not ready
    any other       | any                       | fine | ready
    """
    if health.is_lost:
        return "Ready", "False", UNREACHABLE, health.sentence
    if health.is_open and said is not None and _is_missed(said):
        return "Ready", said["status"], said.get("reason", ""), said.get("message", "")
    if not fine:
        return "Ready", "False", "KubeletNotReady", NOT_READY
    return "Ready", "True", "KubeletReady", READY


def _is_missed(said: Condition) -> bool:
    """The provider, as we said before; or our kubelet, as Kubernetes did."""
    return said["status"] == "Unknown" or said.get("reason") == UNREACHABLE


def _word(holds: bool) -> str:
    return "True" if holds else "False"


def _offered(wanted: VirtualNode) -> dict[str, str]:
    """As Kubernetes writes it: a Node that is read with other words than it was told is told anew
    every time."""
    counted = amounts.counted(wanted.spec.resource_quota.hard)
    return {name: str(quantity.parse(amount)) for name, amount in counted.items()}


def is_offering(wanted: VirtualNode) -> bool:
    hard = wanted.spec.resource_quota.hard
    return all(amounts.readable(hard.get(key, "0")) for key in ("cpu", "memory"))
