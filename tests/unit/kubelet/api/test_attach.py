"""The streams of what runs already."""

from __future__ import annotations

from liqo.api.meta import Key
from liqo.kubelet.api.attach import path


def test_a_command_is_no_part_of_it() -> None:
    found = path(Key("shop-rome", "web"), "web", "input=1&output=1&tty=1&command=sh")
    start = "/api/v1/namespaces/shop-rome/pods/web/attach"
    assert found == f"{start}?container=web&stdin=true&stdout=true&tty=true"
