"""How much a provider grants, and what it says about it: the answer to a ResourceSlice.

S7: a consumer may write the status of its slices here. So nothing in it counts as granted by us
unless it is what we would say ourselves, now; that is what `offered` tells, from the request, the
Tenant and our terms alone. What a share is depends on our nodes, and changes with them: there the
Quota, which no consumer can write, holds what is offered now. Only slices of a class that is not
ours are answered by somebody else: there the status is all there is, and a webhook keeps consumers
from writing it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, Protocol, TypeAlias

from liqo.api import labels
from liqo.api.authentication import (
    Answer,
    Question,
    ResourceSlice,
    ResourceSliceCondition,
    TenantCondition,
)
from liqo.api.offloading import Enforcement, Quota
from liqo.api.values import IngressClass, LoadBalancerClass, ResourceList
from liqo.rules import amounts
from liqo.runtime.controller import Source

PodSecurity: TypeAlias = Literal["", "privileged", "baseline", "restricted"]
"""A level of Kubernetes' Pod Security Standards. Empty: what this cluster has for all namespaces.

With `privileged` a pod may ask for the file system of our node, and so does its consumer. What pods
of applications need is in `baseline`, and no consumer looks at a label of a namespace of ours.
"""

ENFORCE = "pod-security.kubernetes.io/enforce"  # label of a namespace
SHARE = "share"
SILENT = "ResourcePluginSilent"
INVALID = "InvalidSetting"
OWN_CLASSES = frozenset({"", "default", SHARE})
DEFAULTS: Mapping[str, str] = {
    "cpu": "4",
    "memory": "8Gi",
    "pods": "110",
    "ephemeral-storage": "20Gi",
}


@dataclass(frozen=True)
class Terms:
    """What an administrator decided about lending."""

    default_class: bool = True  # whether there is one at all
    share_class: bool = True  # the same of shares
    defaults: ResourceList = field(default_factory=lambda: dict(DEFAULTS))
    cluster_labels: Mapping[str, str] = field(default_factory=dict)
    ingress_classes: tuple[IngressClass, ...] = ()
    load_balancer_classes: tuple[LoadBalancerClass, ...] = ()
    enforcement: Enforcement = "None"
    pod_security: PodSecurity = "baseline"  # what pods may ask of our nodes, in their namespaces
    labels: Mapping[str, str] = field(default_factory=dict)  # of those namespaces …
    labels_of_peers: Mapping[str, Mapping[str, str]] = field(default_factory=dict)  # … by consumer

    def namespace_labels(self, consumer: str) -> dict[str, str]:
        """What is said of one consumer counts for more than what is said of all."""
        level = {ENFORCE: self.pod_security} if self.pod_security else {}
        return {**level, **self.labels, **self.labels_of_peers.get(consumer, {})}


@dataclass(frozen=True)
class Offered:
    """What belongs together: amounts, and why they are what they are."""

    resources: ResourceList
    explanation: str = ""  # the sum of a share; nothing else needs one


@dataclass(frozen=True)
class Prospect:
    """What a share is now, and when to look at it again."""

    offered: Offered | None = None  # None: nobody knows yet
    wait: float | None = None  # seconds; None: whoever knows will tell
    problem: str = ""  # with whoever should know: a sentence for people, and a word for programs
    reason: str = SILENT


UNKNOWN = Prospect()


class Shares(Source, Protocol):
    """Who knows what a share is; tells the keys of slices that may get another one."""

    def prospect(self, asked: ResourceSlice, before: Offered | None) -> Prospect:
        """`before` is offered now; it stays while what has changed is not worth telling."""


@dataclass(frozen=True)
class Lending:
    """By what we decide: the terms of an administrator, and what there is."""

    terms: Terms
    shares: Shares


def is_ours(asked: ResourceSlice) -> bool:
    """Whether we answer, or a controller of its class."""
    return asked.spec.class_ in OWN_CLASSES


def is_share(asked: ResourceSlice) -> bool:
    return asked.spec.class_ == SHARE


def standing(quota: Quota | None) -> Offered | None:
    """What is offered now, as the Quota holds it."""
    if quota is None:
        return None
    return Offered(quota.spec.resources, quota.metadata.annotations.get(labels.EXPLANATION, ""))


def offered(asked: ResourceSlice, terms: Terms) -> ResourceList:
    """R13: what is asked, and the default of what is not; nothing of what was asked before."""
    return amounts.counted({**terms.defaults, **asked.spec.resources})


def is_open(asked: ResourceSlice, tenant: TenantCondition, terms: Terms) -> bool:
    """Whether something may be granted now that was not granted before."""
    return tenant == "Active" and closed(asked, terms) is None


def closed(asked: ResourceSlice, terms: Terms) -> ResourceSliceCondition | None:
    """What is said where an administrator switched the class off."""
    if is_share(asked):
        return None if terms.share_class else SHARE_DISABLED
    return CLASS_DISABLED if is_ours(asked) and not terms.default_class else None


def condition(question: Question, answer: Answer, message: str = "") -> ResourceSliceCondition:
    word = question.lower()
    return ResourceSliceCondition(
        type=question,
        status=answer,
        reason=f"ResourceSlice{question}{answer}",
        message=message or f"ResourceSlice {word} {answer.lower()}",
    )


def _disabled(class_: str) -> ResourceSliceCondition:
    return ResourceSliceCondition(
        type="Resources",
        status="Denied",
        reason=f"{class_.capitalize()}ResourceSliceClassDisabled",
        message=f"the {class_} ResourceSlice class has been administratively disabled on the "
        "provider",
    )


NOBODY = "NoClassController"
CLASS_DISABLED = _disabled("default")
SHARE_DISABLED = _disabled(SHARE)


def untold(share: Prospect) -> ResourceSliceCondition:
    """Who decides about shares has never said anything that we know."""
    return ResourceSliceCondition(
        type="Resources", status="Denied", reason=share.reason, message=share.problem
    )


def is_outdated(said: ResourceSliceCondition, asked: ResourceSlice) -> bool:
    """Whether it is ours and about a class that is no longer asked; asked of others' classes."""
    if said.reason == NOBODY:
        return said.message != nobody_answers(asked).message
    return said.reason in {CLASS_DISABLED.reason, SHARE_DISABLED.reason, SILENT, INVALID}


def nobody_answers(asked: ResourceSlice) -> ResourceSliceCondition:
    return ResourceSliceCondition(
        type="Resources",
        status="Denied",
        reason=NOBODY,
        message=f'no controller of the class "{asked.spec.class_}" has answered on the provider',
    )
