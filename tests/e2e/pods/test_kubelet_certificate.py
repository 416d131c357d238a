"""Who gets the certificate of a virtual kubelet: that kubelet, for its node and its address."""

from __future__ import annotations

import json
from base64 import b64decode
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from uuid import uuid4

import pytest
from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePrivateKey

from liqo.api.meta import JSON
from liqo.kubelet.api.certificate import request
from liqo.playground.cluster import Site
from liqo.rules import certificates, keys
from liqo.rules.certificates import new_key
from liqo.rules.serving import Serving
from tests.e2e.eventually import eventually
from tests.e2e.kubectl import kubectl
from tests.e2e.offloaded import TENANT, read
from tests.e2e.visitor import address

KUBELET = (f"--as=system:serviceaccount:{TENANT}:milan",)
# With the rights of an administrator: that they may ask is not what they are known by.
SOMEBODY = ("--as=system:serviceaccount:liqo:somebody", "--as-group=system:masters")
NEIGHBOUR = (f"--as=system:serviceaccount:{TENANT}:default", "--as-group=system:masters")
TO_BE_A_CLIENT = {
    "signerName": "kubernetes.io/kube-apiserver-client",
    "usages": ["client auth"],
}
TO_BE_BOTH = {"usages": ["digital signature", "key encipherment", "server auth", "client auth"]}


@dataclass(frozen=True)
class Asked:
    """A signing request: for whom, of whom, and how it differs from what a kubelet asks for."""

    wanted: Serving
    who: tuple[str, ...] = KUBELET
    spec: JSON = field(default_factory=dict)

    def manifest(self, name: str, key: EllipticCurvePrivateKey) -> JSON:
        usual = request(certificates.request_to_serve(key, self.wanted))
        return {**usual, "metadata": {"name": name}, "spec": {**usual["spec"], **self.spec}}


@asynccontextmanager
async def asking(
    rome: Site, key: EllipticCurvePrivateKey, *requests: Asked
) -> AsyncIterator[list[str]]:
    """One after the other; gives their names."""
    names = [f"test-{uuid4().hex}" for _ in requests]
    try:
        for name, each in zip(names, requests, strict=True):
            manifest = json.dumps(each.manifest(name, key))
            await rome.kubectl("create", "-f", "-", *each.who, text=manifest)
        yield names
    finally:
        await rome.kubectl("delete", "csr", *names, "--ignore-not-found")


async def status(rome: Site, name: str) -> JSON:
    found: JSON = (await read(rome, f"csr/{name}")).get("status", {})
    return found


@pytest.fixture
async def own(peered: dict[str, Site]) -> Serving:
    """What the kubelet asks for."""
    return Serving("milan", frozenset({await address(peered["rome"], "milan")}))


async def test_P_SEC4_a_request_that_is_not_the_kubelets_own_is_not_approved(
    peered: dict[str, Site], own: Serving
) -> None:
    rome = peered["rome"]
    wrong = {
        "of another account": Asked(own, SOMEBODY),
        "of another account beside it": Asked(own, NEIGHBOUR),
        "of a person": Asked(own, ()),
        "for another node": Asked(Serving("rome", own.addresses)),
        "for no node": Asked(Serving("nonesuch", own.addresses)),
        "for another address": Asked(Serving("milan", frozenset({"10.0.0.1"}))),
        "for one more": Asked(Serving("milan", own.addresses | {"10.0.0.1"})),
        "for a name": Asked(Serving("milan", frozenset({"kubernetes.default.svc"}))),
        "for another signer": Asked(own, spec=TO_BE_A_CLIENT),
        "to be a client as well": Asked(own, spec=TO_BE_BOTH),
    }
    async with asking(rome, new_key(), *wrong.values(), Asked(own)) as (*refused, granted):
        # That came last, and is seen by the same controller.
        await eventually(lambda: status(rome, granted), lambda now: "certificate" in now)
        answered = {
            why for why, name in zip(wrong, refused, strict=True) if await status(rome, name)
        }
    assert answered == set()


async def test_what_a_kubelet_shows_opens_nothing(
    peered: dict[str, Site], own: Serving, tmp_path: Path
) -> None:
    """Its certificate names a node, and Kubernetes gives nodes many rights; but it only serves."""
    rome, key = peered["rome"], new_key()
    async with asking(rome, key, Asked(own)) as [name]:
        signed = await eventually(lambda: status(rome, name), lambda now: "certificate" in now)
    shown, secret = tmp_path / "shown.crt", tmp_path / "shown.key"
    shown.write_bytes(b64decode(signed["certificate"]))
    secret.write_bytes(keys.private_pem(key))
    bare = tmp_path / "kubeconfig"
    bare.write_text("apiVersion: v1\nkind: Config\n")
    server = (f"--server={rome.cluster.server}", "--insecure-skip-tls-verify")
    held = (f"--client-certificate={shown}", f"--client-key={secret}")
    for what in (("secrets", "-n", "kube-system"), ("secrets", "-n", TENANT), ("nodes",)):
        ended = await kubectl(rome, "get", *what, f"--kubeconfig={bare}", *server, *held)
        assert ended.code == 1
        assert "must be logged in" in ended.stderr
