"""Whether a quota allows a claim: in the words of the wire, and then what they mean."""

from __future__ import annotations

from collections.abc import Iterator

from liqo.api.offloading import Enforcement, Quota
from liqo.api.sizes import NO_SIZES, ContainerSize, PodSize
from liqo.api.values import ResourceList
from liqo.rules.capacity import form_of
from liqo.rules.quantity import Quantity
from liqo.rules.usage import PODS, Amounts, amounts, of_container
from liqo.webhooks.quota.claim import Claim
from liqo.webhooks.review import Deny
from liqo.webhooks.reviews.amounts import check_amounts

NO_CREATOR = "missing creator label"
NO_QUOTA = "failed getting quota"
CORDONED = "user is cordoned"
NEEDED = frozenset({"cpu", "memory"})  # where limits are enforced, of every container


def check(claim: Claim, quota: Quota | None) -> Deny | None:
    """
    claim  | what there is                                    | verdict
    -------+--------------------------------------------------+------------------------------
    new    | nobody who made it                               | missing creator label
    new    | no Quota of that user                            | failed getting quota
    new    | a cordoned one                                   | user is cordoned
    new    | no containers                                    | … has no containers defined
    any    | a quantity that is none, or less than nothing    | said so
    any    | Soft or Hard, and a container without requests   | … requests not set …
    any    | Hard, and a limit that is not what it requests   | … are not equal …
    any    | else                                             | whether it fits (`fit`)
    """
    refused = None if claim.is_change else check_user(claim, quota)
    if refused is not None:
        return refused
    level = quota.spec.limits_enforcement if quota is not None else None
    return check_quantities(claim.pod) or check_limits(claim.pod, level)


def check_user(claim: Claim, quota: Quota | None) -> Deny | None:
    if not claim.user:
        return Deny(f"{NO_CREATOR}: nobody knows whose quota counts")
    if quota is None:
        return Deny(f'{NO_QUOTA}: there is none of the user "{claim.user}"')
    if quota.spec.cordoned:
        return Deny(
            f'{CORDONED}: the Quota "{quota.key}" takes no more pods until it is uncordoned'
        )
    if not claim.pod.containers:
        return Deny(f"ShadowPod {claim.name} has no containers defined")
    return None


def check_quantities(pod: PodSize) -> Deny | None:
    for where, written in quantities(pod):
        if refused := check_amounts(written or {}, f"spec.pod.{where}"):
            return refused
    return None


def quantities(pod: PodSize) -> Iterator[tuple[str, ResourceList | None]]:
    """All that is written in a pod, and where."""
    for name, containers in (
        ("containers", pod.containers),
        ("initContainers", pod.init_containers),
    ):
        for number, container in enumerate(containers or ()):
            sizes = container.resources or NO_SIZES
            yield f"{name}[{number}].resources.requests", sizes.requests
            yield f"{name}[{number}].resources.limits", sizes.limits
    whole = pod.resources or NO_SIZES
    yield "resources.requests", whole.requests
    yield "resources.limits", whole.limits
    yield "overhead", pod.overhead


def check_limits(pod: PodSize, level: Enforcement | None) -> Deny | None:
    if level not in {"Soft", "Hard"}:
        return None
    for word, containers in (
        ("container", pod.containers),
        ("initContainer", pod.init_containers),
    ):
        for container in containers or ():
            if problem := unmet(container, level):
                return Deny(f"{problem} for {word} {container.name}")
    return None


def unmet(container: ContainerSize, level: Enforcement | None) -> str:
    """What is asked of a container and not so; empty where nothing is."""
    requests = of_container(container)
    if not requests.keys() >= NEEDED:
        return "CPU and/or memory requests not set"
    limits = amounts((container.resources or NO_SIZES).limits)
    unequal = sorted(name for name, amount in requests.items() if limits.get(name) != amount)
    if level == "Hard" and unequal:
        return f"{unequal[0]} limits and requests are not equal"
    return ""


def fit(quota: Quota | None, used: Amounts, more: Amounts) -> Deny | None:
    """Whether so much more fits beside what is used. A Quota that names no pods counts none."""
    limits = amounts(quota.spec.resources if quota is not None else None)
    for name, amount in sorted(more.items()):
        if amount <= 0 or (name == PODS and name not in limits):
            continue
        if name not in limits:
            asked = Quantity(amount, form_of(name))
            return Deny(
                f"{name} quota limit not found for this peering - free 0 / requested {asked}"
            )
        free = max(0, limits[name] - used.get(name, 0))
        if amount > free:
            left, asked, whole = (
                Quantity(each, form_of(name)) for each in (free, amount, limits[name])
            )
            return Deny(
                f"peering {name} quota usage exceeded - free {left} / requested {asked}"
                f" (of {whole} in all)"
            )
    return None
