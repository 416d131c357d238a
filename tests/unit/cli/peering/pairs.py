"""Rome, which borrows, and milan, which lends: each a server that answers what a test says."""

from __future__ import annotations

import asyncio
import json
from base64 import b64encode
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace

from liqo.api.meta import JSON
from liqo.cli.call import Deadline
from liqo.cli.output import Output, Scope
from liqo.cli.peering.sides import Loan, Pair, Side
from liqo.kube.access import Access
from liqo.kube.cluster import Cluster
from tests.unit.kube.scripted import (
    Answer,
    Asked,
    Scripted,
    a_list,
    refuses,
    says,
    serving,
)

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
    async with staged(Scripted(*rome), Scripted(*milan)) as made:
        yield made


@asynccontextmanager
async def staged(rome: Scripted, milan: Scripted) -> AsyncIterator[Scene]:
    async with (
        serving(rome) as here,
        serving(milan) as there,
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


def a_summary(status: str, role: str = "Provider") -> JSON:
    """What the controllers of rome know about milan."""
    said = {"type": "APIServerStatus", "status": status}
    about = {"role": role, "conditions": [said], "apiServerUrl": "https://10.0.0.1:6443"}
    return an_object("milan", spec={"clusterID": "milan"}, status=about)


class Borrower(Scripted):
    """Rome, where nothing is left of milan: at once if that answers, else once it is given up."""

    def __init__(self, status: str, role: str = "Provider") -> None:
        super().__init__()
        self._summary = a_summary(status, role)
        self.freed = asyncio.Event()
        if status == "Established":
            self.freed.set()

    @property
    def declared(self) -> list[str | None]:
        """What was said of milan, in this order: that it is dead, or that it is not."""
        bodies = [json.loads(each.body) for each in self.asked if each.method == "PATCH"]
        return [next(iter(body["metadata"]["annotations"].values())) for body in bodies]

    def answer(self, asked: Asked) -> Answer | None:
        if asked.method == "PATCH":
            self.freed.set()
            return says(self._summary)
        if "/foreignclusters" in asked.path:
            return None if "watch=" in asked.path else a_list(self._summary, version="1")
        if "/secrets/" in asked.path or asked.method == "DELETE":
            return refuses(404)
        nothing = a_list(version="1")
        return replace(nothing, when=self.freed) if "/resourceslices" in asked.path else nothing


def methods(asked: Sequence[Asked]) -> list[str]:
    return [each.method for each in asked]
