"""The server: from the bytes of a question to the bytes of an answer, over real TLS."""

from __future__ import annotations

import ssl
from base64 import b64decode
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import aiohttp
import msgspec
import pytest

from liqo.api.authentication import Tenant
from liqo.api.kubernetes import Secret
from liqo.api.meta import JSON, Meta
from liqo.kube.errors import Unreachable
from liqo.webhooks.certificate import Material, Place, issue, written
from liqo.webhooks.review import (
    ALLOW,
    Allow,
    Deny,
    Patch,
    Reader,
    Request,
    Review,
    User,
    Verdict,
    nothing,
)
from liqo.webhooks.server import Chain, Server, answer_to
from tests.e2e.control_plane import free_port
from tests.e2e.eventually import eventually
from tests.unit.webhooks.reviews.questions import Told

FIRST, SECOND = (issue(Place("liqo", "localhost"), None, datetime.now(UTC)) for _ in range(2))
TENANT: JSON = {"metadata": {"name": "rome"}, "spec": {"clusterID": "rome"}, "odd": 1}


def a_question(**request: Any) -> bytes:
    asked = {
        "uid": "42",
        "operation": "CREATE",
        "namespace": "liqo-tenant-rome",
        "name": "rome",
        "userInfo": {"username": "jane", "groups": ["admins"]},
        "object": TENANT,
        "oldObject": None,
        **request,
    }
    return msgspec.json.encode({"kind": "AdmissionReview", "request": asked})


def answering(verdict: Verdict) -> Review[Tenant, None]:
    def review(_: Request[Tenant], __: None) -> Verdict:
        return verdict

    return Review(Tenant, nothing, review)


async def response(review: Review[Any, Any], question: bytes) -> JSON:
    answer = await answer_to(review, Told(), question)
    assert (answer["apiVersion"], answer["kind"]) == ("admission.k8s.io/v1", "AdmissionReview")
    assert answer["response"].pop("uid") == "42"
    found: JSON = answer["response"]
    return found


async def test_an_allowance_says_no_more() -> None:
    assert await response(answering(ALLOW), a_question()) == {"allowed": True}


async def test_an_allowance_may_carry_warnings() -> None:
    answer = await response(answering(Allow(("careful",))), a_question())
    assert answer == {"allowed": True, "warnings": ["careful"]}


@pytest.mark.parametrize(("verdict", "times"), [(ALLOW, 1), (Deny("no"), 0)])
async def test_what_must_come_first_comes_before_an_allowance(verdict: Verdict, times: int) -> None:
    done: list[Request[Tenant]] = []

    async def first(request: Request[Tenant]) -> None:
        done.append(request)

    review = replace(answering(verdict), first=first)
    await response(review, a_question(dryRun=True))
    assert [each.is_dry_run for each in done] == [True] * times


async def test_what_must_come_first_may_refuse() -> None:
    async def first(_: Request[Tenant]) -> Deny:
        return Deny("too much")

    answer = await response(replace(answering(ALLOW), first=first), a_question())
    assert answer["status"]["message"] == "too much"


@pytest.mark.parametrize(
    ("code", "reason"),
    [(400, "BadRequest"), (403, "Forbidden"), (500, "InternalError"), (418, "Forbidden")],
)
async def test_a_refusal_carries_its_sentence_and_its_code(code: int, reason: str) -> None:
    status = {"message": "no", "code": code, "reason": reason}
    answer = await response(answering(Deny("no", code)), a_question())
    assert answer == {"allowed": False, "status": status}


async def test_a_completion_is_a_patch_of_what_was_sent() -> None:
    answer = await response(answering(Patch({"spec": {"csr": "eA=="}})), a_question())
    assert (answer["allowed"], answer["patchType"]) == (True, "JSONPatch")
    assert msgspec.json.decode(b64decode(answer["patch"])) == [
        {"op": "add", "path": "/spec/csr", "value": "eA=="}
    ]


async def test_a_review_is_told_who_wants_what() -> None:
    asked: list[Request[Tenant]] = []

    def review(request: Request[Tenant], _: None) -> Verdict:
        asked.append(request)
        return ALLOW

    question = a_question(operation="UPDATE", oldObject=TENANT, subResource="status")
    await response(Review(Tenant, nothing, review), question)
    await response(Review(Tenant, nothing, review), a_question())
    changed, created = asked
    assert changed.user == User("jane", ("admins",))
    assert (changed.subresource, changed.operation) == ("status", "UPDATE")
    assert changed.object == changed.old
    assert changed.object.spec.cluster_id == "rome"
    assert (created.old, created.is_creation) == (None, True)


async def test_a_review_of_a_deletion_is_told_what_leaves() -> None:
    asked: list[Request[Tenant]] = []

    def review(request: Request[Tenant], _: None) -> Verdict:
        asked.append(request)
        return ALLOW

    question = a_question(operation="DELETE", object=None, oldObject=TENANT)
    await response(Review(Tenant, nothing, review), question)
    [leaving] = asked
    assert leaving.object == leaving.old
    assert (leaving.object.spec.cluster_id, leaving.is_creation) == ("rome", False)


async def test_an_object_that_cannot_be_read_is_refused() -> None:
    broken = {"spec": {"clusterID": ["rome"]}}
    answer = await response(answering(ALLOW), a_question(object=broken))
    assert answer["status"]["code"] == 400
    assert "this is no Tenant" in answer["status"]["message"]


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (Unreachable("milan does not answer"), "milan does not answer; try again"),
        (TimeoutError(), "could not be read within"),
        (KeyError("x"), "the log of the webhook says why"),
    ],
)
async def test_a_review_that_fails_is_a_refusal(error: Exception, words: str) -> None:
    async def observe(_: Reader, __: Request[Tenant]) -> None:
        raise error

    def review(_: Request[Tenant], __: None) -> Allow:
        return ALLOW

    answer = await response(Review(Tenant, observe, review), a_question())
    assert answer["allowed"] is False
    assert answer["status"]["code"] == 500
    assert words in answer["status"]["message"]


def a_secret(material: Material) -> Secret:
    content = msgspec.Raw(msgspec.json.encode(written(material)))
    return Secret(metadata=Meta(name="certs"), raw_data=content)


async def test_what_is_not_a_certificate_is_not_shown() -> None:
    chain = Chain()
    chain.take(None, None)
    chain.take(None, Secret())
    chain.take(None, Secret(raw_data=msgspec.Raw(b'{"tls.crt":"eA==","tls.key":"eA=="}')))
    assert not chain.loaded.is_set()


@asynccontextmanager
async def a_server(port: int) -> AsyncIterator[Server]:
    server = Server({"/validate/tenants": answering(Deny("no"))}, Told(), port)
    async with server.serving():
        yield server


async def ask(port: int, trusted: Material, path: str, body: bytes = b"") -> tuple[int, bytes]:
    context = ssl.create_default_context(cadata=trusted.ca.decode())
    url = f"https://localhost:{port}{path}"
    async with aiohttp.ClientSession() as session:
        method = "POST" if body else "GET"
        async with session.request(method, url, data=body, ssl=context) as answer:
            return answer.status, await answer.read()


async def listening(server: Server) -> None:
    async def missing() -> list[str]:
        return server.missing()

    await eventually(missing, is_=[])


async def test_it_serves_once_there_is_a_certificate_and_changes_it_on_the_way() -> None:
    port = free_port()
    async with a_server(port) as server:
        assert server.missing() == ["the certificate of the webhook"]
        server.chain.take(None, a_secret(FIRST))
        await listening(server)
        status, body = await ask(port, FIRST, "/validate/tenants", a_question())
        assert status == 200
        assert msgspec.json.decode(body)["response"]["status"]["message"] == "no"
        assert await ask(port, FIRST, "/readyz") == (200, b"ok")
        server.chain.take(None, a_secret(SECOND))
        assert await ask(port, SECOND, "/readyz") == (200, b"ok")
        with pytest.raises(aiohttp.ClientConnectorCertificateError):
            await ask(port, FIRST, "/readyz")


async def test_who_leaves_answers_and_asks_to_be_called_elsewhere_next_time() -> None:
    port = free_port()
    context = ssl.create_default_context(cadata=FIRST.ca.decode())
    url = f"https://localhost:{port}/validate/tenants"
    async with a_server(port) as server, aiohttp.ClientSession() as session:
        server.chain.take(None, a_secret(FIRST))
        await listening(server)
        for is_last in (False, True):
            async with session.post(url, data=a_question(), ssl=context) as answer:
                assert answer.status == 200
                assert (answer.headers.get("Connection") == "close") is is_last
            server.leave()


@pytest.mark.parametrize(
    ("answer", "status", "said"),
    [
        (b"yes", 200, b"yes"),
        (None, 503, b"ask another replica"),
        (Unreachable("milan does not answer"), 503, b"milan does not answer"),
    ],
)
async def test_another_replica_is_answered_by_who_can_say(
    answer: bytes | Exception | None, status: int, said: bytes
) -> None:
    async def reply(_: bytes) -> bytes | None:
        if isinstance(answer, Exception):
            raise answer
        return answer

    port = free_port()
    server = Server({}, Told(), port, {"/claims": reply})
    async with server.serving():
        server.chain.take(None, a_secret(FIRST))
        await listening(server)
        assert await ask(port, FIRST, "/claims", b"may I?") == (status, said)


async def test_what_another_replica_says_must_be_readable() -> None:
    async def reply(body: bytes) -> bytes:
        return msgspec.json.encode(msgspec.json.decode(body))

    port = free_port()
    server = Server({}, Told(), port, {"/claims": reply})
    async with server.serving():
        server.chain.take(None, a_secret(FIRST))
        await listening(server)
        assert await ask(port, FIRST, "/claims", b"{}") == (200, b"{}")
        assert (await ask(port, FIRST, "/claims", b"{"))[0] == 400


async def test_what_is_no_question_gets_no_answer() -> None:
    port = free_port()
    async with a_server(port) as server:
        server.chain.take(None, a_secret(FIRST))
        await listening(server)
        assert (await ask(port, FIRST, "/validate/tenants", b"{}"))[0] == 400
        assert (await ask(port, FIRST, "/validate/pods", a_question()))[0] == 404
