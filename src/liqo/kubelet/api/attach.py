"""`/attach/{namespace}/{pod}/{container}`: the streams of what runs in a container already."""

from __future__ import annotations

from urllib.parse import urlencode

from liqo.api.kubernetes import Pod
from liqo.api.meta import Key
from liqo.kube.paths import instance
from liqo.kubelet.api.streams import translated


def path(twin: Key, container: str, query: str) -> str:
    """On the provider. ValueError where no stream is wanted."""
    wanted = [("container", container), *translated(query)]
    return f"{instance(Pod.KIND, twin, 'attach')}?{urlencode(wanted)}"
