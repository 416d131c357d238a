"""What stays with a provider that cannot be told that its consumer leaves."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from liqo.api import labels
from liqo.api.authentication import ResourceSlice
from liqo.api.kubernetes import Secret
from liqo.api.meta import Key
from liqo.api.offloading import NamespaceMap
from liqo.cli.peering.parting import find_all, slices_for
from liqo.cli.peering.sides import Loan
from liqo.rules import names


@dataclass(frozen=True)
class Remains:
    consumer: str
    provider: str
    home: str  # the tenant namespace on the provider
    slices: tuple[str, ...] = ()
    namespaces: tuple[str, ...] = ()  # that were made there for our pods


async def remains(loan: Loan, here: str) -> Remains:
    """As far as the consumer knows, and before it forgets."""
    consumer, provider = loan.consumer, loan.provider_id
    credential = names.kubeconfig_secret(names.controlplane_identity(provider))
    known = await consumer.find(Secret, Key(here, credential)) if here else None
    asked = await find_all(consumer, ResourceSlice, slices_for(provider))
    mapped = await consumer.find(NamespaceMap, Key(here, provider)) if here else None
    return Remains(
        consumer.id,
        provider,
        home_of(known, consumer.id),
        tuple(sorted(each.metadata.name for each in asked)),
        tuple(sorted(mapped.spec.desired_mapping.values())) if mapped is not None else (),
    )


def home_of(credential: Secret | None, consumer: str) -> str:
    """The tenant namespace there: the usual one, unless the credential says another."""
    notes = credential.metadata.annotations if credential is not None else {}
    return notes.get(labels.REMOTE_TENANT_NAMESPACE) or names.tenant_namespace(consumer)


def listed(left: Remains) -> Iterator[str]:
    yield f'the namespace "{left.home}" with the Tenant "{left.consumer}"'
    if left.slices:
        quotas = (names.quota(each, left.consumer) for each in left.slices)
        yield f"its ResourceSlices ({', '.join(left.slices)}) and Quotas ({', '.join(quotas)})"
    if left.namespaces:
        yield f"the namespaces of its pods ({', '.join(left.namespaces)})"


def farewell(left: Remains, *, is_buried: bool) -> str:
    """For the person who leaves; `is_buried`: the provider is told when it answers again."""
    later = "this cluster takes them back when it answers again, or " if is_buried else ""
    return (
        f'the provider "{left.provider}" was not told: there stay {", ".join(listed(left))}; '
        f"{later}its administrator takes them back with: liqoctl drain tenant {left.consumer}"
    )
