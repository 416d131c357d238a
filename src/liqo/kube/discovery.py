"""What an API server serves: its version, and the kinds of a group."""

from __future__ import annotations

import msgspec

from liqo.api.meta import Kind
from liqo.kube.cluster import Cluster
from liqo.kube.errors import NotFound, ServerFault
from liqo.kube.http import Request


class _Version(msgspec.Struct, rename="camel"):
    git_version: str
    platform: str = ""  # such as "linux/amd64"


class _Served(msgspec.Struct):
    name: str  # the plural; with a slash for a subresource
    kind: str
    namespaced: bool


class _Group(msgspec.Struct):
    resources: list[_Served]


async def version(cluster: Cluster) -> str:
    """Such as "v1.35.4"."""
    return (await _version(cluster)).git_version


async def platform(cluster: Cluster) -> tuple[str, str]:
    """What its API server runs on: operating system and architecture."""
    system, _, architecture = (await _version(cluster)).platform.partition("/")
    return system or "linux", architecture or "amd64"


async def _version(cluster: Cluster) -> _Version:
    body = await cluster.request(Request("GET", "/version"))
    try:
        return msgspec.json.decode(body, type=_Version)
    except msgspec.DecodeError as wrong:
        raise ServerFault(f"{cluster.name}: /version is not that of Kubernetes") from wrong


async def kinds(cluster: Cluster, group: str, version: str) -> list[Kind]:
    """The kinds of one version of a group; none when it is not served."""
    path = f"/apis/{group}/{version}" if group else f"/api/{version}"
    try:
        body = await cluster.request(Request("GET", path))
    except NotFound:
        return []
    try:
        served = msgspec.json.decode(body, type=_Group).resources
    except msgspec.DecodeError as wrong:
        raise ServerFault(f"{cluster.name}: {path} is not a list of resources") from wrong
    return [
        Kind(group, version, each.kind, each.name, each.namespaced)
        for each in served
        if "/" not in each.name
    ]


async def serves(cluster: Cluster, kind: Kind) -> bool:
    return kind in await kinds(cluster, kind.group, kind.version)
