"""Together, apart, and on which nodes: as the provider's scheduler is told."""

from __future__ import annotations

import pytest

from liqo.api import labels
from liqo.api.meta import JSON
from liqo.api.offloading import Affinity, OffloadingPatch
from liqo.kubelet.pods.affinity import HOST, remote_affinity

NODES: JSON = {"preferredDuringSchedulingIgnoredDuringExecution": [{"weight": 1}]}
PATCH = OffloadingPatch(affinity=Affinity(node_affinity=NODES))
APART: JSON = {"requiredDuringSchedulingIgnoredDuringExecution": [{"topologyKey": "zone"}]}
LOCAL: JSON = {"nodeAffinity": {"of": "home"}, "podAffinity": {}, "podAntiAffinity": APART}
OWN = {"app": "web", "pod-template-hash": "5d4f", labels.NODE_NAME: "milan"}


def preset(word: str, **more: str) -> JSON:
    annotations = {labels.ANTI_AFFINITY_PRESET: word, **more}
    return remote_affinity(LOCAL, annotations, OWN, OffloadingPatch())


def term(**alike: str) -> JSON:
    return {"topologyKey": HOST, "labelSelector": {"matchLabels": alike}}


def test_the_affinity_at_home_stays_there() -> None:
    assert remote_affinity(LOCAL, {}, OWN, OffloadingPatch()) == {}
    assert remote_affinity(LOCAL, {}, OWN, PATCH) == {"nodeAffinity": NODES}


def test_presets_keep_pods_of_one_workload_apart() -> None:
    alike = term(**{"app": "web", labels.NODE_NAME: "milan"})
    soft = {
        "preferredDuringSchedulingIgnoredDuringExecution": [{"weight": 1, "podAffinityTerm": alike}]
    }
    hard = {"requiredDuringSchedulingIgnoredDuringExecution": [alike]}
    assert preset("soft") == {"podAntiAffinity": soft}
    assert preset("hard") == {"podAntiAffinity": hard}
    assert preset("propagate") == {"podAntiAffinity": APART}
    assert preset("harder") == {}


def test_a_user_may_choose_the_labels() -> None:
    chosen = {labels.ANTI_AFFINITY_LABELS: "app,pod-template-hash,unknown"}
    hard = {
        "requiredDuringSchedulingIgnoredDuringExecution": [
            term(**{"app": "web", "pod-template-hash": "5d4f"})
        ]
    }
    assert preset("hard", **chosen) == {"podAntiAffinity": hard}


def test_nothing_to_propagate_is_nothing() -> None:
    annotations = {labels.ANTI_AFFINITY_PRESET: "propagate"}
    assert remote_affinity({}, annotations, OWN, OffloadingPatch()) == {}


@pytest.mark.parametrize("word", ["soft", "hard", "propagate"])
def test_P_FORGE1_a_preset_leaves_the_nodes_of_the_virtual_node_alone(word: str) -> None:
    forged = remote_affinity(LOCAL, {labels.ANTI_AFFINITY_PRESET: word}, OWN, PATCH)
    assert forged["nodeAffinity"] == NODES
    assert "podAntiAffinity" in forged
