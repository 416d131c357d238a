"""The challenge: a provider makes a nonce, the consumer signs it, the provider verifies.

What is signed is the text of the nonce, as it stands in the Secret: 88 characters of base64, not
the 64 bytes they stand for.
"""

from __future__ import annotations

from base64 import b64decode, b64encode

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ec import ECDSA, EllipticCurvePublicKey
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
from cryptography.hazmat.primitives.hashes import SHA256

from liqo.rules.keys import private_key, public_key

NONCE_BYTES = 64
NONCE_TEXT = 88  # characters


def nonce(randomness: bytes) -> bytes:
    """The text that a consumer has to sign, made of 64 random bytes."""
    return b64encode(randomness)


def is_nonce(text: bytes) -> bool:
    """Whether a provider can have made it. A key that signs anything else vouches for anything."""
    try:
        return len(text) == NONCE_TEXT and len(b64decode(text, validate=True)) == NONCE_BYTES
    except ValueError:
        return False


def sign(key_pem: bytes, nonce: bytes) -> bytes:
    key = private_key(key_pem)
    if isinstance(key, Ed25519PrivateKey):
        return key.sign(nonce)
    if isinstance(key, RSAPrivateKey):
        return key.sign(nonce, PKCS1v15(), SHA256())
    return key.sign(nonce, ECDSA(SHA256()))


def verify(public: bytes, nonce: bytes, signature: bytes) -> bool:
    """Whether the holder of this key, as PEM or as bare Ed25519 bytes, signed the nonce."""
    try:
        key = public_key(public)
        if isinstance(key, Ed25519PublicKey):
            key.verify(signature, nonce)
        elif isinstance(key, EllipticCurvePublicKey):
            key.verify(signature, nonce, ECDSA(SHA256()))
        else:
            key.verify(signature, nonce, PKCS1v15(), SHA256())
    except (InvalidSignature, ValueError):
        return False
    return True
