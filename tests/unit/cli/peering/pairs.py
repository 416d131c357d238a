"""Rome, which borrows, and milan, which lends: each a server that answers what a test says."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass

from liqo.api.meta import JSON
from liqo.cli.call import Deadline
from liqo.cli.output import Output, Scope
from liqo.cli.peering.sides import Loan, Pair, Side
from liqo.kube.access import Access
from liqo.kube.cluster import Cluster
from tests.unit.kube.scripted import Answer, Asked, Scripted, scripted

HERE, THERE = "liqo-tenant-milan", "liqo-tenant-rome"


@dataclass(frozen=True)
class Scene:
    pair: Pair
    rome: Scripted
    milan: Scripted

    @property
    def loan(self) -> Loan:
        return self.pair.loan


def side(cluster: Cluster, name: str, scope: Scope) -> Side:
    return Side(cluster, name, "liqo", Output(scope))


def nowhere(name: str, scope: Scope) -> Side:
    """A side that nobody asks anything of."""
    return side(Cluster(Access("https://nowhere"), name=f"the {scope} cluster"), name, scope)


@asynccontextmanager
async def scene(rome: Sequence[Answer] = (), milan: Sequence[Answer] = ()) -> AsyncIterator[Scene]:
    async with (
        scripted(*rome) as here,
        scripted(*milan) as there,
        Cluster(here.access, name="the local cluster") as local,
        Cluster(there.access, name="the remote cluster") as remote,
    ):
        consumer, provider = side(local, "rome", "local"), side(remote, "milan", "remote")
        yield Scene(Pair(consumer, provider, Deadline(10)), here, there)


def an_object(name: str, namespace: str = "", **parts: object) -> JSON:
    metadata = {"name": name, "namespace": namespace, "uid": f"uid-of-{name}"}
    more = parts.pop("metadata", {})
    assert isinstance(more, dict)
    return {"metadata": {**metadata, "resourceVersion": "1", **more}, **parts}


def encoded(content: Mapping[str, bytes]) -> dict[str, str]:
    return {name: b64encode(value).decode() for name, value in content.items()}


def methods(asked: Sequence[Asked]) -> list[str]:
    return [each.method for each in asked]
