"""The two sides of a peering, as one call of liqoctl holds them."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import TypeVar

from liqo.api.meta import Key, Resource
from liqo.cli.call import Call, Deadline
from liqo.cli.installation import Installation, find_both
from liqo.cli.objects import Stamp, body
from liqo.cli.output import Output
from liqo.cli.writing import put, remove
from liqo.errors import LiqoError
from liqo.kube.cluster import Cluster
from liqo.kube.errors import Forbidden, NotFound, Refused
from liqo.kube.reading import encode
from liqo.runtime.plan import Manifest

R = TypeVar("R", bound=Resource)


@dataclass(frozen=True)
class Side:
    """One cluster, and how it is talked about."""

    cluster: Cluster
    id: str
    namespace: str  # of the installation
    out: Output
    stamp: Stamp = field(default_factory=Stamp)

    async def put(self, thing: Resource | Manifest, kind: type[R]) -> R:
        """Make it so, and give back what stands there now: a wait can start from it."""
        try:
            answer = await put(self.cluster, thing, self.stamp)
        except Refused as no:
            raise _refused(self, thing, no) from no
        return self.cluster.codec(kind).object(encode(answer))

    async def find(self, kind: type[R], key: Key) -> R | None:
        try:
            return await self.cluster.get(kind, key)
        except NotFound:
            return None

    async def remove(self, kind: type[Resource], key: Key) -> bool:
        """Ask for its end; False if there is none."""
        return await remove(self.cluster, kind.KIND, key)


@dataclass(frozen=True)
class Loan:
    """A peering as its consumer alone sees it: the provider may not answer."""

    consumer: Side
    provider_id: str
    deadline: Deadline


@dataclass(frozen=True)
class Pair:
    consumer: Side
    provider: Side
    deadline: Deadline

    @property
    def loan(self) -> Loan:
        return Loan(self.consumer, self.provider.id, self.deadline)


@asynccontextmanager
async def both(
    call: Call, timeout: float, *, liqo_namespace: str, remote_namespace: str
) -> AsyncIterator[Pair]:
    """The local cluster borrows, the remote one lends; Liqo is installed in those namespaces."""
    deadline = Deadline(timeout)
    async with call.clusters() as clusters:
        consumer, provider = await find_both(clusters, liqo_namespace, remote_namespace)
        yield Pair(local(call, consumer), remote(call, provider), deadline)


def local(call: Call, found: Installation) -> Side:
    return replace(alone(call, found.cluster, found), out=call.out.about("local"))


def remote(call: Call, found: Installation) -> Side:
    return replace(alone(call, found.cluster, found), out=call.out.about("remote"))


def alone(call: Call, cluster: Cluster, found: Installation | None = None) -> Side:
    """The one cluster of a verb, which may work without knowing what is installed there."""
    cluster_id, namespace = (found.id, found.namespace) if found is not None else ("", "")
    return Side(cluster, cluster_id, namespace, call.out, Stamp.of(call.settings))


def _refused(side: Side, thing: Resource | Manifest, no: Refused) -> LiqoError:
    said = body(thing)
    metadata = said["metadata"]
    what = f'the {said["kind"]} "{Key(metadata.get("namespace", ""), metadata["name"])}"'
    lacks_rights = isinstance(no, Forbidden) and not no.is_of_a_webhook
    step = (
        "use a kubeconfig that may, such as one of: liqoctl generate peering-user"
        if lacks_rights
        else "see to that, and run the same command again"
    )
    return LiqoError(f"{no} ({what} of {side.cluster.name} was refused); {step}")
