"""A nonce is signed once, in the right namespace, with the key of this cluster."""

from __future__ import annotations

from base64 import b64decode
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric import ec

from liqo.api import labels
from liqo.api.kubernetes import Secret
from liqo.api.meta import Key
from liqo.consumer import signature
from liqo.consumer.home import KeyPair, keys, tenant_namespaces
from liqo.consumer.signature import State, observe, plan
from liqo.kube.reading import Metadata
from liqo.rules import handshake
from liqo.rules.keys import private_pem, public_pem
from liqo.runtime.plan import NOTHING, Apply, Manifest, Record
from tests.unit.consumer import things

NONCE = b"n" * 88
MARKS = {labels.SIGNED_NONCE: "true", labels.REMOTE_CLUSTER_ID: "milan"}
PAIR = things.key_pair()


def a_challenge(marks: dict[str, str] = MARKS, **content: bytes) -> Secret:
    return things.a_secret("liqo-signed-nonce", content, labels=marks)


def state(challenge: Secret, *namespaces: str, pair: KeyPair = PAIR) -> State:
    return State(challenge, pair, namespaces or (things.NAMESPACE,))


def signed(decided: State) -> bytes:
    apply, record = plan(decided).actions
    assert isinstance(apply, Apply)
    assert isinstance(apply.object, Manifest)
    assert isinstance(record, Record)
    assert record.reason == "NonceSigned"
    return b64decode(apply.object.body["data"]["signedNonce"])


def test_a_nonce_is_signed_as_the_text_it_is() -> None:
    found = signed(state(a_challenge(nonce=NONCE)))
    assert handshake.verify(PAIR.public, NONCE, found)


def test_a_signature_of_another_nonce_is_replaced() -> None:
    old = handshake.sign(PAIR.private, b"another")
    found = signed(state(a_challenge(nonce=NONCE, signedNonce=old)))
    assert handshake.verify(PAIR.public, NONCE, found)


def test_what_is_signed_is_left_alone() -> None:
    signature_ = handshake.sign(PAIR.private, NONCE)
    assert plan(state(a_challenge(nonce=NONCE, signedNonce=signature_))) == NOTHING


def test_r4_a_signature_is_verified_and_not_compared() -> None:
    """ECDSA never gives the same one twice."""
    key = ec.generate_private_key(ec.SECP256R1())
    pair = KeyPair(private_pem(key), public_pem(key.public_key()))
    challenge = a_challenge(nonce=NONCE, signedNonce=handshake.sign(pair.private, NONCE))
    assert plan(state(challenge, pair=pair)) == NOTHING


def test_without_a_nonce_there_is_nothing_to_sign() -> None:
    assert plan(state(a_challenge())) == NOTHING


@pytest.mark.parametrize(
    ("marks", "namespaces", "reason"),
    [
        ({labels.SIGNED_NONCE: "true"}, (), "MissingRemoteClusterID"),
        (MARKS, (), "TenantNamespaceNotFound"),
        (MARKS, ("elsewhere",), "WrongNamespace"),
        (MARKS, (things.NAMESPACE, "elsewhere"), "WrongNamespace"),
    ],
)
def test_a_challenge_in_the_wrong_place_is_refused_in_words(
    marks: dict[str, str], namespaces: tuple[str, ...], reason: str
) -> None:
    decided = State(a_challenge(marks, nonce=NONCE), PAIR, namespaces)
    (record,) = plan(decided).actions
    assert isinstance(record, Record)
    assert (record.reason, record.type) == (reason, "Warning")


def test_what_is_observed() -> None:
    here = things.caches()
    key = Key(things.NAMESPACE, "liqo-signed-nonce")
    watched: Any = signature.controller(here, things.HOME).watches
    assert len(watched) == 3
    signature.challenges(here).take(a_challenge(nonce=NONCE))
    assert observe(here, things.HOME, key) is None  # without our keys
    keys(here, things.HOME).take(things.the_keys(PAIR))
    tenant_namespaces(here).take(Metadata(metadata=things.a_namespace().metadata))
    assert observe(here, things.HOME, key) == state(a_challenge(nonce=NONCE))
    (concerned,) = watched[keys(here, things.HOME)](things.the_keys(PAIR))
    assert concerned == key
