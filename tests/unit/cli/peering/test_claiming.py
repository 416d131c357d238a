"""What a printed command carries, and what is asked for with it."""

from __future__ import annotations

import json
from base64 import b64encode, urlsafe_b64encode

import pytest

from liqo.api.meta import JSON, Key
from liqo.cli.peering.claiming import Invitation, claim, let_in
from liqo.errors import LiqoError
from liqo.rules import handshake
from liqo.rules.keys import new_key, private_pem, public_pem
from tests.unit.cli.peering.pairs import an_object, encoded, scene
from tests.unit.kube.scripted import Answer, a_list, refuses, says

KEY = new_key(tls_compatible=False)
PUBLIC = public_pem(KEY.public_key())
PAIR = encoded({"privateKey": private_pem(KEY), "publicKey": PUBLIC})
NAME = "liqo-peer-12345678"


def token(subject: str) -> str:
    payload = urlsafe_b64encode(json.dumps({"sub": subject}).encode()).decode().rstrip("=")
    return f"header.{payload}.signature"


INVITATION = Invitation("https://milan:6443/", token(f"system:serviceaccount:liqo:{NAME}"))


def answered(phase: str, public: bytes = PUBLIC, **status: str) -> JSON:
    spec = {"clusterID": "rome", "publicKey": b64encode(public).decode()}
    return an_object(NAME, "liqo", spec=spec, status={"phase": phase, **status})


def test_the_token_says_whose_claim_it_is() -> None:
    assert INVITATION.account == Key("liqo", NAME)
    assert INVITATION.access.server == "https://milan:6443"


@pytest.mark.parametrize("wrong", ["", "abc", "a.b.c", token("system:node:x"), token("x:y:z:u")])
def test_another_token_is_refused_in_a_sentence(wrong: str) -> None:
    with pytest.raises(LiqoError, match="--auth-token is not the token of a ServiceAccount"):
        _ = Invitation("https://milan:6443", wrong).account


def test_an_authority_that_is_none_is_refused_in_a_sentence() -> None:
    with pytest.raises(LiqoError, match="--auth-ca is not base64"):
        _ = Invitation("https://milan:6443", "", "%%%").access


def test_a_claim_is_signed_with_the_key_that_it_names() -> None:
    spec = claim(Key("liqo", NAME), "rome", PAIR).spec
    assert handshake.verify(spec.public_key, NAME.encode(), spec.signature)


async def test_who_is_let_in_learns_where_to_go() -> None:
    ready = answered("Ready", tenantNamespace="liqo-tenant-rome")
    async with scene(milan=[says(ready), a_list(ready, version="1")]) as world:
        assert await let_in(world.pair, INVITATION, PAIR) == "liqo-tenant-rome"


async def test_what_we_claimed_before_is_ours() -> None:
    ready = answered("Ready", tenantNamespace="liqo-tenant-rome")
    answers = [refuses(403), says(ready), a_list(ready, version="1")]
    async with scene(milan=answers) as world:
        assert await let_in(world.pair, INVITATION, PAIR) == "liqo-tenant-rome"


@pytest.mark.parametrize(
    ("answers", "sentence"),
    [
        (
            [says(answered("Denied")), a_list(answered("Denied", message="no."), version="1")],
            'the provider "milan" denies the peering: no.',
        ),
        (
            [refuses(409), says(answered("Ready", b"of another"))],
            'the command was used already, by the cluster "rome"; ask',
        ),
        ([refuses(401)], "does not take the token of the command any more; ask"),
    ],
)
async def test_who_is_not_let_in_learns_why(answers: list[Answer], sentence: str) -> None:
    async with scene(milan=answers) as world:
        with pytest.raises(LiqoError, match=sentence):
            await let_in(world.pair, INVITATION, PAIR)
