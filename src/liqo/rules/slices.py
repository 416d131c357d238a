"""Virtual nodes of one slice: each shows all that was granted, together they get it once."""

from __future__ import annotations

from collections.abc import Iterable

from liqo.api import labels
from liqo.api.authentication import ResourceSlice
from liqo.api.offloading import VirtualNode
from liqo.rules import explanation, names
from liqo.rules.conditions import find


def slice_of(node: VirtualNode) -> str:
    """By its label. One that was made by hand has none, and the credential of its slice."""
    if marked := node.metadata.labels.get(labels.RESOURCE_SLICE_NAME):
        return marked
    credential = node.spec.kubeconfig_secret_ref
    return names.slice_of_kubeconfig(credential.name) if credential is not None else ""


def follows(node: VirtualNode) -> bool:
    """Whether it offers what its slice grants, always: what was made by hand is its owner's."""
    return bool(node.metadata.labels.get(labels.RESOURCE_SLICE_NAME))


def beside(node: VirtualNode, known: Iterable[VirtualNode]) -> list[str]:
    """Those that share what was granted."""
    mine = slice_of(node)
    return sorted(
        each.metadata.name
        for each in known
        if mine
        and each.key != node.key
        and each.metadata.namespace == node.metadata.namespace
        and slice_of(each) == mine
    )


def explained(granted: ResourceSlice) -> str:
    """What the provider says about its answer."""
    said = find(granted.status.conditions, "Resources")
    return said.message if said is not None else ""


def largest_pod(granted: ResourceSlice) -> dict[str, str]:
    """What fits on one node of the provider, if it tells: the sum of all of them is not enough.

    An annotation of the virtual node.
    """
    told = explanation.read(explained(granted))
    if told is None or not told.largest:
        return {}
    amounts = (f"{name}={amount}" for name, amount in sorted(told.largest.items()))
    return {labels.LARGEST_POD: ",".join(amounts)}
