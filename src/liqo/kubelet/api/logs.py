"""`/containerLogs/{namespace}/{pod}/{container}`: what a container has said."""

from __future__ import annotations

from urllib.parse import parse_qsl, urlencode

from liqo.api.kubernetes import Pod
from liqo.api.meta import Key
from liqo.kube.paths import instance

# Both ends have the same words for it; the provider says what is wrong with their values.
PASSED = frozenset(
    {
        "follow",
        "limitBytes",
        "previous",
        "sinceSeconds",
        "sinceTime",
        "stream",
        "tailLines",
        "timestamps",
    }
)

FOLLOWING = ("follow", "true")


def path(twin: Key, container: str, query: str) -> str:
    """On the provider."""
    wanted = [(name, value) for name, value in parse_qsl(query) if name in PASSED]
    return f"{instance(Pod.KIND, twin, 'log')}?{urlencode([('container', container), *wanted])}"


def follows(query: str) -> bool:
    return FOLLOWING in parse_qsl(query)
