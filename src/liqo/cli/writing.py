"""How liqoctl writes: apply, or what comes nearest for a user who may only create and update."""

from __future__ import annotations

import json

from liqo.api.meta import JSON, Key, Kind, Resource
from liqo.cli.objects import Stamp, body
from liqo.errors import LiqoError
from liqo.kube.cluster import Cluster
from liqo.kube.errors import Conflict, Forbidden, NotFound
from liqo.kube.http import Request
from liqo.kube.paths import instance
from liqo.runtime.plan import Manifest

WRITER = "liqoctl"


class StillLeaving(LiqoError):  # noqa: N818 - named after what happened
    """What was written is on its way out."""


async def put(cluster: Cluster, thing: Resource | Manifest, stamp: Stamp) -> JSON:
    """Make it so; fields that others wrote stay."""
    kind = thing.kind if isinstance(thing, Manifest) else thing.KIND
    wanted = stamp.on(body(thing))
    key = Key(wanted["metadata"].get("namespace", ""), wanted["metadata"]["name"])
    try:
        made = await cluster.apply(wanted, kind=kind, key=key, manager=WRITER)
    except Forbidden:
        made = await _create_or_update(cluster, kind, key, wanted)
    if made["metadata"].get("deletionTimestamp"):
        raise StillLeaving(
            f'the {kind.name} "{key}" of {cluster.name} is being deleted; try again when it is gone'
        )
    return made


async def remove(cluster: Cluster, kind: Kind, key: Key) -> bool:
    """Ask for its end; False if there is none."""
    try:
        await cluster.delete(kind, key)
    except NotFound:
        return False
    return True


async def _create_or_update(cluster: Cluster, kind: Kind, key: Key, wanted: JSON) -> JSON:
    """A peering user has no `patch`."""
    try:
        return await cluster.create(wanted, kind=kind, namespace=key.namespace, manager=WRITER)
    except Conflict as taken:
        if taken.reason != "AlreadyExists":
            raise
    current: JSON = json.loads(await cluster.request(Request("GET", instance(kind, key))))
    whole = overlay(current, wanted)
    if whole == current:
        return current  # nor `update` of Secrets
    return await cluster.replace(whole, kind=kind, key=key)


def overlay(current: JSON, wanted: JSON) -> JSON:
    """What is wanted over what is there, map by map."""
    merged = dict(current)
    for name, value in wanted.items():
        there = current.get(name)
        maps = isinstance(value, dict) and isinstance(there, dict)
        merged[name] = overlay(there or {}, value) if maps else value
    return merged
