"""Nonces, and who signed them."""

import base64

import pytest
from cryptography.hazmat.primitives.asymmetric import ec

from liqo.rules import handshake, keys

NONCE = handshake.nonce(bytes(64))
ED25519 = keys.new_key(tls_compatible=False)
KINDS = {
    "Ed25519": ED25519,
    "RSA": keys.new_key(tls_compatible=True),
    "ECDSA": ec.generate_private_key(ec.SECP256R1()),
}
FOR_EACH_KIND = pytest.mark.parametrize("key", KINDS.values(), ids=KINDS)


def test_a_nonce_is_a_text_of_88_characters() -> None:
    assert NONCE == b"A" * 86 + b"=="
    assert len(base64.b64decode(NONCE)) == handshake.NONCE_BYTES


@FOR_EACH_KIND
def test_what_was_signed_is_verified(key: keys.PrivateKey) -> None:
    public = keys.public_pem(key.public_key())
    signature = handshake.sign(keys.private_pem(key), NONCE)
    assert handshake.verify(public, NONCE, signature)
    assert not handshake.verify(public, handshake.nonce(b"x" * 64), signature)
    assert not handshake.verify(public, NONCE, b"")


@FOR_EACH_KIND
def test_the_signature_of_another_is_refused(key: keys.PrivateKey) -> None:
    other = keys.public_pem(keys.new_key(tls_compatible=False).public_key())
    assert not handshake.verify(other, NONCE, handshake.sign(keys.private_pem(key), NONCE))


def test_what_is_signed_is_the_text_and_not_the_bytes_it_stands_for() -> None:
    public = keys.public_pem(ED25519.public_key())
    over_bytes = handshake.sign(keys.private_pem(ED25519), base64.b64decode(NONCE))
    assert not handshake.verify(public, NONCE, over_bytes)


def test_a_signature_of_the_wire_is_verified_also_with_a_bare_key() -> None:
    """Made by the Go implementation's libraries: RFC 8032, test 2."""
    public = bytes.fromhex("3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c")
    signature = bytes.fromhex(
        "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da"
        "085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00"
    )
    assert handshake.verify(public, b"\x72", signature)


@pytest.mark.parametrize("rubbish", [b"", b"liqo", b"x" * 33])
def test_a_key_that_is_none_verifies_nothing(rubbish: bytes) -> None:
    assert not handshake.verify(rubbish, NONCE, b"x" * 64)
