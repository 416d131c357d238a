"""A ResourceSlice: asked for on the consumer, answered by the provider."""

from __future__ import annotations

from functools import partial

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
TO_ALL = "ResourceSlice resources denied"  # the message of who is cordoned, whatever the class
NOBODY = "NoClassController"  # the reason of a denial that is about the class alone


async def ask(loan: Loan, wanted: ResourceSlice) -> None:
    """Both answers are waited for (R16): a class of somebody else may take its time."""
    consumer = loan.consumer
    with consumer.out.step("Creating ResourceSlice", "ResourceSlice created"):
        before = await consumer.find(ResourceSlice, wanted.key)
        seen = await consumer.put(wanted, ResourceSlice)
    with consumer.out.step("Waiting for ResourceSlice authentication to be accepted"):
        async with loan.deadline.waiting(
            f'an answer of the provider "{loan.provider_id}" to the ResourceSlice "{seen.key}" of '
            f"{consumer.cluster.name}; see: liqoctl info peer {loan.provider_id}"
        ):
            holds = partial(is_answered, before)
            answered = await until(consumer.cluster, ResourceSlice, seen.key, holds, seen)
    tell(loan, answered)


def is_answered(before: ResourceSlice | None, asked: ResourceSlice) -> bool:
    """Who is denied the first question is not asked the second."""
    first = find(asked.status.conditions, "Authentication")
    if first is None:
        return False
    second = find(asked.status.conditions, "Resources")
    return first.status == "Denied" or (second is not None and is_about(second, asked, before))


def is_about(
    answer: ResourceSliceCondition, asked: ResourceSlice, before: ResourceSlice | None
) -> bool:
    """Whether it answers this question, and not one for another class, that was asked before.

    the answer          | before                 | is about this class
    --------------------+------------------------+------------------------------------
    Accepted            | any                    | yes: then no class can change
    NoClassController   | any                    | if it names it
    Denied to everybody | any                    | yes: it is about the tenant
    Denied              | it was the same, to us | no, if we asked for another class
    Denied              | another, or none       | yes
    """
    if answer.status == "Accepted":
        return True
    if answer.reason == NOBODY:
        return f'"{asked.spec.class_}"' in answer.message
    if before is None or before.spec.class_ == asked.spec.class_ or answer.message == TO_ALL:
        return True
    return answer != find(before.status.conditions, "Resources")


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
