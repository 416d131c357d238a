"""Which review answers at which path: the other end of `webhooks/configuration.py`."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeAlias

from liqo.api.authentication import ResourceSlice, Tenant
from liqo.api.core import ForeignCluster
from liqo.api.kubernetes import Pod, Secret
from liqo.api.offloading import (
    NamespaceOffloading,
    NamespaceOffloadingSpec,
    ShadowPod,
    VirtualNode,
)
from liqo.rules.kubelets import Surroundings
from liqo.webhooks.configuration import COPIED
from liqo.webhooks.review import Deny, Known, Request, Review, Verdict, nothing
from liqo.webhooks.reviews import (
    copies,
    foreignclusters,
    namespaceoffloadings,
    pods,
    remotepods,
    resourceslices,
    secrets,
    shadowpods,
    tenants,
    virtualnodes,
)
from liqo.webhooks.reviews.pods import Offloadings

Opening: TypeAlias = Callable[[Request[NamespaceOffloading]], Awaitable[None]]
Admission: TypeAlias = Callable[[Request[ShadowPod]], Awaitable[Deny | None]]
Mutate: TypeAlias = Callable[[Request[Pod], NamespaceOffloadingSpec], Verdict]


@dataclass(frozen=True)
class Acts:
    """What is done before an answer."""

    opening: Opening
    admission: Admission | None = None  # None: quotas are not enforced


@dataclass(frozen=True)
class Copies:
    """What is followed, for questions that are asked of every pod."""

    namespaces: Known  # of consumers
    offloadings: Offloadings


def reviews(
    here: Surroundings, known: Copies, acts: Acts, runtime_class: str
) -> Mapping[str, Review[Any, Any]]:
    slices = partial(Review, ResourceSlice, resourceslices.observe)
    shadows = partial(shadowpods.observe, known.namespaces)
    nodes = partial(virtualnodes.observe, here)
    offloading = partial(namespaceoffloadings.observe, here)
    return {
        **of_pods(here, known.offloadings, partial(pods.mutate, runtime_class)),
        "/mutate/probes": Review(NamespaceOffloading, nothing, namespaceoffloadings.seen),
        "/validate/namespace-offloading": Review(
            NamespaceOffloading, offloading, namespaceoffloadings.validate, acts.opening
        ),
        "/mutate/foreign-cluster": Review(ForeignCluster, nothing, foreignclusters.mutate),
        "/mutate/tenants": Review(Tenant, nothing, tenants.mutate),
        "/mutate/resourceslices": slices(resourceslices.mutate),
        "/mutate/virtualnodes": Review(VirtualNode, nodes, virtualnodes.mutate),
        "/mutate/shadowpods": Review(ShadowPod, nothing, shadowpods.mutate),
        "/mutate/remote-pods": Review(Pod, nothing, remotepods.mutate),
        "/validate/tenants": Review(Tenant, tenants.observe, tenants.validate),
        "/validate/resourceslices": slices(resourceslices.validate),
        "/validate/shadowpods": Review(ShadowPod, shadows, shadowpods.validate, acts.admission),
        "/validate/secrets": Review(Secret, nothing, secrets.validate),
        **{
            f"/validate/copies/{each.KIND.plural}": Review(each, nothing, copies.validate)
            for each in COPIED
        },
    }


def of_pods(
    here: Surroundings, known: Offloadings, mutate: Mutate
) -> Mapping[str, Review[Any, Any]]:
    """By a label alone, before the NamespaceOffloading that follows from it, defaults hold."""
    by_offloading = partial(pods.observe, known, pods.HOME)
    by_label = partial(pods.observe_labelled, here, known)
    return {
        "/mutate/pod": Review(Pod, by_offloading, mutate),
        "/mutate/enabled-pod": Review(Pod, by_label, mutate),
    }
