"""Which namespaces can be offloaded, and what they are called on their providers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from liqo.api import labels
from liqo.api.offloading import NamespaceMap, NamespaceOffloading, PodStrategy
from liqo.rules import names

NAME = "offloading"  # the only one that a NamespaceOffloading may have
PROBE = "offloading-probe"  # of this name there never is one: see webhooks/opening.py
RESERVED = "kube-"  # how the namespaces of Kubernetes itself begin


def remote_name(wanted: NamespaceOffloading, consumer_id: str) -> str:
    """What its namespace is called, on whichever provider."""
    namespace = wanted.metadata.namespace
    match wanted.spec.namespace_mapping_strategy:
        case "EnforceSameName":
            return namespace
        case "SelectedName":
            return wanted.spec.remote_namespace_name
        case _:
            return f"{namespace}-{consumer_id}"


def check_name(wanted: NamespaceOffloading, consumer_id: str) -> str:
    """Why there can be no namespace of that name, as a sentence; empty where there can."""
    name = remote_name(wanted, consumer_id)
    if wanted.spec.namespace_mapping_strategy == "SelectedName" and not name:
        return (
            "The RemoteNamespaceName value cannot be empty when using the SelectedName "
            "NamespaceMappingStrategy"
        )
    if wrong := names.check_namespace(name):
        return f"{wrong}; choose another with the SelectedName NamespaceMappingStrategy"
    return ""


def check_namespace(name: str, marks: Mapping[str, str], installation: str) -> str:
    """Why this namespace cannot be offloaded, as a sentence; empty where it can."""
    if name.startswith(RESERVED):
        return f'the namespace "{name}" belongs to Kubernetes, and cannot be offloaded'
    if name == installation:
        return f'Liqo itself runs in the namespace "{name}", which cannot be offloaded'
    if labels.TENANT_NAMESPACE in marks:  # whatever it says: pods there are not asked about
        return f'"{name}" is the namespace of a peering, and cannot be offloaded'
    return ""


def is_stricter(before: PodStrategy, after: PodStrategy) -> bool:
    """Pods may run where they are not to run any more."""
    return after not in (before, "LocalAndRemote")


def desired(selecting: Iterable[NamespaceOffloading], consumer_id: str) -> dict[str, str]:
    """The namespaces that go to one provider, with their names there.

    Of two that would be called the same, the older one goes.
    """
    going: dict[str, str] = {}  # by the name there
    for wanted in sorted(selecting, key=_age):
        if not check_name(wanted, consumer_id):
            going.setdefault(remote_name(wanted, consumer_id), wanted.metadata.namespace)
    return {namespace: name for name, namespace in going.items()}


def taken(by: str, name: str) -> str:
    return f'the namespace "{by}" is called "{name}" there already'


def stay_at_home(known: NamespaceMap) -> frozenset[str]:
    """Namespaces that are shared with a provider, but for their pods."""
    told = known.metadata.annotations.get(labels.PODS_STAY, "")
    return frozenset(filter(None, told.split(",")))


def _age(wanted: NamespaceOffloading) -> tuple[str, str]:
    return wanted.metadata.creation_timestamp or "", wanted.metadata.namespace
