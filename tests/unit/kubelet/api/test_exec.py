"""A command, on its way to a container."""

from __future__ import annotations

from liqo.api.meta import Key
from liqo.kubelet.api.exec import path

TWIN = Key("shop-rome", "web")


def test_a_command_arrives_word_by_word() -> None:
    query = "command=sh&command=-c&command=a%20%26%20b&command=&output=1&error=1"
    assert path(TWIN, "web", query) == (
        "/api/v1/namespaces/shop-rome/pods/web/exec?container=web&stdout=true&stderr=true"
        "&command=sh&command=-c&command=a+%26+b&command="
    )


def test_nothing_else_of_a_query_arrives() -> None:
    assert "secret" not in path(TWIN, "web", "output=1&secret=1&container=other")
