"""`/exec/{namespace}/{pod}/{container}`: run a command in a container."""

from __future__ import annotations

from urllib.parse import parse_qsl, urlencode

from liqo.api.kubernetes import Pod
from liqo.api.meta import Key
from liqo.kube.paths import instance
from liqo.kubelet.api.streams import translated


def path(twin: Key, container: str, query: str) -> str:
    """On the provider. ValueError where no stream is wanted."""
    command = [("command", word) for name, word in _pairs(query) if name == "command"]
    wanted = [("container", container), *translated(query), *command]
    return f"{instance(Pod.KIND, twin, 'exec')}?{urlencode(wanted)}"


def _pairs(query: str) -> list[tuple[str, str]]:
    """An empty word is a word of a command, too."""
    return parse_qsl(query, keep_blank_values=True)
