"""What `peer` would make, as YAML. Nothing is written for it, so some of it nobody knows yet."""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Iterator

from liqo.api.authentication import AuthParams
from liqo.api.meta import JSON, Resource
from liqo.cli import objects
from liqo.cli.documents import as_yaml
from liqo.cli.objects import Proof
from liqo.cli.peering.handshake import key_pair
from liqo.cli.peering.making import Terms
from liqo.cli.peering.parting import Places, places
from liqo.cli.peering.sides import Pair, Side
from liqo.rules import names
from liqo.runtime.plan import Manifest

NONCE = {"data": {"nonce": "<the nonce that the provider makes>"}}
SIGNATURE = {"signature": "<the consumer's signature of the nonce>"}
GRANTED = {"authParams": "<what the provider writes into the status of the Tenant>"}


async def outlook(pair: Pair, terms: Terms) -> str:
    async with pair.deadline.waiting("our key pair, which the controllers of Liqo make"):
        content = await key_pair(pair.consumer)
    keys = Proof(b64decode(content["privateKey"]), b64decode(content["publicKey"]), b"")
    return "---\n".join(documents(pair, terms, keys, await places(pair)))


def documents(pair: Pair, terms: Terms, keys: Proof, known: Places) -> Iterator[str]:
    """In the order in which they are made; a tenant namespace that is there is used as it is."""
    consumer, provider = pair.consumer, pair.provider
    here = known.here or names.tenant_namespace(provider.id)
    there = known.there or names.tenant_namespace(consumer.id)
    if not known.here:
        yield _document(consumer, objects.tenant_namespace(provider.id))
    if not known.there:
        yield _document(provider, objects.tenant_namespace(consumer.id))
    yield _document(provider, objects.nonce_secret(there, consumer.id))
    yield _document(consumer, objects.signed_nonce_secret(here, provider.id, b""), NONCE)
    tenant = objects.tenant(consumer.id, there, keys, terms.proxy_url)
    yield _document(provider, tenant, {"spec": SIGNATURE})
    identity = objects.identity(provider.id, here, AuthParams(), there)
    yield _document(consumer, identity, {"spec": GRANTED})
    if terms.create_resource_slice:
        asked = objects.resource_slice(provider.id, here, provider.id, terms.wish)
        yield _document(consumer, asked)


def _document(side: Side, thing: Resource | Manifest, later: JSON | None = None) -> str:
    """With what only the other cluster can say."""
    whole = side.stamp.on(objects.body(thing))
    shown = {part: whole[part] for part in ("apiVersion", "kind", "metadata")} | whole
    for part, content in (later or {}).items():
        shown[part] = {**shown.get(part, {}), **content}
    return f'# in the {side.out.scope} cluster, "{side.id}"\n{as_yaml(shown)}'
