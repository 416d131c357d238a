"""Whether a virtual node leaves."""

from __future__ import annotations

import pytest

from liqo.api.offloading import VirtualNode
from liqo.rules.departure import is_leaving
from tests.unit.consumer.kubelet.things import GONE, a_virtual_node


@pytest.mark.parametrize(
    ("node", "expected"),
    [
        (a_virtual_node(), False),
        (a_virtual_node(create_node=None), False),
        (a_virtual_node(create_node=False), True),
        (a_virtual_node(deletion_timestamp=GONE), True),
    ],
    ids=["stays", "says nothing", "wants no Node", "is deleted"],
)
def test_a_virtual_node_leaves(node: VirtualNode, expected: bool) -> None:
    assert is_leaving(node) is expected
