"""A command that lets another cluster in: what stands behind it, and how it is spelled.

The objects are those of docs/adr/0018-claims-and-tombstones.md.
"""

from __future__ import annotations

import os
import shlex
from base64 import b64encode
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from liqo.api import labels
from liqo.api.kubernetes import Role, RoleBinding, ServiceAccount
from liqo.api.meta import JSON, Key
from liqo.cli import apiserver
from liqo.cli.installation import Installation, find
from liqo.cli.objects import Stamp
from liqo.cli.writing import put
from liqo.errors import LiqoError
from liqo.kube.cluster import Cluster
from liqo.rules import claims, names
from liqo.runtime.clock import timestamp
from liqo.runtime.plan import Manifest

SHORTEST = 600.0  # seconds: an API server issues no shorter token


@dataclass(frozen=True)
class Terms:
    lifetime: float  # seconds
    consumer_id: str = ""  # who alone may use it
    url: str = ""  # where we are reached, if somebody said


@dataclass(frozen=True)
class Printed:
    command: str
    expires: str


async def invite(cluster: Cluster, namespace: str, terms: Terms) -> Printed:
    check(terms)
    home = await find(cluster, namespace, "--liqo-namespace")
    url = terms.url or await apiserver.url(cluster)
    if not url:
        raise LiqoError(
            f"{cluster.access.server} is good for this machine alone, and {cluster.name} shows no "
            "other address of its API server; say it with --auth-url"
        )
    account = Key(namespace, names.claim(os.urandom(4).hex()))
    end = timestamp(datetime.now(UTC) + timedelta(seconds=terms.lifetime))
    for made in objects(account, terms.consumer_id, end):
        await put(cluster, made, Stamp())
    token = await cluster.token(account, expiration_seconds=int(terms.lifetime))
    authority = cluster.access.authority.read().encode()
    return Printed(spelled(home, url, token.value, authority), token.expires)


def check(terms: Terms) -> None:
    if terms.lifetime < SHORTEST:
        raise LiqoError(
            f"--lifetime {terms.lifetime:g}s is too short: an API server issues no token for less "
            "than 10m"
        )
    if terms.consumer_id and (wrong := names.check_cluster_id(terms.consumer_id)):
        raise LiqoError(f"{wrong}; see --consumer-cluster-id")


def objects(account: Key, consumer: str, end: str) -> list[Manifest]:
    marks = {labels.PEERING_CLAIM: account.name}
    where: JSON = {"name": account.name, "namespace": account.namespace, "labels": marks}
    named = {**marks, labels.REMOTE_CLUSTER_ID: consumer} if consumer else marks
    about = {**where, "labels": named, "annotations": {labels.EXPIRES_AT: end}}
    rules = claims.rules(account.name, may_claim=True)
    return [
        Manifest(ServiceAccount.KIND, {"metadata": about}),
        Manifest(Role.KIND, {"metadata": where, "rules": rules}),
        Manifest(RoleBinding.KIND, claims.own_binding(account)),
    ]


def spelled(home: Installation, url: str, token: str, authority: bytes) -> str:
    words = ["liqoctl", "peer", "out-of-band", home.id, "--auth-url", url]
    words += ["--cluster-id", home.id, "--auth-token", token]
    if authority:
        words += ["--auth-ca", b64encode(authority).decode()]
    return shlex.join(words)
