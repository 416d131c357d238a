"""How a program of ours runs in a cluster: a Deployment with as few rights as it can live with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from liqo.api.kubernetes import Deployment
from liqo.api.meta import JSON
from liqo.install.identity import CONFIG_MAP, KEY
from liqo.install.kinds import manifest
from liqo.install.marks import chosen, marks
from liqo.install.settings import Settings

HEALTH_PORT = 8081
NOBODY = 65532  # the user of the image


@dataclass(frozen=True)
class Program:
    name: str  # "webhook" is the Deployment `liqo-webhook` with the service account of that name
    module: str
    arguments: Sequence[str]
    requests: Mapping[str, str]
    replicas: int = 1
    ports: Mapping[str, int] = field(default_factory=dict)
    settling: int = 0  # seconds from ready to available


def deployment(settings: Settings, program: Program) -> JSON:
    name = f"liqo-{program.name}"
    begun = manifest(Deployment.KIND, name, marks(settings, program.name), settings.namespace)
    spec: JSON = {
        "replicas": program.replicas,
        "selector": {"matchLabels": chosen(program.name)},
        "template": {
            "metadata": {"labels": marks(settings, program.name)},
            "spec": pod(settings, program, name),
        },
    }
    if program.settling:
        spec["minReadySeconds"] = program.settling
    return {**begun, "spec": spec}


def pod(settings: Settings, program: Program, account: str) -> JSON:
    return {
        **({"topologySpreadConstraints": [apart(program)]} if program.replicas > 1 else {}),
        "serviceAccountName": account,
        "containers": [container(settings, program)],
        "securityContext": {
            "runAsNonRoot": True,
            "runAsUser": NOBODY,
            "runAsGroup": NOBODY,
            "seccompProfile": {"type": "RuntimeDefault"},
        },
        # OpenSSL takes keys from files only; here these are in memory, and never on a disk.
        "volumes": [{"name": "memory", "emptyDir": {"medium": "Memory", "sizeLimit": "1Mi"}}],
    }


def apart(program: Program) -> JSON:
    """On different nodes, where there are any: one that goes takes not all of them along."""
    return {
        "maxSkew": 1,
        "topologyKey": "kubernetes.io/hostname",
        "whenUnsatisfiable": "ScheduleAnyway",
        "labelSelector": {"matchLabels": chosen(program.name)},
    }


def container(settings: Settings, program: Program) -> JSON:
    reference = {"configMapKeyRef": {"name": CONFIG_MAP, "key": KEY}}
    ports = {"health": HEALTH_PORT, **program.ports}
    return {
        "name": program.name,
        "image": settings.image,
        "imagePullPolicy": settings["pullPolicy"],
        "command": ["python3", "-m", program.module],
        "args": [f"--cluster-id=$({KEY})", *program.arguments],
        "env": [
            {"name": KEY, "valueFrom": reference},
            # As which it stands for a lease, and where others of its kind reach it.
            {"name": "POD_NAME", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}},
            {"name": "POD_IP", "valueFrom": {"fieldRef": {"fieldPath": "status.podIP"}}},
        ],
        "ports": [
            {"name": name, "containerPort": number, "protocol": "TCP"}
            for name, number in ports.items()
        ],
        "resources": {"requests": dict(program.requests)},
        "volumeMounts": [{"name": "memory", "mountPath": "/tmp"}],
        "livenessProbe": probe("/healthz", 10, failures=6),
        "readinessProbe": probe("/readyz", 2, failures=3),
        "securityContext": {
            "allowPrivilegeEscalation": False,
            "capabilities": {"drop": ["ALL"]},
            "readOnlyRootFilesystem": True,
        },
        # Its last words are then in its status, where whoever waits for it can read them.
        "terminationMessagePolicy": "FallbackToLogsOnError",
    }


def probe(path: str, period: int, *, failures: int) -> JSON:
    return {
        "httpGet": {"path": path, "port": "health"},
        "periodSeconds": period,
        "timeoutSeconds": 5,
        "failureThreshold": failures,
    }
