"""How a namespace is to be extended, as the flags say, and the object that says so to Liqo."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from liqo.api.meta import JSON, Meta
from liqo.api.offloading import (
    MappingStrategy,
    NamespaceOffloading,
    NamespaceOffloadingSpec,
    PodStrategy,
)
from liqo.cli.objects import Stamp, body
from liqo.errors import LiqoError
from liqo.rules import labelselectors, offloading
from liqo.rules.selectors import Term
from liqo.runtime.plan import Manifest


@dataclass(frozen=True)
class Policy:
    pods: PodStrategy = "LocalAndRemote"
    mapping: MappingStrategy = "DefaultName"
    remote_name: str = ""
    terms: tuple[Term, ...] = ()  # of these clusters one must hold; without any, all are meant


def policy(said: Mapping[str, Any]) -> Policy:
    terms = tuple(map(labelselectors.term, said["selectors"]))
    wanted = Policy(said["pods"], said["mapping"], said["remote_name"], terms)
    if wanted.mapping == "SelectedName" and not wanted.remote_name:
        raise LiqoError(
            "the strategy SelectedName needs a name: say it with --remote-namespace-name"
        )
    if wanted.remote_name and wanted.mapping != "SelectedName":
        raise LiqoError(
            f'--remote-namespace-name "{wanted.remote_name}" means nothing with the strategy '
            f"{wanted.mapping}; add --namespace-mapping-strategy SelectedName"
        )
    return wanted


def one_name_each(wanted: Policy, namespaces: Sequence[str]) -> None:
    """Refused before any of them is extended."""
    if wanted.mapping == "SelectedName" and len(namespaces) > 1:
        several = ", ".join(f'"{name}"' for name in namespaces)
        raise LiqoError(
            f'the namespaces {several} cannot all be called "{wanted.remote_name}" there; offload '
            "them one by one, or with another --namespace-mapping-strategy"
        )


def asked(namespace: str, wanted: Policy) -> NamespaceOffloading:
    """As our own rules read it."""
    return NamespaceOffloading(
        metadata=Meta(name=offloading.NAME, namespace=namespace),
        spec=NamespaceOffloadingSpec(
            namespace_mapping_strategy=wanted.mapping,
            remote_namespace_name=wanted.remote_name,
            pod_offloading_strategy=wanted.pods,
            cluster_selector={"nodeSelectorTerms": list(wanted.terms)},
        ),
    )


def manifest(namespace: str, wanted: Policy) -> Manifest:
    """Every field is said: offloading again takes back what was said before."""
    spec: JSON = {
        "clusterSelector": {"nodeSelectorTerms": list(wanted.terms)},
        "namespaceMappingStrategy": wanted.mapping,
        "podOffloadingStrategy": wanted.pods,
    }
    if wanted.remote_name:
        spec["remoteNamespaceName"] = wanted.remote_name
    metadata = {"name": offloading.NAME, "namespace": namespace}
    return Manifest(NamespaceOffloading.KIND, {"metadata": metadata, "spec": spec})


def printed(namespace: str, wanted: Policy, stamp: Stamp) -> JSON:
    return {**stamp.on(body(manifest(namespace, wanted))), "status": {}}
