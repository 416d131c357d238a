"""The handshake: the consumer shows who it is, and gets the credentials of a tenant.

Every step makes sure of its own outcome, whatever there is already: a handshake that was cut
short is taken up by the next one.
"""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Mapping
from dataclasses import dataclass

from liqo.api.authentication import Identity, Tenant
from liqo.api.kubernetes import Secret
from liqo.api.meta import Key
from liqo.cli import objects
from liqo.cli.call import Deadline
from liqo.cli.objects import Proof
from liqo.cli.peering import leftovers, namespaces, tombstones
from liqo.cli.peering.complaints import heeded
from liqo.cli.peering.sides import Loan, Pair, Side
from liqo.cli.running import together
from liqo.cli.writing import StillLeaving
from liqo.kube.waiting import until
from liqo.rules import certificates, handshake, keys, names
from liqo.runtime.plan import Manifest

CORDONED = (
    "the provider has cordoned this cluster: what it granted stays, and nothing more is granted "
    "until its administrator runs: liqoctl uncordon tenant {tenant}"
)


@dataclass(frozen=True)
class Places:
    """The tenant namespaces of the two, and the keys that prove who the consumer is."""

    here: str  # on the consumer
    there: str  # on the provider
    keys: Mapping[str, str]  # as the Secret has them

    @property
    def public(self) -> bytes:
        return b64decode(self.keys["publicKey"])

    def proof(self, signature: bytes) -> Proof:
        return Proof(b64decode(self.keys["privateKey"]), self.public, signature)


async def authenticate(pair: Pair, places: Places, proxy_url: str = "") -> None:
    """Anew, if the end of an earlier peering comes between: that takes the nonce along."""
    try:
        tenant = await _recognized(pair, places, proxy_url)
    except StillLeaving:
        async with pair.deadline.waiting("the end of an earlier peering"):
            await leftovers.ended(pair.provider, places.there, pair.consumer.id)
        tenant = await _recognized(pair, places, proxy_url)
    await adopted(pair, places, tenant)


async def _recognized(pair: Pair, places: Places, proxy_url: str) -> Tenant:
    nonce = await challenge(pair, places)
    signature = await signed(pair.loan, places, nonce)
    with pair.consumer.out.step("Retrieving signed nonce", "Signed nonce retrieved"):
        pass  # with the answer
    return await admitted(pair, places, signature, proxy_url)


async def prepare(pair: Pair) -> Places:
    """Both tenant namespaces, once nothing of an earlier peering is in the way."""
    consumer, provider = pair.consumer, pair.provider
    text = "Ensuring tenant namespace", "Tenant namespace correctly ensured"
    with consumer.out.step(*text):
        async with pair.deadline.waiting("the end of an earlier peering, and our key pair"):
            await tombstones.overturn(consumer, provider.id)
            (here, pairs), there = await together(_at_home(pair), _abroad(pair))
    with provider.out.step(*text):
        pass  # made beside the first
    return Places(here, there, pairs)


async def at_home(
    consumer: Side, provider: str, marks: Mapping[str, str] | None = None
) -> tuple[str, Mapping[str, str]]:
    """On the consumer: the namespace, and its key pair, which its controllers make."""
    return await together(namespaces.ensure(consumer, provider, marks), key_pair(consumer))


async def key_pair(consumer: Side) -> Mapping[str, str]:
    where = Key(consumer.namespace, names.AUTHENTICATION_KEYS)
    secret = await until(consumer.cluster, Secret, where, _is_key_pair)
    return secret.data


async def challenge(pair: Pair, places: Places) -> bytes:
    """The nonce that the provider has for us."""
    provider = pair.provider
    with provider.out.step("Ensuring nonce secret", "Nonce secret ensured"):
        wanted = objects.nonce_secret(places.there, pair.consumer.id)
        seen = await provider.put(wanted, Secret)
    nonce = await generated(provider, seen, pair.deadline)
    with provider.out.step("Retrieving nonce", "Nonce retrieved"):
        return nonce


async def generated(provider: Side, seen: Secret, deadline: Deadline) -> bytes:
    """The nonce that its controllers put into the Secret."""
    with provider.out.step("Waiting for nonce to be generated", "Nonce generated successfully"):
        async with deadline.waiting(
            f'the nonce in the Secret "{seen.key}" of {provider.cluster.name}, which the '
            "controllers of Liqo make there; see that they run"
        ):
            secret = await until(provider.cluster, Secret, seen.key, _has_nonce, seen)
    return objects.content(secret, "nonce")


async def signed(loan: Loan, places: Places, nonce: bytes) -> bytes:
    """Our signature of this nonce; that of an earlier one is worth nothing (R19)."""
    consumer = loan.consumer

    def is_signed(secret: Secret) -> bool:
        return handshake.verify(places.public, nonce, objects.content(secret, "signedNonce"))

    with consumer.out.step("Ensuring signed nonce", "Signed nonce secret ensured"):
        seen = await _asked_to_sign(loan, places.here, nonce)
    with consumer.out.step("Waiting for nonce to be signed", "Nonce is signed"):
        async with loan.deadline.waiting(
            f'the signature in the Secret "{seen.key}" of {consumer.cluster.name}, which the '
            "controllers of Liqo make there; see that they run"
        ):
            secret = await until(consumer.cluster, Secret, seen.key, is_signed, seen)
    return objects.content(secret, "signedNonce")


async def admitted(pair: Pair, places: Places, signature: bytes, proxy_url: str) -> Tenant:
    """The Tenant, with the certificate for our key."""
    consumer, provider = pair.consumer, pair.provider
    with consumer.out.step("Generating tenant", "Tenant correctly generated"):
        proof = places.proof(signature)
        wanted = objects.tenant(consumer.id, places.there, proof, proxy_url)
    with provider.out.step(
        "Applying tenant on provider cluster", "Tenant correctly applied on provider cluster"
    ):
        seen = await provider.put(wanted, Tenant)
    if seen.spec.tenant_condition == "Cordoned":
        provider.out.warning(CORDONED.format(tenant=seen.key.name))
    with provider.out.step("Waiting for tenant status to be filled", "Tenant status is filled"):
        async with pair.deadline.waiting(
            f'the status of the Tenant "{seen.key}" of {provider.cluster.name}, which the '
            "controllers of Liqo fill there; see that they run"
        ):
            filled = until(
                provider.cluster, Tenant, seen.key, lambda each: is_ours(each, places.public), seen
            )
            return await heeded(provider.cluster, seen, filled)


async def adopted(pair: Pair, places: Places, tenant: Tenant) -> None:
    """The Identity that holds what the provider gave, and the kubeconfig made of it."""
    consumer, provider = pair.consumer, pair.provider
    granted = tenant.status.auth_params
    assert granted is not None
    with provider.out.step("Generating identity", "Identity correctly generated"):
        remote = tenant.status.tenant_namespace
        wanted = objects.identity(provider.id, places.here, granted, remote)
    with consumer.out.step(
        "Applying identity on consumer cluster", "Identity correctly applied on consumer cluster"
    ):
        seen = await consumer.put(wanted, Identity)
    with consumer.out.step("Waiting for identity status to be filled", "Identity status is filled"):
        async with pair.deadline.waiting(
            f'the status of the Identity "{seen.key}" of {consumer.cluster.name}, which the '
            "controllers of Liqo fill there; see that they run"
        ):
            await until(consumer.cluster, Identity, seen.key, _has_kubeconfig, seen)


def is_ours(tenant: Tenant, public: bytes) -> bool:
    """Its certificate is for our key: it may still be that of the installation before us."""
    granted = tenant.status.auth_params
    if granted is None or not tenant.status.tenant_namespace:
        return False
    if granted.aws_config is not None:
        return True
    try:
        certified = certificates.certified_key(granted.signed_crt)
    except ValueError:
        return False
    return keys.same_key(certified, keys.public_key(public))


async def _at_home(pair: Pair) -> tuple[str, Mapping[str, str]]:
    return await at_home(pair.consumer, pair.provider.id)


async def _abroad(pair: Pair) -> str:
    """On the provider: a Tenant that is ending takes its nonce with it."""
    consumer, provider = pair.consumer.id, pair.provider
    there = await namespaces.ensure(provider, consumer)
    await leftovers.ended(provider, there, consumer)
    return there


async def _asked_to_sign(loan: Loan, here: str, nonce: bytes) -> Secret:
    consumer = loan.consumer
    there = await consumer.find(Secret, Key(here, names.SIGNED_NONCE_SECRET))
    wanted = objects.signed_nonce_secret(here, loan.provider_id, nonce)
    if there is not None and objects.content(there, "nonce") != nonce:
        content = {**wanted.body["data"], "signedNonce": ""}
        wanted = Manifest(wanted.kind, {**wanted.body, "data": content})
    return await consumer.put(wanted, Secret)


def _is_key_pair(secret: Secret) -> bool:
    return all(secret.data.get(half) for half in ("privateKey", "publicKey"))


def _has_nonce(secret: Secret) -> bool:
    return bool(secret.data.get("nonce"))


def _has_kubeconfig(identity: Identity) -> bool:
    return identity.status.kubeconfig_secret_ref is not None
