"""Which right a request to a kubelet needs: the table of a real one."""

from __future__ import annotations

import pytest

from liqo.kubelet.api.head import target
from liqo.kubelet.api.permission import Permission, needed


@pytest.mark.parametrize(
    ("method", "path", "verb", "subresources"),
    [
        ("GET", "/stats/summary", "get", ("stats",)),
        ("GET", "/stats", "get", ("stats",)),
        ("GET", "/statsfoo", "get", ("proxy",)),
        ("GET", "/metrics", "get", ("metrics",)),
        ("GET", "/metrics/resource", "get", ("metrics",)),
        ("GET", "/logs/syslog", "get", ("log",)),
        ("POST", "/checkpoint/shop/web/web", "create", ("checkpoint",)),
        ("GET", "/statusz", "get", ("statusz",)),
        ("GET", "/flagz", "get", ("configz",)),
        ("GET", "/pods", "get", ("pods", "proxy")),
        ("GET", "/runningpods/", "get", ("pods", "proxy")),
        ("GET", "/healthz", "get", ("healthz", "proxy")),
        ("GET", "/configz", "get", ("configz", "proxy")),
        ("GET", "/containerLogs/shop/web/web", "get", ("proxy",)),
        ("POST", "/exec/shop/web/web", "create", ("proxy",)),
        ("PUT", "/anything", "update", ("proxy",)),
        ("PATCH", "/anything", "patch", ("proxy",)),
        ("DELETE", "/anything", "delete", ("proxy",)),
        ("TRACE", "/anything", "", ("proxy",)),
        ("GET", "/", "get", ("proxy",)),
    ],
)
def test_each_path_has_its_right(
    method: str, path: str, verb: str, subresources: tuple[str, ...]
) -> None:
    assert needed(method, target(path)) == Permission(verb, subresources)


@pytest.mark.parametrize("path", ["/exec/a/b/c", "/attach/a/b/c", "/portForward/a/b", "/run/a/b/c"])
def test_who_may_only_read_does_not_enter_pods_by_a_get(path: str) -> None:
    assert needed("GET", target(path)) == Permission("create", ("proxy",))


def test_no_detour_makes_a_path_another_one() -> None:
    assert needed("GET", target("/stats/../exec/a/b/c")).subresources == ("stats",)
    assert needed("GET", target("//exec/a/b/c")).verb == "create"
