"""The server that the API server asks: it decodes, has a review answer, encodes.

Every replica serves. What a review knows of the cluster is read for its question; a review that
fails is a refusal with a sentence, and an entry in the log.
"""

from __future__ import annotations

import asyncio
import ssl
from base64 import b64decode, b64encode
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, TypeAlias

import msgspec
import structlog
from aiohttp import web

from liqo.api.admission import AdmissionRequest, AdmissionReview
from liqo.api.kubernetes import NULL, Secret
from liqo.api.meta import JSON, Key
from liqo.kube.cluster import Cluster
from liqo.kube.errors import KubeError, NotFound
from liqo.kube.paths import EVERYTHING, Scope
from liqo.kube.reading import O, Reading
from liqo.kube.tls import load_chain, reads_modestly
from liqo.webhooks.review import (
    BAD_REQUEST,
    Allow,
    Deny,
    Patch,
    R,
    Reader,
    Request,
    Review,
    User,
    Verdict,
    operations,
)

LARGEST_QUESTION = 8 * 2**20  # bytes: two objects of the most that etcd stores, as JSON
PATIENCE = 4.0  # seconds: who hangs up (after ten, see configuration.py) would not hear why
FAULT = 500
REASONS = {400: "BadRequest", 403: "Forbidden", 500: "InternalError"}

Reply: TypeAlias = Callable[[bytes], Awaitable[bytes | None]]
"""To what another replica asks; None: it is not ours to say."""

NO_REPLIES: Mapping[str, Reply] = MappingProxyType({})

log = structlog.get_logger()


@dataclass(frozen=True)
class Live:
    """A Reader that asks the API server each time."""

    cluster: Cluster

    async def find(self, kind: type[O] | Reading[O], key: Key) -> O | None:
        try:
            return await self.cluster.get(kind, key)
        except NotFound:
            return None

    async def every(self, kind: type[O] | Reading[O], scope: Scope = EVERYTHING) -> Sequence[O]:
        try:
            listing = await self.cluster.list(kind, scope=scope, resource_version="")
        except NotFound:
            return ()  # nobody installed that kind
        return listing.items


class Chain:
    """The certificate that is shown, replaced while connections come and go."""

    def __init__(self) -> None:
        self.context = reads_modestly(ssl.create_default_context(ssl.Purpose.CLIENT_AUTH))
        self.context.minimum_version = ssl.TLSVersion.TLSv1_2
        self.loaded = asyncio.Event()

    def take(self, _: Secret | None, secret: Secret | None) -> None:
        """A subscriber of the Secret. Without one, what was shown last is shown on."""
        if secret is None:
            return
        try:
            content = [b64decode(secret.data[name]) for name in ("tls.crt", "tls.key")]
            load_chain(self.context, b"".join(content))
        except (KeyError, ValueError, ssl.SSLError) as wrong:
            log.warning("certificate not usable", key=str(secret.key), why=str(wrong))
            return
        log.info("certificate loaded", version=secret.metadata.resource_version)
        self.loaded.set()


class Server:
    """Serves from the moment there is a certificate."""

    def __init__(
        self,
        reviews: Mapping[str, Review[Any, Any]],
        reader: Reader,
        port: int,
        replies: Mapping[str, Reply] = NO_REPLIES,
    ) -> None:
        self.chain = Chain()
        self._application = application(reviews, reader, replies, lambda: self._is_leaving)
        self._port = port
        self._is_listening = False
        self._is_leaving = False

    def missing(self) -> list[str]:
        """What it lacks to be ready."""
        return [] if self._is_listening else ["the certificate of the webhook"]

    def leave(self) -> None:
        """Every answer from now on is the last of its connection: the next is made elsewhere."""
        self._is_leaving = True

    @asynccontextmanager
    async def serving(self) -> AsyncIterator[None]:
        runner = web.AppRunner(self._application, access_log=None, shutdown_timeout=1.0)
        await runner.setup()
        try:
            async with asyncio.TaskGroup() as tasks:
                starting = tasks.create_task(self._listen(runner))
                yield
                starting.cancel()
        finally:
            await runner.cleanup()

    async def _listen(self, runner: web.AppRunner) -> None:
        await self.chain.loaded.wait()
        await web.TCPSite(runner, port=self._port, ssl_context=self.chain.context).start()
        self._is_listening = True
        log.info("serving", port=self._port)


def application(
    reviews: Mapping[str, Review[Any, Any]],
    reader: Reader,
    replies: Mapping[str, Reply],
    is_leaving: Callable[[], bool],
) -> web.Application:
    def written(body: bytes) -> web.Response:
        response = web.json_response(body=body)
        if is_leaving():
            response.force_close()
        return response

    async def asked(request: web.Request) -> web.Response:
        answer = await answer_to(reviews[request.path], reader, await request.read())
        return written(msgspec.json.encode(answer))

    async def asked_by_another(request: web.Request) -> web.Response:
        return written(await reply_to(replies[request.path], await request.read()))

    async def ready(_: web.Request) -> web.Response:
        return web.Response(text="ok")

    made = web.Application(client_max_size=LARGEST_QUESTION)
    made.add_routes([web.post(path, asked) for path in reviews])
    made.add_routes([web.post(path, asked_by_another) for path in replies])
    made.add_routes([web.get("/readyz", ready)])
    return made


async def reply_to(reply: Reply, body: bytes) -> bytes:
    try:
        answer = await reply(body)
    except msgspec.DecodeError as wrong:
        raise web.HTTPBadRequest(text=f"this cannot be read: {wrong}") from wrong
    except KubeError as error:
        raise web.HTTPServiceUnavailable(text=str(error)) from error
    if answer is None:
        raise web.HTTPServiceUnavailable(text="ask another replica")
    return answer


async def answer_to(review: Review[R, Any], reader: Reader, body: bytes) -> JSON:
    try:
        question = msgspec.json.decode(body, type=AdmissionReview).request
    except msgspec.DecodeError as wrong:
        raise web.HTTPBadRequest(text=f"this is not an AdmissionReview: {wrong}") from wrong
    verdict = await judged(review, reader, question)
    return {
        "apiVersion": "admission.k8s.io/v1",
        "kind": "AdmissionReview",
        "response": {"uid": question.uid, **encoded(verdict, question)},
    }


async def judged(review: Review[R, Any], reader: Reader, question: AdmissionRequest) -> Verdict:
    about = {"kind": str(review.kind.KIND), "key": str(Key(question.namespace, question.name))}
    try:
        request = decoded(review.kind, question)
        async with asyncio.timeout(PATIENCE):
            state = await review.observe(reader, request)
        verdict = review.review(request, state)
        if review.first is not None and isinstance(verdict, Allow):
            return await review.first(request) or verdict
        return verdict
    except msgspec.ValidationError as wrong:
        return Deny(f"this is no {review.kind.KIND.name}: {wrong}", BAD_REQUEST)
    except (KubeError, TimeoutError) as error:
        why = str(error) or f"the cluster could not be read within {PATIENCE:.0f} seconds"
        log.warning("not reviewed", **about, why=why)
        return Deny(f"it could not be reviewed: {why}; try again", FAULT)
    except Exception:  # a mistake of ours: who asks gets an answer all the same
        log.exception("review failed", **about)
        return Deny("it could not be reviewed: the log of the webhook says why", FAULT)


def decoded(kind: type[R], question: AdmissionRequest) -> Request[R]:
    stored = question.old_object
    old = None if bytes(stored) == bytes(NULL) else msgspec.json.decode(stored, type=kind)
    asked = stored if question.operation == "DELETE" else question.object
    return Request(
        operation=question.operation,
        user=User(question.user_info.username, question.user_info.groups),
        object=msgspec.json.decode(asked, type=kind),
        old=old,
        subresource=question.sub_resource,
        is_dry_run=question.dry_run is True,
    )


def encoded(verdict: Verdict, question: AdmissionRequest) -> JSON:
    match verdict:
        case Allow(warnings):
            return {"allowed": True, **({"warnings": list(warnings)} if warnings else {})}
        case Deny(reason, code):
            status = {"message": reason, "code": code, "reason": REASONS.get(code, "Forbidden")}
            return {"allowed": False, "status": status}
        case Patch(change):
            before = msgspec.json.decode(question.object, type=dict[str, Any])
            patch = msgspec.json.encode(list(operations(before, change)))
            return {
                "allowed": True,
                "patchType": "JSONPatch",
                "patch": b64encode(patch).decode(),
            }
