"""A printed peering command, step by step: its token, and the claim that is made with it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from uuid import uuid4

from liqo.api.authentication import PeeringClaim
from liqo.api.meta import Key
from liqo.cli.objects import body
from liqo.cli.peering import claiming, inviting
from liqo.cli.peering.handshake import key_pair
from liqo.kube.access import Material, User
from liqo.kube.cluster import Cluster
from liqo.rules import names
from liqo.runtime.clock import timestamp
from tests.e2e.eventually import eventually
from tests.e2e.peering import Side

LIFETIME = 600  # seconds: the shortest that an API server issues


@dataclass(frozen=True)
class Command:
    """What is printed: the name of the claim, and the token that may make it."""

    name: str
    token: str

    @property
    def account(self) -> Key:
        return Key("liqo", self.name)


async def print_command(provider: Side) -> Command:
    """As the administrator of the provider, for whoever comes first."""
    account = Key("liqo", names.claim(uuid4().hex[:8]))
    end = timestamp(datetime.now(UTC) + timedelta(seconds=LIFETIME))
    for made in inviting.objects(account, "", end):
        await provider.apply(made.kind, made.body)
    token = await provider.cluster.token(account, expiration_seconds=LIFETIME)
    return Command(account.name, token.value)


@asynccontextmanager
async def holding(command: Command, provider: Side) -> AsyncIterator[Cluster]:
    """The provider, for who has nothing but the command."""
    access = replace(provider.cluster.access, user=User(token=Material(command.token)))
    async with Cluster(access, name=provider.id) as cluster:
        yield cluster


async def claim(command: Command, consumer: Side, there: Cluster) -> PeeringClaim:
    """As soon as there is an answer to it."""
    wanted = claiming.claim(command.account, consumer.id, await key_pair(consumer.seen("local")))

    async def claimed() -> object:
        """An API server knows a moment later than it says so what a new account may do."""
        return await there.create(body(wanted), kind=PeeringClaim.KIND, namespace="liqo")

    await eventually(claimed, bool)

    async def answered() -> PeeringClaim:
        return await there.get(PeeringClaim, command.account)

    return await eventually(answered, lambda found: found.status.phase in ("Ready", "Denied"))
