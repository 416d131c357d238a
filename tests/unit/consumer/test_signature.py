"""A nonce is signed once, in the right namespace, with the key of this cluster."""

from __future__ import annotations

from base64 import b64decode
from dataclasses import replace
from typing import Any

import msgspec
import pytest
from cryptography.hazmat.primitives.asymmetric import ec

from liqo.api import labels
from liqo.api.kubernetes import Secret
from liqo.api.meta import Key, OwnerReference
from liqo.consumer import signature
from liqo.consumer.home import KeyPair, keys
from liqo.consumer.signature import State, observe, plan
from liqo.kube.reading import Metadata
from liqo.rules import handshake
from liqo.rules.keys import private_pem, public_pem
from liqo.rules.ownership import owned_by
from liqo.runtime.plan import NOTHING, Apply, Manifest, Patch, Record
from liqo.runtime.tenants import tenant_namespaces
from tests.builders import bring
from tests.unit.consumer import things

NONCE = handshake.nonce(bytes(64))
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


def test_S2_what_was_signed_ends_with_the_identity_that_came_of_it() -> None:
    done = a_challenge(nonce=NONCE, signedNonce=handshake.sign(PAIR.private, NONCE))
    identity = things.an_identity()
    (patch,) = plan(replace(state(done), identity=identity)).actions
    assert isinstance(patch, Patch)
    assert patch.only_if_unchanged
    (reference,) = patch.change["metadata"]["ownerReferences"]
    assert (reference["kind"], reference["uid"]) == ("Identity", identity.metadata.uid)


def test_S2_the_owner_is_replaced_by_the_one_that_is_there_and_no_other_is_lost() -> None:
    foreign = OwnerReference(api_version="v1", kind="ConfigMap", name="x", uid="x")
    old = things.an_identity(uid="old")
    metadata = things.meta(
        "liqo-signed-nonce", labels=MARKS, owner_references=(foreign, owned_by(old))
    )
    challenge = a_challenge(nonce=NONCE, signedNonce=handshake.sign(PAIR.private, NONCE))
    decided = state(msgspec.structs.replace(challenge, metadata=metadata))
    (patch,) = plan(replace(decided, identity=things.an_identity(uid="new"))).actions
    assert isinstance(patch, Patch)
    assert [each["uid"] for each in patch.change["metadata"]["ownerReferences"]] == ["x", "new"]
    assert plan(replace(decided, identity=old)) == NOTHING


def test_S2_a_handshake_that_is_going_on_belongs_to_nobody() -> None:
    done = state(a_challenge(nonce=NONCE, signedNonce=handshake.sign(PAIR.private, NONCE)))
    going = things.an_identity(deletion_timestamp="2026-11-15T10:17:16Z")
    assert plan(replace(done, identity=going)) == NOTHING
    assert signed(replace(state(a_challenge(nonce=NONCE)), identity=things.an_identity()))


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
    assert len(watched) == 4
    tenant_namespaces(here).take(Metadata(metadata=things.a_namespace().metadata))
    bring(here, a_challenge(nonce=NONCE))
    bring(here, things.a_secret("another", {}))
    assert observe(here, things.HOME, key) is None  # without our keys
    keys(here, things.HOME).take(things.the_keys(PAIR))
    assert observe(here, things.HOME, key) == state(a_challenge(nonce=NONCE))
    things.put(here, things.an_identity())
    found = observe(here, things.HOME, key)
    assert found is not None
    assert found.identity == things.an_identity()
    (concerned,) = watched[keys(here, things.HOME)](things.the_keys(PAIR))
    assert concerned == key


@pytest.mark.parametrize("text", [b"rome", b"x" * 88, b"A" * 87 + b"!", bytes(88)])
def test_nothing_is_signed_that_is_no_nonce(text: bytes) -> None:
    [told] = plan(state(a_challenge(nonce=text))).actions
    assert isinstance(told, Record)
    assert told.reason == "NotANonce"
