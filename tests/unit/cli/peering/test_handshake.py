"""Whose certificate it is, and which nonce was signed."""

from __future__ import annotations

import json
from base64 import b64decode

import pytest

from liqo.api.authentication import AuthParams, AwsConfig, Tenant, TenantStatus
from liqo.cli.peering.handshake import Places, admitted, authenticate, challenge, is_ours, signed
from liqo.errors import LiqoError
from liqo.rules import handshake
from liqo.rules.keys import new_key, private_key, private_pem, public_pem
from tests.unit.cli.peering.pairs import HERE, THERE, an_object, encoded, methods, scene
from tests.unit.kube.certificates import Authority
from tests.unit.kube.scripted import a_list, a_watch, an_event, refuses, says

KEY = new_key(tls_compatible=False)
PUBLIC = public_pem(KEY.public_key())
PAIR = encoded({"privateKey": private_pem(KEY), "publicKey": PUBLIC})
PLACES = Places(HERE, THERE, PAIR)


def nonce_secret(**content: bytes) -> dict[str, object]:
    return an_object("liqo-nonce", THERE, data=encoded(content))


def signed_secret(version: str = "1", **content: bytes) -> dict[str, object]:
    where = {"resourceVersion": version}
    return an_object("liqo-signed-nonce", HERE, data=encoded(content), metadata=where)


async def test_a_nonce_that_is_there_costs_one_request() -> None:
    async with scene(milan=[says(nonce_secret(nonce=b"abc"))]) as world:
        assert await challenge(world.pair, PLACES) == b"abc"
    assert methods(world.milan.asked) == ["PATCH"]


async def test_a_nonce_to_come_is_watched_from_what_was_written() -> None:
    later = a_watch(an_event("MODIFIED", nonce_secret(nonce=b"abc")), stays=True)
    async with scene(milan=[says(nonce_secret()), later]) as world:
        assert await challenge(world.pair, PLACES) == b"abc"
    assert "watch=true" in world.milan.asked[1].path
    assert "resourceVersion=1" in world.milan.asked[1].path


async def test_r19_a_new_nonce_clears_the_signature_of_the_old_one() -> None:
    old = signed_secret(nonce=b"old", signedNonce=b"of the old one")
    cleared = signed_secret("2", nonce=b"new")
    signature = handshake.sign(private_pem(KEY), b"new")
    now = signed_secret("3", nonce=b"new", signedNonce=signature)
    wrong = signed_secret("3", nonce=b"new", signedNonce=b"of the old one")
    later = a_watch(an_event("MODIFIED", wrong), an_event("MODIFIED", now), stays=True)
    async with scene(rome=[says(old), says(cleared), later]) as world:
        assert await signed(world.loan, PLACES, b"new") == signature
    sent = json.loads(world.rome.asked[1].body)["data"]
    assert {name: b64decode(value) for name, value in sent.items()} == {
        "nonce": b"new",
        "signedNonce": b"",
    }


async def test_the_signature_of_the_same_nonce_stays() -> None:
    signature = handshake.sign(private_pem(KEY), b"abc")
    there = signed_secret(nonce=b"abc", signedNonce=signature)
    async with scene(rome=[says(there), says(there)]) as world:
        assert await signed(world.loan, PLACES, b"abc") == signature
    assert "signedNonce" not in json.loads(world.rome.asked[1].body)["data"]


async def test_the_first_nonce_has_nothing_to_clear() -> None:
    signature = handshake.sign(private_pem(KEY), b"abc")
    there = signed_secret(nonce=b"abc", signedNonce=signature)
    async with scene(rome=[refuses(404), says(there)]) as world:
        assert await signed(world.loan, PLACES, b"abc") == signature
    assert list(json.loads(world.rome.asked[1].body)["data"]) == ["nonce"]


THEIRS = Authority().pair("rome")
OF_THEIRS = public_pem(private_key(THEIRS.key.encode()).public_key())
AWS = AwsConfig(
    aws_access_key_id="a",
    aws_secret_access_key="b",
    aws_region="c",
    aws_cluster_name="d",
    aws_user_arn="e",
)


@pytest.mark.parametrize(("condition", "warned"), [("Active", False), ("Cordoned", True)])
async def test_S4_who_is_cordoned_is_told_when_it_peers_again(
    condition: str, warned: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    places = Places(HERE, THERE, {**PAIR, **encoded({"publicKey": OF_THEIRS})})
    granted = {"authParams": encoded({"signedCRT": THEIRS.certificate.encode()})}
    tenant = an_object(
        "rome",
        THERE,
        spec={"clusterID": "rome", "tenantCondition": condition},
        status={**granted, "tenantNamespace": THERE},
    )
    async with scene(milan=[says(tenant)]) as world:
        await admitted(world.pair, places, b"signature", "")
    text = "nothing more is granted until its administrator runs: liqoctl uncordon tenant rome"
    assert (text in capsys.readouterr().err) is warned


async def test_a_tenant_that_leaves_meanwhile_is_waited_for_and_asked_for_anew() -> None:
    """Its nonce goes with it: all that came before is worth nothing."""
    going = {"deletionTimestamp": "2026-01-01T00:00:00Z"}
    leaving = an_object("rome", THERE, metadata=going, spec={"clusterID": "rome"})
    signatures = {nonce: handshake.sign(private_pem(KEY), nonce) for nonce in (b"old", b"new")}
    first, second = (
        signed_secret(nonce=nonce, signedNonce=signature) for nonce, signature in signatures.items()
    )
    milan = [
        says(nonce_secret(nonce=b"old")),
        says(leaving),
        a_list(version="2"),
        says(nonce_secret(nonce=b"new")),
        refuses(403, "enough of it"),
        refuses(403, "enough of it"),
    ]
    rome = [says(first), says(first), says(second), says(second)]
    async with scene(rome=rome, milan=milan) as world:
        with pytest.raises(LiqoError, match="enough of it"):
            await authenticate(world.pair, PLACES)
    told = json.loads(world.milan.asked[4].body)["spec"]["signature"]
    assert b64decode(told) == signatures[b"new"]


@pytest.mark.parametrize(
    ("status", "key", "ours"),
    [
        (TenantStatus(), OF_THEIRS, False),
        (TenantStatus(tenant_namespace=THERE), OF_THEIRS, False),
        (("", THEIRS.certificate.encode()), OF_THEIRS, False),
        ((THERE, THEIRS.certificate.encode()), OF_THEIRS, True),
        ((THERE, THEIRS.certificate.encode()), PUBLIC, False),
        ((THERE, b"not a certificate"), PUBLIC, False),
        (
            TenantStatus(tenant_namespace=THERE, auth_params=AuthParams(aws_config=AWS)),
            PUBLIC,
            True,
        ),
    ],
)
def test_a_status_is_ours_if_its_certificate_is_for_our_key(
    status: TenantStatus | tuple[str, bytes], key: bytes, ours: bool
) -> None:
    if isinstance(status, tuple):
        granted = AuthParams(signed_crt=status[1])
        status = TenantStatus(tenant_namespace=status[0], auth_params=granted)
    assert is_ours(Tenant(status=status), key) is ours
