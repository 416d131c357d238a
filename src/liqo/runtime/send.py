"""Sends requests: no more at a time than the API server likes, none when our lease is ending."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager

from liqo.api.meta import JSON, OwnerReference
from liqo.kube.cluster import Cluster, Token
from liqo.kube.errors import Conflict, Invalid
from liqo.runtime.errors import NotLeading
from liqo.runtime.pace import Pace
from liqo.runtime.plan import MintToken, Side
from liqo.runtime.requests import Request

MARGIN = 2.0  # seconds of the lease that must be left: time for a request to arrive


class Sender:
    """`left` tells how many seconds of our lease are left."""

    def __init__(self, clusters: Mapping[Side, Cluster], left: Callable[[], float]) -> None:
        self._clusters = clusters
        self._left = left
        self.paces = {side: Pace() for side in clusters}

    async def send(self, request: Request, manager: str) -> JSON | None:
        """The object as the write left it; None of one that is gone or going."""
        if request.verb == "evict":  # 429 is a disruption budget's no, and says nothing of the pace
            self._check_lease()
            cluster = self._clusters[request.on]
            await cluster.evict(request.key, uid=request.uid, grace=request.grace)
            return None
        async with self._turn(request.on) as cluster:
            try:
                return await _ask(cluster, request, manager)
            except Invalid as invalid:
                if request.uid and "metadata.uid" in str(invalid):
                    raise Conflict(str(invalid), reason=invalid.reason) from invalid
                raise

    async def tokens(self, action: MintToken) -> list[Token]:
        pod = action.bound_to
        bound_to = OwnerReference(
            api_version=pod.KIND.api_version,
            kind=pod.KIND.name,
            name=pod.metadata.name,
            uid=pod.metadata.uid,
        )
        issued = []
        for wanted in action.wanted:
            async with self._turn("local") as cluster:
                token = await cluster.token(
                    action.service_account,
                    audiences=(wanted.audience,) if wanted.audience else (),
                    expiration_seconds=wanted.seconds,
                    bound_to=bound_to,
                )
            issued.append(token)
        return issued

    @asynccontextmanager
    async def _turn(self, side: Side) -> AsyncIterator[Cluster]:
        async with self.paces[side]:
            self._check_lease()  # after the wait for a turn, which may be long
            yield self._clusters[side]

    def _check_lease(self) -> None:
        if self._left() < MARGIN:
            raise NotLeading("the lease is about to end")


async def _ask(cluster: Cluster, request: Request, manager: str) -> JSON | None:
    kind, key, body = request.kind, request.key, request.body
    match request.verb:
        case "apply":
            return await cluster.apply(
                body, kind=kind, key=key, manager=manager, subresource=request.subresource
            )
        case "create":
            return await cluster.create(body, kind=kind, namespace=key.namespace, manager=manager)
        case "patch":
            return await cluster.patch(
                kind,
                key,
                body,
                how=request.form,
                subresource=request.subresource,
                manager=manager,
            )
        case _:
            await cluster.delete(
                kind,
                key,
                uid=request.uid,
                resource_version=request.version,
                grace=request.grace,
                propagation=request.propagation,
            )
            return None
