"""A ResourceSlice: asked for on the consumer, answered by the provider."""

from __future__ import annotations

from liqo.api.authentication import ResourceSlice, ResourceSliceCondition
from liqo.cli.peering.sides import Loan
from liqo.errors import LiqoError
from liqo.kube.waiting import until
from liqo.rules.conditions import find

DENIED = (
    "ResourceSlice resources not accepted. The provider cluster may have cordoned the tenant or "
    "the resourceslice"
)
CORDONED = "ResourceSliceResourcesDenied"  # the reason that says no more than that


async def ask(loan: Loan, wanted: ResourceSlice) -> None:
    """Both answers are waited for (R16): a class of somebody else may take its time."""
    consumer = loan.consumer
    with consumer.out.step("Creating ResourceSlice", "ResourceSlice created"):
        seen = await consumer.put(wanted, ResourceSlice)
    with consumer.out.step("Waiting for ResourceSlice authentication to be accepted"):
        async with loan.deadline.waiting(
            f'an answer of the provider "{loan.provider_id}" to the ResourceSlice "{seen.key}" of '
            f"{consumer.cluster.name}; see: liqoctl info peer {loan.provider_id}"
        ):
            answered = await until(consumer.cluster, ResourceSlice, seen.key, is_answered, seen)
    tell(loan, answered)


def is_answered(asked: ResourceSlice) -> bool:
    """Who is denied the first question is not asked the second."""
    first = find(asked.status.conditions, "Authentication")
    if first is None:
        return False
    return first.status == "Denied" or find(asked.status.conditions, "Resources") is not None


def tell(loan: Loan, answered: ResourceSlice) -> None:
    out = loan.consumer.out
    if not answered.accepted("Authentication"):
        raise LiqoError(
            "Failed waiting for ResourceSlice authentication to be accepted: the provider "
            f'"{loan.provider_id}" denied the ResourceSlice "{answered.key}": '
            f"{_words(find(answered.status.conditions, 'Authentication'))}"
        )
    out.info("ResourceSlice authentication: Accepted")
    if answered.accepted("Resources"):
        out.info("ResourceSlice resources: Accepted")
    else:
        out.warning(denial(answered))


def denial(answered: ResourceSlice) -> str:
    """Why nothing was granted: in the provider's words, where it has more than a no to say."""
    no = find(answered.status.conditions, "Resources")
    if no is None or not no.message or no.reason == CORDONED:
        return DENIED
    return f"ResourceSlice resources not accepted: {_words(no)}"


def _words(answer: ResourceSliceCondition | None) -> str:
    said = (answer.reason, answer.message) if answer is not None else ()
    return ": ".join(filter(None, said)) or "it does not say why"
