"""Answers of a cluster that is peered: lists and objects, as an API server sends them."""

from __future__ import annotations

from base64 import b64encode

from msgspec import to_builtins

from liqo.api.authentication import ResourceSlice
from liqo.api.meta import JSON, Resource
from tests.unit.kube.scripted import Answer, a_list, says


def things(*found: Resource | JSON) -> Answer:
    return a_list(
        *(each if isinstance(each, dict) else to_builtins(each) for each in found), version="7"
    )


def thing(found: Resource | JSON) -> Answer:
    return says(found if isinstance(found, dict) else to_builtins(found))


def a_home(peer: str, name: str = "") -> JSON:
    """A tenant namespace."""
    marks = {"liqo.io/tenant-namespace": "true", "liqo.io/remote-cluster-id": peer}
    return {"metadata": {"name": name or f"liqo-tenant-{peer}", "labels": marks}}


def a_secret(namespace: str, name: str, labels: dict[str, str], **content: bytes) -> JSON:
    encoded = {key: b64encode(value).decode() for key, value in content.items()}
    return {"metadata": {"name": name, "namespace": namespace, "labels": labels}, "data": encoded}


def an_installation(cluster_id: str) -> JSON:
    return {"metadata": {"name": "id", "namespace": "liqo"}, "data": {"CLUSTER_ID": cluster_id}}


def a_slice(name: str = "mypool", **status: object) -> JSON:
    labels = {"liqo.io/remote-cluster-id": "milan", "liqo.io/replication": "true"}
    metadata = {
        "name": name,
        "namespace": "liqo-tenant-milan",
        "labels": labels,
        "resourceVersion": "3",
    }
    kind = ResourceSlice.KIND
    return {
        "apiVersion": kind.api_version,
        "kind": kind.name,
        "metadata": metadata,
        "spec": {"class": "default", "providerClusterID": "milan"},
        "status": status,
    }


def answer(question: str, status: str, reason: str = "", message: str = "") -> JSON:
    return {"type": question, "status": status, "reason": reason, "message": message}
