"""Which taints come, stay and go."""

from __future__ import annotations

import pytest

from liqo.api.kubernetes import Node
from liqo.api.meta import JSON
from liqo.kubelet.node.taints import TAINT, note, settled, unfit, wanted
from tests.unit.kubelet.node.things import a_node, a_virtual_node

GPU = {"key": "gpu", "value": "yes", "effect": "NoSchedule"}
LOST = {"key": "node.kubernetes.io/unreachable", "effect": "NoExecute", "timeAdded": "now"}
WITH_GPU = a_virtual_node(taints=(GPU,))


def test_what_kubernetes_would_refuse_the_whole_node_for_is_left_out() -> None:
    nowhere = {"key": "gpu", "effect": "Sometimes"}
    nameless = {"key": "a b", "value": "yes", "effect": "NoSchedule"}
    node = a_virtual_node(taints=(GPU, {**TAINT, "value": "false"}, nowhere, nameless, GPU))
    assert wanted(node) == [GPU, TAINT]
    assert unfit(node) == ["gpu:Sometimes", "a b:NoSchedule"]


def having(*taints: JSON, own: str = "") -> Node:
    annotations = {"offloading.liqo.io/taints": own} if own else {}
    return a_node(spec={"taints": list(taints)} if taints else {}, annotations=annotations)


def test_A22_every_virtual_node_has_the_taint_and_its_own() -> None:
    assert wanted(WITH_GPU) == [GPU, TAINT]
    assert TAINT == {
        "key": "virtual-node.liqo.io/not-allowed",
        "value": "true",
        "effect": "NoExecute",
    }


@pytest.mark.parametrize(
    ("node", "expected"),
    [
        pytest.param(having(GPU, TAINT), None, id="as it should be"),
        pytest.param(having(LOST, TAINT, GPU), None, id="in another order, beside others"),
        pytest.param(having(), [GPU, TAINT], id="none yet"),
        pytest.param(having(LOST), [LOST, GPU, TAINT], id="P-NODE1 somebody took them away"),
        pytest.param(
            having({**GPU, "value": "old"}, TAINT), [TAINT, GPU], id="P-NODE1 another value"
        ),
    ],
)
def test_what_is_wanted_is_there(node: Node, expected: list[JSON] | None) -> None:
    assert settled(node, WITH_GPU) == expected


def test_P_NODE1_one_that_is_wanted_no_more_goes_and_those_of_others_stay() -> None:
    [own] = note(WITH_GPU).values()
    assert own == "gpu:NoSchedule,virtual-node.liqo.io/not-allowed:NoExecute"
    plain = a_virtual_node()
    assert settled(having(GPU, TAINT, LOST, own=own), plain) == [TAINT, LOST]
    assert settled(having(GPU, TAINT, LOST), plain) is None, "nobody says that it is ours"
