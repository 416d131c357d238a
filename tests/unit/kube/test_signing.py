"""Signing requests: made, approved, awaited."""

from __future__ import annotations

import base64

import msgspec
import pytest

from liqo.api.meta import JSON
from liqo.kube import signing
from liqo.kube.cluster import Cluster
from liqo.kube.errors import Invalid
from tests.unit.kube.scripted import a_list, says, scripted


def a_request(**status: object) -> JSON:
    return {"metadata": {"name": "me", "resourceVersion": "5"}, "status": status}


def test_a_request_asks_for_a_client_certificate() -> None:
    body = signing.request("me", "PEM")
    assert body["metadata"] == {"name": "me"}
    assert base64.b64decode(body["spec"]["request"]) == b"PEM"
    assert body["spec"]["signerName"] == "kubernetes.io/kube-apiserver-client"
    assert "client auth" in body["spec"]["usages"]


async def test_an_approval_is_a_condition() -> None:
    async with scripted(says({})) as server, Cluster(server.access) as cluster:
        await signing.approve(cluster, "me", reason="Known", message="we know them")
    asked = server.asked[0]
    assert asked.path.endswith("/certificatesigningrequests/me/approval")
    condition = msgspec.json.decode(asked.body)["status"]["conditions"][0]
    assert (condition["type"], condition["reason"]) == ("Approved", "Known")


async def test_a_signed_request_gives_its_certificate() -> None:
    signed = a_list(a_request(certificate=base64.b64encode(b"PEM").decode()), version="7")
    async with scripted(signed, signed) as server, Cluster(server.access) as cluster:
        assert await signing.issued(cluster, "me") == "PEM"


async def test_a_denied_request_says_why() -> None:
    denied = a_list(
        a_request(conditions=[{"type": "Denied", "message": "a stranger"}]), version="7"
    )
    async with scripted(denied, denied) as server, Cluster(server.access, name="rome") as cluster:
        with pytest.raises(Invalid, match="rome: signing request me: a stranger"):
            await signing.issued(cluster, "me")
