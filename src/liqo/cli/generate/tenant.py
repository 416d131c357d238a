"""The consumer's half of a handshake by hand: who it is, and its signature of the nonce."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from liqo.api.kubernetes import Secret
from liqo.api.meta import Key
from liqo.cli import objects
from liqo.cli.call import Call, Deadline
from liqo.cli.installation import find
from liqo.cli.objects import content, printed
from liqo.cli.peering import handshake, namespaces
from liqo.cli.peering.sides import Loan, alone
from liqo.errors import LiqoError
from liqo.rules import names


async def generate(call: Call, provider: str, said: Mapping[str, Any]) -> None:
    deadline = Deadline(said["timeout"])
    async with call.cluster() as cluster:
        home = await find(cluster, said["liqo_namespace"], "--liqo-namespace")
        loan = Loan(alone(call, cluster, home), provider, deadline)
        with call.out.step("Ensuring tenant namespace", "Tenant namespace correctly ensured"):
            async with deadline.waiting("the key pair that the controllers of Liqo make here"):
                here = await namespaces.ensure(loan.consumer, provider)
                keys = await handshake.key_pair(loan.consumer)
        there = said["remote_tenant_namespace"] or names.tenant_namespace(home.id)
        places = handshake.Places(here, there, keys)
        nonce = said["nonce"].strip().encode() or await earlier_nonce(loan, here)
        proof = places.proof(await handshake.signed(loan, places, nonce))
        tenant = objects.tenant(home.id, there, proof, said["proxy_url"])
    call.out.document(printed(tenant, loan.consumer.stamp), said["form"] or "yaml")


async def earlier_nonce(loan: Loan, here: str) -> bytes:
    """R18: none given means the one of before."""
    secret = await loan.consumer.find(Secret, Key(here, names.SIGNED_NONCE_SECRET))
    nonce = content(secret, "nonce") if secret is not None else b""
    if not nonce:
        raise LiqoError(
            f'nonce not provided and no nonce secret found for "{loan.provider_id}"; get one on '
            "the provider with: liqoctl get nonce, and give it with --nonce"
        )
    return nonce
