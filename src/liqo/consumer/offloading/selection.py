"""Which providers a NamespaceOffloading selects, as far as our copies tell.

A cluster is selected if one of its virtual nodes is. One that is not selected any more loses its
twin with all that is in it. So our own objects are known by other things than their labels, which
anybody may take away for a moment; what a VirtualNode says counts for more than what its Node
shows; and while a Node is missing, nobody loses anything.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from liqo.api import labels
from liqo.api.kubernetes import Node
from liqo.api.meta import Key, Resource
from liqo.api.offloading import NamespaceMap, NamespaceOffloading, VirtualNode
from liqo.consumer.home import Home
from liqo.kube.cache import Caches
from liqo.kube.reading import Metadata
from liqo.rules import offloading, selectors, tenancy
from liqo.rules.placement import VIRTUAL
from liqo.rules.selectors import Candidate
from liqo.runtime.sights import VIRTUAL_NODES


@dataclass(frozen=True)
class Nodes:
    """The virtual nodes of one provider."""

    shown: tuple[Candidate, ...]
    incomplete: bool = False  # a Node is missing, and with it labels that only its kubelet knows


def own_maps(here: Caches) -> list[NamespaceMap]:
    """One for each provider, beside its virtual nodes; those of consumers are copies."""
    return [each for each in here.of(NamespaceMap) if is_own(here, each)]


def is_own(here: Caches, known: NamespaceMap) -> bool:
    beside = (Key(each.metadata.namespace, each.spec.cluster_id) for each in here.of(VirtualNode))
    return not tenancy.is_copy(known) and known.key in beside


def provider_of(known: NamespaceMap) -> str:
    return known.metadata.name


def nodes_of(here: Caches, provider: str) -> Nodes:
    nodes = here.of(Node, VIRTUAL_NODES)
    pairs = [
        (each, nodes.get(Key("", each.metadata.name)))
        for each in here.of(VirtualNode)
        if each.spec.cluster_id == provider
    ]
    missing = (each for each, node in pairs if node is None)
    return Nodes(
        tuple(candidate(each, node) for each, node in pairs),
        incomplete=any(each.spec.create_node is not False for each in missing),
    )


def candidate(wanted: VirtualNode, node: Node | None) -> Candidate:
    name = wanted.metadata.name
    usual = {
        labels.TYPE: VIRTUAL,
        labels.HOSTNAME: name,
        labels.REMOTE_CLUSTER_ID: wanted.spec.cluster_id,
        labels.STORAGE_AVAILABLE: str(bool(wanted.spec.storage_classes)).lower(),
    }
    shown = node.metadata.labels if node is not None else {}
    return Candidate(name, {**usual, **shown, **wanted.spec.labels})


def selects(wanted: NamespaceOffloading, known: NamespaceMap, nodes: Nodes) -> bool:
    """Whether its namespace should be there. From what cannot be known, nothing follows."""
    if wanted.metadata.deletion_timestamp is not None:
        return False
    selector = wanted.spec.cluster_selector
    is_asked = wanted.metadata.namespace in known.spec.desired_mapping
    if selectors.problem(selector):
        return is_asked
    is_chosen = any(selectors.chooses(selector, node) for node in nodes.shown)
    return is_chosen or (is_asked and nodes.incomplete)


def choosy(here: Caches) -> list[NamespaceOffloading]:
    """Those to whom the labels of a node matter."""
    return [
        each
        for each in here.of(NamespaceOffloading)
        if selectors.terms_of(each.spec.cluster_selector)
    ]


def objection(wanted: NamespaceOffloading, namespace: Metadata | None, home: Home) -> str:
    """Why nothing is done for it: the webhook refuses such a one, unless it was not there.

    What is offloaded stays so, whatever labels its namespace is given: its twins have content.
    """
    if wanted.metadata.name != offloading.NAME:
        return f"NamespaceOffloading name must match {offloading.NAME}"
    is_held = labels.NAMESPACE_OFFLOADING_FINALIZER in wanted.metadata.finalizers
    marks = namespace.metadata.labels if namespace is not None and not is_held else {}
    return offloading.check_namespace(wanted.metadata.namespace, marks, home.namespace)


def its_namespace(wanted: Resource) -> Iterable[Key]:
    return (Key("", wanted.metadata.namespace),)


def its_key(namespace: Resource) -> Iterable[Key]:
    """The NamespaceOffloading of a namespace, be there one or not."""
    return (Key(namespace.metadata.name, offloading.NAME),)
