"""When a Node is ready: when it says so."""

import msgspec
import pytest

from liqo.api.kubernetes import Node
from liqo.rules.readiness import is_ready


def a_node(*conditions: dict[str, str]) -> Node:
    status = {"conditions": list(conditions)} if conditions else {}
    return Node(raw_status=msgspec.Raw(msgspec.json.encode(status)))


@pytest.mark.parametrize("status", ["False", "Unknown"])
def test_what_does_not_say_so_is_not(status: str) -> None:
    assert not is_ready(a_node({"type": "Ready", "status": status}))
    assert not is_ready(a_node({"type": "DiskPressure", "status": "True"}))
    assert not is_ready(a_node())


def test_what_says_so_is() -> None:
    assert is_ready(a_node({"type": "Ready", "status": "True"}))
