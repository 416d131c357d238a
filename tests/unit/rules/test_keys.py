"""Keys, as text and back."""

import pytest
from cryptography.hazmat.primitives.asymmetric import ec, ed448
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
)

from liqo.rules.keys import new_key, private_key, private_pem, public_key, public_pem, same_key

ED25519 = new_key(tls_compatible=False)
RSA = new_key(tls_compatible=True)
ECDSA = ec.generate_private_key(ec.SECP256R1())
UNHEARD_OF = b"-----BEGIN PUBLIC KEY-----\nMAkwBAYCKgMDAQA=\n-----END PUBLIC KEY-----\n"
STRANGE = ed448.Ed448PrivateKey.generate()


def test_keys_are_ed25519_or_where_tls_must_be_compatible_rsa() -> None:
    assert isinstance(ED25519, Ed25519PrivateKey)
    assert isinstance(RSA, RSAPrivateKey)
    assert RSA.key_size == 2048


@pytest.mark.parametrize("key", [ED25519, RSA, ECDSA])
def test_keys_are_read_back_as_they_were(key: Ed25519PrivateKey) -> None:
    pem, public = private_pem(key), public_pem(key.public_key())
    assert pem.startswith(b"-----BEGIN PRIVATE KEY-----\n")
    assert public.startswith(b"-----BEGIN PUBLIC KEY-----\n")
    assert private_pem(private_key(pem)) == pem
    assert same_key(public_key(public), private_key(pem).public_key())


def test_a_bare_ed25519_key_of_an_old_peer_is_the_same_key() -> None:
    bare = ED25519.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)
    assert same_key(public_key(bare), ED25519.public_key())
    assert not same_key(public_key(bare), RSA.public_key())


def test_a_locked_or_strange_private_key_is_refused() -> None:
    locked = ED25519.private_bytes(
        Encoding.PEM, PrivateFormat.PKCS8, BestAvailableEncryption(b"secret")
    )
    strange = STRANGE.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    for pem in (locked, strange, b"", b"-----BEGIN PRIVATE KEY-----"):
        with pytest.raises(ValueError, match=r"key|PEM"):
            private_key(pem)


def test_a_strange_public_key_is_refused() -> None:
    strange = STRANGE.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    for content in (strange, UNHEARD_OF, b"", b"x" * 31):
        with pytest.raises(ValueError, match=r"key|PEM"):
            public_key(content)
