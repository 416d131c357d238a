"""How much a provider grants, and what it says about it: the answer to a ResourceSlice.

S7: a consumer may write the status of its slices here. So nothing in it counts as granted by us
unless it is what we would say ourselves, now; that is what `offered` tells, from the request, the
Tenant and our terms alone. Only slices of a class that is not ours are answered by somebody else:
there the status is all there is, and a webhook keeps consumers from writing it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from liqo.api.authentication import (
    Answer,
    Question,
    ResourceSlice,
    ResourceSliceCondition,
    TenantCondition,
)
from liqo.api.offloading import Enforcement
from liqo.api.values import IngressClass, LoadBalancerClass, ResourceList

OWN_CLASSES = frozenset({"", "default"})
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
    defaults: ResourceList = field(default_factory=lambda: dict(DEFAULTS))
    cluster_labels: Mapping[str, str] = field(default_factory=dict)
    ingress_classes: tuple[IngressClass, ...] = ()
    load_balancer_classes: tuple[LoadBalancerClass, ...] = ()
    enforcement: Enforcement = "None"


def is_ours(asked: ResourceSlice) -> bool:
    """Whether we answer, or a controller of its class."""
    return asked.spec.class_ in OWN_CLASSES


def offered(asked: ResourceSlice, terms: Terms) -> ResourceList:
    """R13: what is asked, and the default of what is not; nothing of what was asked before."""
    return {**terms.defaults, **asked.spec.resources}


def is_open(asked: ResourceSlice, tenant: TenantCondition, terms: Terms) -> bool:
    """Whether something may be granted now that was not granted before."""
    return tenant == "Active" and (terms.default_class or not is_ours(asked))


def condition(question: Question, answer: Answer) -> ResourceSliceCondition:
    word = question.lower()
    return ResourceSliceCondition(
        type=question,
        status=answer,
        reason=f"ResourceSlice{question}{answer}",
        message=f"ResourceSlice {word} {answer.lower()}",
    )


CLASS_DISABLED = ResourceSliceCondition(
    type="Resources",
    status="Denied",
    reason="DefaultResourceSliceClassDisabled",
    message="the default ResourceSlice class has been administratively disabled on the provider",
)


def nobody_answers(asked: ResourceSlice) -> ResourceSliceCondition:
    return ResourceSliceCondition(
        type="Resources",
        status="Denied",
        reason="NoClassController",
        message=f'no controller of the class "{asked.spec.class_}" has answered on the provider',
    )
