"""Which lines of a log one wants."""

from __future__ import annotations

from liqo.api.meta import Key
from liqo.kubelet.api.logs import follows, path

START = "/api/v1/namespaces/shop-rome/pods/web/log?container=web"


def test_every_choice_of_kubectl_passes() -> None:
    query = (
        "follow=true&limitBytes=9&previous=true&sinceSeconds=1&stream=All&tailLines=3"
        "&timestamps=true&sinceTime=2026-11-16T04%3A00%3A00Z"
    )
    assert path(Key("shop-rome", "web"), "web", query) == f"{START}&{query}"


def test_nothing_else_passes() -> None:
    query = "container=other&insecureSkipTLSVerifyBackend=true"
    assert path(Key("shop-rome", "web"), "web", query) == START


def test_one_that_is_followed_may_be_silent() -> None:
    assert follows("tailLines=1&follow=true")
    assert not follows("follow=false")
    assert not follows("")
