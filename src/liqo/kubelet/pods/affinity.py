"""Where the provider's scheduler may put a pod: what the virtual node and the pod's owner ask for.

The pod's own affinity was about nodes of this cluster, and has done its work.
"""

from __future__ import annotations

from collections.abc import Mapping

from liqo.api import labels
from liqo.api.meta import JSON
from liqo.api.offloading import OffloadingPatch

HOST = "kubernetes.io/hostname"
# Labels that pods of one workload do not share.
NOT_SHARED = frozenset(
    {"controller-revision-hash", "pod-template-hash", "statefulset.kubernetes.io/pod-name"}
)


def remote_affinity(
    local: JSON, annotations: Mapping[str, str], own: Mapping[str, str], patch: OffloadingPatch
) -> JSON:
    """`local` is the affinity at home, `own` the labels that its like share. Empty: none."""
    nodes = patch.affinity.node_affinity if patch.affinity is not None else {}
    apart = _apart(local, annotations, own)
    parts = {"nodeAffinity": nodes, "podAntiAffinity": apart}
    return {name: part for name, part in parts.items() if part}


def _apart(local: JSON, annotations: Mapping[str, str], own: Mapping[str, str]) -> JSON:
    match annotations.get(labels.ANTI_AFFINITY_PRESET):
        case "propagate":
            apart: JSON = local.get("podAntiAffinity", {})
            return apart
        case "soft":
            wish = {"weight": 1, "podAffinityTerm": _term(annotations, own)}
            return {"preferredDuringSchedulingIgnoredDuringExecution": [wish]}
        case "hard":
            return {"requiredDuringSchedulingIgnoredDuringExecution": [_term(annotations, own)]}
        case _:
            return {}


def _term(annotations: Mapping[str, str], own: Mapping[str, str]) -> JSON:
    chosen = annotations.get(labels.ANTI_AFFINITY_LABELS, "")
    keys = own.keys() & set(chosen.split(",")) if chosen else own.keys() - NOT_SHARED
    alike = {key: own[key] for key in own if key in keys}
    return {"topologyKey": HOST, "labelSelector": {"matchLabels": alike}}
