"""Key pairs as the wire has them: Ed25519 by default, RSA and ECDSA where somebody needs them."""

from __future__ import annotations

from typing import TypeAlias

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ec import (
    EllipticCurvePrivateKey,
    EllipticCurvePublicKey,
)
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.asymmetric.rsa import (
    RSAPrivateKey,
    RSAPublicKey,
    generate_private_key,
)
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
    load_pem_private_key,
    load_pem_public_key,
)

PrivateKey: TypeAlias = Ed25519PrivateKey | RSAPrivateKey | EllipticCurvePrivateKey
PublicKey: TypeAlias = Ed25519PublicKey | RSAPublicKey | EllipticCurvePublicKey

BARE = 32  # bytes of an Ed25519 key; peers older than 1.0.2 send them without PEM around
RSA_BITS = 2048


def new_key(*, tls_compatible: bool) -> PrivateKey:
    """RSA for those whose TLS does not know Ed25519."""
    if tls_compatible:
        return generate_private_key(public_exponent=65537, key_size=RSA_BITS)
    return Ed25519PrivateKey.generate()


def private_key(pem: bytes) -> PrivateKey:
    """ValueError where it is none of the three kinds."""
    try:
        key = load_pem_private_key(pem, None)
    except (TypeError, UnsupportedAlgorithm) as error:  # TypeError: it is encrypted
        raise ValueError(f"not a usable private key: {error}") from error
    if not isinstance(key, Ed25519PrivateKey | RSAPrivateKey | EllipticCurvePrivateKey):
        raise ValueError("the private key is neither Ed25519 nor RSA nor ECDSA")
    return key


def public_key(content: bytes) -> PublicKey:
    """From PEM, or from the bare bytes of an Ed25519 key; ValueError where it is neither."""
    if len(content) == BARE:
        return Ed25519PublicKey.from_public_bytes(content)
    try:
        key = load_pem_public_key(content)
    except UnsupportedAlgorithm as error:
        raise ValueError(f"not a usable public key: {error}") from error
    return usable(key)


def usable(key: object) -> PublicKey:
    """A key of one of the three kinds; ValueError where it is another."""
    if not isinstance(key, Ed25519PublicKey | RSAPublicKey | EllipticCurvePublicKey):
        raise ValueError("the public key is neither Ed25519 nor RSA nor ECDSA")
    return key


def private_pem(key: PrivateKey) -> bytes:
    return key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())


def public_pem(key: PublicKey) -> bytes:
    return key.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)


def same_key(one: PublicKey, other: PublicKey) -> bool:
    return public_pem(one) == public_pem(other)
