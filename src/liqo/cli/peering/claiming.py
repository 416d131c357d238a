"""Peering with a printed command: its token may ask once to be let in; then it is a peering user.

What stands behind the command is written down in docs/adr/0018-claims-and-tombstones.md.
"""

from __future__ import annotations

import json
from base64 import b64decode, urlsafe_b64decode
from binascii import Error as NotBase64
from collections.abc import Mapping
from dataclasses import dataclass

from liqo.api.authentication import PeeringClaim, PeeringClaimSpec
from liqo.api.meta import Key, Meta
from liqo.cli.peering.sides import Pair
from liqo.errors import LiqoError
from liqo.kube.access import Access, Material, User
from liqo.kube.errors import Conflict, Forbidden, Unauthorized
from liqo.kube.waiting import until
from liqo.rules import handshake

ANOTHER = "ask the provider's administrator for another: liqoctl generate peer-command"


@dataclass(frozen=True)
class Invitation:
    """What the command carries."""

    url: str
    token: str
    authority: str = ""  # PEM, in base64; empty: one that everybody trusts

    @property
    def access(self) -> Access:
        try:
            authority = b64decode(self.authority, validate=True).decode()
        except ValueError:
            raise LiqoError(
                "--auth-ca is not base64 of PEM: copy the whole command that the provider printed"
            ) from None
        return Access(
            server=self.url.rstrip("/"),
            authority=Material(data=authority),
            user=User(token=Material(data=self.token)),
            source="the command of the provider",
        )

    @property
    def account(self) -> Key:
        """Whose token it is: the claim has the same name."""
        try:
            payload = self.token.split(".")[1]
            subject = json.loads(urlsafe_b64decode(payload + "=" * (-len(payload) % 4)))["sub"]
            _, kind, namespace, name = subject.split(":")
        except (IndexError, KeyError, TypeError, ValueError, NotBase64):
            kind = namespace = name = ""
        if kind != "serviceaccount":
            raise LiqoError(
                "--auth-token is not the token of a ServiceAccount: copy the whole command that "
                "the provider printed"
            )
        return Key(namespace, name)


async def let_in(pair: Pair, invitation: Invitation, keys: Mapping[str, str]) -> str:
    """The tenant namespace that the provider has for us, once it lets us in."""
    provider, key = pair.provider, invitation.account
    wanted = claim(key, pair.consumer.id, keys)
    with provider.out.step("Claiming the peering", "Peering claimed"):
        try:
            answer = await _claimed(pair, wanted)
        except Unauthorized as no:
            raise LiqoError(
                f'the provider "{provider.id}" does not take the token of the command any more; '
                f"{ANOTHER}"
            ) from no
    if answer.status.phase == "Denied":
        raise LiqoError(f'the provider "{provider.id}" denies the peering: {answer.status.message}')
    return answer.status.tenant_namespace


def claim(key: Key, consumer: str, keys: Mapping[str, str]) -> PeeringClaim:
    signature = handshake.sign(b64decode(keys["privateKey"]), key.name.encode())
    return PeeringClaim(
        metadata=Meta(name=key.name, namespace=key.namespace),
        spec=PeeringClaimSpec(
            cluster_id=consumer, public_key=b64decode(keys["publicKey"]), signature=signature
        ),
    )


async def _claimed(pair: Pair, wanted: PeeringClaim) -> PeeringClaim:
    """Answered, be it by yes or no. One that we made before is as good."""
    from liqo.cli.objects import body

    provider, key = pair.provider, wanted.key
    try:
        await provider.cluster.create(body(wanted), kind=wanted.KIND, namespace=key.namespace)
    except (Conflict, Forbidden):
        there = await provider.cluster.get(PeeringClaim, key)
        if there.spec.public_key != wanted.spec.public_key:
            raise LiqoError(
                f'the command was used already, by the cluster "{there.spec.cluster_id}"; {ANOTHER}'
            ) from None
    async with pair.deadline.waiting(
        f'an answer to the PeeringClaim "{key}" of {provider.cluster.name}, which the controllers '
        "of Liqo give there; see that they run"
    ):
        return await until(provider.cluster, PeeringClaim, key, _is_answered)


def _is_answered(claim: PeeringClaim) -> bool:
    return claim.status.phase in {"Ready", "Denied"}
