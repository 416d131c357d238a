"""What a NamespaceOffloading says, in a sentence for people: where it fails, and what to do."""

from __future__ import annotations

from collections.abc import Iterator

from liqo.api.offloading import NamespaceOffloading
from liqo.rules.conditions import find
from liqo.rules.extent import READY

NO_CLUSTER = "Offloading completed, but no cluster was selected"


def why_nowhere(found: NamespaceOffloading) -> str:
    known = ", ".join(f'"{each}"' for each in sorted(found.status.remote_namespaces_conditions))
    if not known:
        return "there is no cluster to select; borrow from one first, with: liqoctl peer"
    return (
        f"the labels of no virtual node match, of {known}; see: "
        "kubectl get nodes -l liqo.io/type=virtual-node --show-labels"
    )


def failure(found: NamespaceOffloading) -> str:
    """What is told of one that is in the state of having failed."""
    namespace = found.metadata.namespace
    return (
        f'the offloading is in "{found.status.offloading_phase}" state: '
        f'namespace "{namespace}": {where_it_stands(found)}; where a name is taken, take it back '
        f"with: liqoctl unoffload namespace {namespace}, and offload it with another "
        "--namespace-mapping-strategy"
    )


def where_it_stands(found: NamespaceOffloading) -> str:
    """Of each cluster that is not ready, or not empty yet, what it says."""
    return "; ".join(_unready(found)) or "nobody has answered; see: liqoctl info"


def _unready(found: NamespaceOffloading) -> Iterator[str]:
    for cluster, said in sorted(found.status.remote_namespaces_conditions.items()):
        ready = find(said, READY)
        if ready is not None and ready.status != "True":
            yield f'cluster "{cluster}": {ready.message}'
