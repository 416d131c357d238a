"""A nonce by hand: the provider's first step of a handshake."""

from __future__ import annotations

from typing import Literal

from liqo.api.kubernetes import Secret
from liqo.cli import objects
from liqo.cli.call import Call, Deadline
from liqo.cli.objects import Stamp, printed
from liqo.cli.peering import namespaces
from liqo.cli.peering.handshake import generated
from liqo.cli.peering.sides import alone


async def create(call: Call, consumer: str, timeout: float) -> None:
    deadline = Deadline(timeout)
    async with call.cluster() as cluster:
        provider = alone(call, cluster)
        with call.out.step("Creating nonce", "Nonce created"):
            async with deadline.waiting("the end of an earlier tenant namespace"):
                namespace = await namespaces.ensure(provider, consumer)
            wanted = objects.nonce_secret(namespace, consumer)
            seen = await provider.put(wanted, Secret)
        nonce = await generated(provider, seen, deadline)
    call.out.info(f"Nonce retrieved: {nonce.decode()}")


async def show(call: Call, consumer: str, form: Literal["yaml", "json"]) -> None:
    home, stamp = objects.tenant_namespace(consumer), Stamp.of(call.settings)
    async with call.cluster() as cluster:
        name = await namespaces.find_name(cluster, consumer) or home.body["metadata"]["name"]
    items = [printed(each, stamp) for each in (home, objects.nonce_secret(name, consumer))]
    call.out.document({"apiVersion": "v1", "kind": "List", "items": items}, form)
