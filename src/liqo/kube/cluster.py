"""Cluster: everything we ask of one API server; the only door to it."""

from __future__ import annotations

import random
import time
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Any, Literal

import msgspec

from liqo.api.kubernetes import Pod, ServiceAccount
from liqo.api.meta import JSON, Key, Kind, OwnerReference
from liqo.kube.access import Access
from liqo.kube.errors import ServerFault
from liqo.kube.http import JSON_TYPE, LIMITS, Connection, Limits, Request, Tell
from liqo.kube.listing import Listing, ListReader
from liqo.kube.paths import EVERYTHING, Scope, collection, instance, query, scoped
from liqo.kube.reading import Change, Codec, O, Reading, encode, reading
from liqo.kube.upgrade import Upgrade, Upgraded, upgrade
from liqo.kube.watch import Lines

ONLY_METADATA = f"{JSON_TYPE};as=PartialObjectMetadata;g=meta.k8s.io;v=v1"
ONLY_METADATA_LIST = f"{JSON_TYPE};as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"
WATCH_SECONDS = (
    300,
    600,
)  # that the API server keeps a watch; spread, so that they do not end at once

How = Literal["merge", "strategic", "json"]
_PATCH_TYPE: dict[How, str] = {
    "merge": "application/merge-patch+json",
    "strategic": "application/strategic-merge-patch+json",
    "json": "application/json-patch+json",
}
Answer = Literal["object", "metadata"]  # what a write gives back
_ACCEPT: dict[Answer, str] = {"object": JSON_TYPE, "metadata": ONLY_METADATA}
_APPLY_TYPE = "application/apply-patch+yaml"  # JSON is YAML


@dataclass(frozen=True)
class Token:
    value: str
    expires: str  # RFC 3339


class Cluster:
    """Open it with `async with`. Every method raises KubeErrors and nothing else."""

    def __init__(
        self,
        access: Access,
        *,
        name: str = "",
        agent: str = "liqo",
        limits: Limits = LIMITS,
        tell: Tell | None = None,
    ) -> None:
        self.name = name or access.server
        self.access = access
        self.connection = Connection(access, name=self.name, agent=agent, limits=limits, tell=tell)
        self._codecs: dict[type[Any], Codec[Any]] = {}

    async def __aenter__(self) -> Cluster:
        await self.connection.__aenter__()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.connection.__aexit__()

    def swap(self, access: Access) -> None:
        """Reach the same cluster with other credentials; what is followed is followed on."""
        self.access = access
        self.connection.swap(access)

    def silent_for(self) -> float:
        """Seconds since the API server last said anything to us."""
        return time.monotonic() - self.connection.heard_at

    def codec(self, model: type[O]) -> Codec[O]:
        """Made once for each model: making one takes a thousand times as long as using it."""
        made = self._codecs.get(model)
        if made is None:
            made = self._codecs[model] = Codec(model)
        return made

    async def get(self, kind: type[O] | Reading[O], key: Key) -> O:
        wanted = reading(kind)
        accept = ONLY_METADATA if wanted.metadata_only else JSON_TYPE
        body = await self.connection.send(Request("GET", instance(wanted.kind, key), accept=accept))
        try:
            return self.codec(wanted.model).object(body)
        except msgspec.DecodeError as wrong:
            raise self._unreadable(f"{wanted.kind} {key}", wrong) from wrong

    async def list(
        self,
        kind: type[O] | Reading[O],
        *,
        scope: Scope = EVERYTHING,
        resource_version: str = "0",
    ) -> Listing[O]:
        """All of them at once. Version "0" is what the API server has in memory; "" the newest."""
        wanted = reading(kind)
        path = scoped(wanted.kind, scope, resourceVersion=resource_version)
        accept = ONLY_METADATA_LIST if wanted.metadata_only else JSON_TYPE
        request = Request("GET", path, accept=accept)

        async def read() -> Listing[O]:
            reader = ListReader(self.codec(wanted.model))
            async with self.connection.stream(request) as chunks:
                async for chunk in chunks:
                    reader.feed(chunk)
            return reader.finish()

        try:
            return await self.connection.repeated(request, read)
        except msgspec.DecodeError as wrong:
            raise self._unreadable(f"the list of {wanted.kind.plural}", wrong) from wrong

    async def watch(
        self,
        kind: type[O] | Reading[O],
        *,
        scope: Scope = EVERYTHING,
        resource_version: str,
        begun: Callable[[], None] | None = None,
    ) -> AsyncGenerator[Change[O]]:
        """Changes since that version, until the stream ends; Expired when it is too old.

        `begun` is called when the API server has answered: the first change may be long in coming.
        """
        wanted = reading(kind)
        path = scoped(
            wanted.kind,
            scope,
            watch=True,
            allowWatchBookmarks=True,
            resourceVersion=resource_version,
            timeoutSeconds=random.randint(*WATCH_SECONDS),
        )
        accept = ONLY_METADATA if wanted.metadata_only else JSON_TYPE
        change = self.codec(wanted.model).change
        lines = Lines()
        async with self.connection.stream(Request("GET", path, accept=accept)) as chunks:
            if begun is not None:
                begun()
            async for chunk in chunks:
                for line in lines.feed(chunk):
                    try:
                        yield change(line, where=self.name)
                    except msgspec.DecodeError as wrong:
                        raise self._unreadable("a line of a watch", wrong) from wrong

    async def apply(  # noqa: PLR0913 - what, where, as whom: each says its own thing
        self,
        body: JSON,
        *,
        kind: Kind,
        key: Key,
        manager: str,
        subresource: str = "",
        answer: Answer = "object",
    ) -> JSON:
        """Server-side apply: make these fields so, whoever had them before."""
        path = query(instance(kind, key, subresource), fieldManager=manager, force=True)
        return await self._write(Request("PATCH", path, encode(body), _APPLY_TYPE, _ACCEPT[answer]))

    async def create(
        self,
        body: JSON,
        *,
        kind: Kind,
        namespace: str = "",
        manager: str = "",
        answer: Answer = "object",
    ) -> JSON:
        path = query(collection(kind, namespace), fieldManager=manager)
        return await self._write(Request("POST", path, encode(body), accept=_ACCEPT[answer]))

    async def patch(  # noqa: PLR0913 - what, where, as whom: each says its own thing
        self,
        kind: Kind,
        key: Key,
        body: JSON | Sequence[JSON],
        *,
        how: How,
        subresource: str = "",
        manager: str = "",
        answer: Answer = "object",
    ) -> JSON:
        path = query(instance(kind, key, subresource), fieldManager=manager)
        request = Request("PATCH", path, encode(body), _PATCH_TYPE[how], _ACCEPT[answer])
        return await self._write(request)

    async def replace(self, body: JSON, *, kind: Kind, key: Key) -> JSON:
        """The whole object anew: for those who may update, and neither apply nor patch."""
        return await self._write(Request("PUT", instance(kind, key), encode(body)))

    async def delete(  # noqa: PLR0913 - all of it optional, and none of it goes together
        self,
        kind: Kind,
        key: Key,
        *,
        uid: str = "",
        resource_version: str = "",
        grace: int | None = None,
        propagation: str = "",
    ) -> None:
        """Ask for its end. With a uid or version: only if it is still that one, else Conflict."""
        options = delete_options(uid, resource_version, grace, propagation)
        request = Request("DELETE", instance(kind, key), encode(options), accept=ONLY_METADATA)
        await self.connection.send(request)

    async def evict(self, key: Key, *, uid: str = "", grace: int | None = None) -> None:
        """Throttled when a disruption budget says: not now."""
        eviction: JSON = {
            "apiVersion": "policy/v1",
            "kind": "Eviction",
            "metadata": {"name": key.name, "namespace": key.namespace},
            "deleteOptions": delete_options(uid, "", grace, ""),
        }
        request = Request("POST", instance(Pod.KIND, key, "eviction"), encode(eviction))
        await self.connection.send(request, patience=0)

    async def token(
        self,
        service_account: Key,
        *,
        audiences: Sequence[str] = (),
        expiration_seconds: int = 3600,
        bound_to: OwnerReference | None = None,
    ) -> Token:
        """A token of that service account; bound to a pod it ends with the pod."""
        spec: JSON = {"audiences": list(audiences), "expirationSeconds": expiration_seconds}
        if bound_to is not None:
            spec["boundObjectRef"] = bound_to
        body = {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": spec}
        path = instance(ServiceAccount.KIND, service_account, "token")
        answer = await self._write(Request("POST", path, encode(body)))
        return Token(answer["status"]["token"], answer["status"]["expirationTimestamp"])

    async def request(self, request: Request) -> bytes:
        """Any request, for what has no method here; `/version`, for one."""
        return await self.connection.send(request)

    def stream(
        self, path: str, *, silence: float | None = None
    ) -> AbstractAsyncContextManager[AsyncIterator[bytes]]:
        """A body in chunks as they come: the log of a pod, for one. Silence 0: it may be silent."""
        return self.connection.stream(Request("GET", path, accept="*/*"), silence=silence)

    async def upgrade(
        self, path: str, *, protocol: str, headers: Sequence[tuple[str, str]], method: str = "POST"
    ) -> Upgraded:
        """Leave HTTP for another protocol on the same connection: exec, attach, port-forward."""
        return await upgrade(self.connection, Upgrade(method, path, protocol, headers))

    async def _write(self, request: Request) -> JSON:
        body = await self.connection.send(request)
        try:
            return msgspec.json.decode(body, type=dict)
        except msgspec.DecodeError as wrong:
            raise self._unreadable(
                f"the answer to {request.method} {request.path}", wrong
            ) from wrong

    def _unreadable(self, what: str, wrong: msgspec.DecodeError) -> ServerFault:
        return ServerFault(f"{self.name}: {what} is not as it should be: {wrong}")


def delete_options(uid: str, resource_version: str, grace: int | None, propagation: str) -> JSON:
    preconditions = {"uid": uid, "resourceVersion": resource_version}
    said = {name: value for name, value in preconditions.items() if value}
    options: JSON = {"apiVersion": "v1", "kind": "DeleteOptions"}
    if said:
        options["preconditions"] = said
    if grace is not None:
        options["gracePeriodSeconds"] = grace
    if propagation:
        options["propagationPolicy"] = propagation
    return options
