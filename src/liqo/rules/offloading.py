"""Which namespaces can be offloaded, and what they are called on their providers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import chain

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


def desired(
    selecting: Iterable[NamespaceOffloading], known: NamespaceMap, consumer_id: str
) -> dict[str, str]:
    """The namespaces that go to one provider, with their names there.

    its name there            | so it
    --------------------------+----------------------------------------------------
    cannot be                 | stays
    is another's, see `rival` | stays, however old it is
    is its own, or nobody's   | goes; of several that could, the oldest, then by name
    """
    going: dict[str, str] = {}  # by the name there
    for wanted in sorted(selecting, key=_age):
        namespace, name = wanted.metadata.namespace, remote_name(wanted, consumer_id)
        if not check_name(wanted, consumer_id) and not rival(known, namespace, name):
            going.setdefault(name, namespace)
    return {namespace: name for name, namespace in going.items()}


def rival(known: NamespaceMap, namespace: str, name: str) -> str:
    """Which other namespace has that name there; empty: none, or it is this one's.

    Who came first keeps it, until nothing of it is left there: who came next would find the rest.

    asked for by | there for               | so it is of
    -------------+-------------------------+-----------------------------
    this one     | any                     | this one
    another      | any                     | that one
    nobody       | another                 | that one, until it is gone
    nobody       | this one alone, or none | nobody
    """
    asked, current = known.spec.desired_mapping, known.status.current_mapping
    if asked.get(namespace) == name:
        return ""
    asking = (local for local, remote in asked.items() if remote == name)
    there = (
        local
        for local, entry in current.items()
        if entry.remote_namespace == name and entry.phase in ("Accepted", "Terminating")
    )
    return next((other for other in chain(asking, there) if other != namespace), "")


def taken(by: str, name: str) -> str:
    return f"the namespace {quoted(by)} is called {quoted(name)} there already"


def quoted(name: str) -> str:
    """In a sentence: of what is too long for a namespace, which others may write, the beginning."""
    return f'"{name}"' if len(name) <= names.LABEL else f'"{name[: names.LABEL]}…"'


def stay_at_home(known: NamespaceMap) -> frozenset[str]:
    """Namespaces that are shared with a provider, but for their pods."""
    told = known.metadata.annotations.get(labels.PODS_STAY, "")
    return frozenset(filter(None, told.split(",")))


def _age(wanted: NamespaceOffloading) -> tuple[str, str]:
    return wanted.metadata.creation_timestamp or "", wanted.metadata.namespace
