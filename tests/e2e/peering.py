"""What `liqoctl peer` and `unpeer` do, as a test needs it: one part, and nothing else waited for.

The steps are those of the product; that they are right is what tests/e2e/test_cli_peering.py shows.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar

from msgspec import to_builtins

from liqo.api.meta import JSON, Key, Kind, Resource
from liqo.cli import objects
from liqo.cli.call import Deadline
from liqo.cli.objects import Wish
from liqo.cli.output import Output, Scope
from liqo.cli.peering import ending, handshake, sides
from liqo.kube.cluster import Cluster
from liqo.kube.errors import NotFound
from liqo.rules import names
from tests.e2e.eventually import ENDING, eventually

MANAGER = "tests"
PATIENCE = 60.0  # seconds
R = TypeVar("R", bound=Resource)


@dataclass(frozen=True)
class Side:
    id: str
    cluster: Cluster

    async def apply(self, kind: Kind, body: JSON) -> None:
        metadata = body["metadata"]
        whole = {"apiVersion": kind.api_version, "kind": kind.name, **body}
        key = Key(metadata.get("namespace", ""), metadata["name"])
        await self.cluster.apply(whole, kind=kind, key=key, manager=MANAGER)

    async def put(self, thing: Resource) -> None:
        await self.apply(thing.KIND, to_builtins(thing))

    async def find(self, kind: type[R], namespace: str, name: str) -> R | None:
        try:
            return await self.cluster.get(kind, Key(namespace, name))
        except NotFound:
            return None

    async def delete(self, kind: type[Resource], namespace: str, name: str) -> None:
        try:
            await self.cluster.delete(kind.KIND, Key(namespace, name))
        except NotFound:
            return

    def seen(self, scope: Scope) -> sides.Side:
        """As liqoctl sees it."""
        return sides.Side(self.cluster, self.id, "liqo", Output(scope))


@dataclass(frozen=True)
class Peering:
    consumer: Side
    provider: Side

    @property
    def here(self) -> str:
        """The tenant namespace on the consumer."""
        return names.tenant_namespace(self.provider.id)

    @property
    def there(self) -> str:
        return names.tenant_namespace(self.consumer.id)

    @property
    def identity(self) -> str:
        return names.controlplane_identity(self.provider.id)

    def pair(self) -> sides.Pair:
        both = self.consumer.seen("local"), self.provider.seen("remote")
        return sides.Pair(*both, Deadline(PATIENCE))


async def authenticate(peering: Peering) -> None:
    pair = peering.pair()
    await handshake.authenticate(pair, await handshake.prepare(pair))


async def ask(peering: Peering, name: str, of_class: str = "default", **resources: str) -> None:
    """For a slice of the provider, and a node made of it."""
    wish = Wish(of_class, resources)
    asked = objects.resource_slice(name, peering.here, peering.provider.id, wish)
    await peering.consumer.put(asked)


async def unpeer(peering: Peering) -> None:
    await ending.end(peering.pair(), ending.Wanted(PATIENCE, wait=True, delete_namespaces=False))


async def gone(side: Side, kind: type[Resource], namespace: str) -> None:
    async def left() -> list[str]:
        listing = await side.cluster.list(kind, resource_version="")
        return [str(each.key) for each in listing.items if each.metadata.namespace == namespace]

    await eventually(left, is_=[], within=ENDING)
