"""What a namespace holds beside its pods, as manifests; and what of each can be changed by hand."""

from __future__ import annotations

from collections.abc import Mapping

from liqo.api.meta import JSON

PORT: JSON = {"name": "http", "port": 80, "targetPort": 8080, "protocol": "TCP"}
BACKEND: JSON = {"service": {"name": "web", "port": {"number": 80}}}
PATH: JSON = {"path": "/", "pathType": "Prefix", "backend": BACKEND}


def config_map(name: str = "settings", **data: str) -> JSON:
    return _object("v1", "ConfigMap", name, data=data or {"colour": "red"})


def secret(name: str = "password") -> JSON:
    return _object("v1", "Secret", name, type="Opaque", data={"word": "c2VzYW1l"})


def service(name: str = "web", **spec: object) -> JSON:
    return _object(
        "v1", "Service", name, spec={"selector": {"app": "web"}, "ports": [PORT], **spec}
    )


def ingress(name: str = "web", **spec: object) -> JSON:
    rules = [{"host": "shop.example.org", "http": {"paths": [PATH]}}]
    return _object("networking.k8s.io/v1", "Ingress", name, spec={"rules": rules, **spec})


def endpoint_slice(name: str = "outside") -> JSON:
    """Of something that is in no cluster."""
    made = _object("discovery.k8s.io/v1", "EndpointSlice", name, addressType="IPv4")
    marks = {"kubernetes.io/service-name": "outside"}
    endpoint = {"addresses": ["192.0.2.7"], "conditions": {"ready": True}}
    ports = [{"name": "http", "port": 80, "protocol": "TCP"}]
    return {
        **made,
        "metadata": {"name": name, "labels": marks},
        "endpoints": [endpoint],
        "ports": ports,
    }


# Each, as the provider has it: changes to its content, by a merge patch.
EDITS: Mapping[str, tuple[JSON, ...]] = {
    "configmap/settings": (
        {"data": {"colour": "blue"}},
        {"data": {"colour": None}},
        {"data": {"more": "of it"}},
        {"binaryData": {"more": "eA=="}},
    ),
    "secret/password": ({"data": {"word": "eA=="}}, {"data": {"more": "eA=="}}),
    "service/web": (
        {"spec": {"selector": {"app": "another"}}},
        {"spec": {"sessionAffinity": "ClientIP"}},
        {"spec": {"publishNotReadyAddresses": True}, "metadata": {"labels": {"kept": "not"}}},
    ),
    "ingress/web": (
        {"spec": {"rules": [{"host": "other.example.org", "http": {"paths": [PATH]}}]}},
        {"spec": {"rules": None, "defaultBackend": BACKEND}},
    ),
    "endpointslice/outside": ({"endpoints": []}, {"ports": []}),
    "shadowendpointslice/outside": (
        {"spec": {"template": {"endpoints": []}}},
        {"spec": {"template": {"ports": []}}},
    ),
}


def _object(version: str, kind: str, name: str, **content: object) -> JSON:
    return {"apiVersion": version, "kind": kind, "metadata": {"name": name}, **content}
