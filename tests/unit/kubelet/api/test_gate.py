"""Who may in, and who may not."""

from __future__ import annotations

import msgspec

from liqo.kube.cluster import Cluster
from liqo.kubelet.api.answer import Answer as Said
from liqo.kubelet.api.gate import UNKNOWN, Gate, Visitor
from liqo.kubelet.api.permission import Permission
from tests.unit.kube.scripted import Answer, refuses, says, scripted

PEER = {"subject": ((("commonName", "rome"),),)}
PODS = Permission("get", ("pods", "proxy"))
PROXY = Permission("create", ("proxy",))


def allowed(verdict: bool) -> Answer:
    return says({"status": {"allowed": verdict}}, 201)


def known(name: str) -> Answer:
    return says({"status": {"authenticated": True, "user": {"username": name}}}, 201)


async def test_who_shows_nothing_is_nobody_and_no_question_is_asked() -> None:
    async with scripted() as server, Cluster(server.access) as home:
        assert await Gate(home, "milan").refusal(Visitor(None, ""), PROXY) == UNKNOWN
    assert server.asked == []


async def test_a_certificate_is_not_enough() -> None:
    async with scripted(allowed(False)) as server, Cluster(server.access) as home:
        refusal = await Gate(home, "milan").refusal(Visitor(PEER, ""), PROXY)
    assert refusal == Said(
        403, b"Forbidden (user=rome, verb=create, resource=nodes, subresource(s)=[proxy])\n"
    )
    [asked] = server.asked
    spec = msgspec.json.decode(asked.body)["spec"]
    assert (spec["user"], spec["groups"]) == ("rome", ["system:authenticated"])
    assert spec["resourceAttributes"] == {
        "verb": "create",
        "version": "v1",
        "resource": "nodes",
        "subresource": "proxy",
        "name": "milan",
    }


async def test_any_of_the_rights_will_do_and_a_verdict_holds_for_a_moment() -> None:
    answers = (known("metrics"), allowed(False), allowed(True))
    async with scripted(*answers) as server, Cluster(server.access) as home:
        gate = Gate(home, "milan")
        for _ in range(3):
            assert await gate.refusal(Visitor(None, "Bearer abc"), PODS) is None
    assert len(server.asked) == 3


async def test_a_token_that_nobody_knows() -> None:
    unknown = says({"status": {"authenticated": False}}, 201)
    async with scripted(unknown) as server, Cluster(server.access) as home:
        assert await Gate(home, "milan").refusal(Visitor({}, "Bearer abc"), PODS) == UNKNOWN


async def test_what_cannot_be_reviewed_is_not_allowed() -> None:
    async with scripted(refuses(403), refuses(403)) as server, Cluster(server.access) as home:
        gate = Gate(home, "milan")
        assert await gate.refusal(Visitor(None, "Bearer abc"), PODS) == UNKNOWN
        failed = await gate.refusal(Visitor(PEER, ""), PODS)
    assert failed is not None
    assert failed.code == 500
