"""Pods of offloaded namespaces: they may go where their namespace does, and nowhere else.

We are asked for every pod of such a namespace, so the answer comes from a copy. Only where that has
nothing to say, or says that pods stay, the cluster is asked: why else would it be such a namespace?
The NamespaceOffloading, or its strategy, may be a moment old.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from liqo.api.kubernetes import Pod
from liqo.api.meta import Key, Meta
from liqo.api.offloading import NamespaceOffloading, NamespaceOffloadingSpec
from liqo.rules import offloading, placement
from liqo.rules.kubelets import Surroundings
from liqo.webhooks.review import Reader, Request, Verdict, completed

Offloadings: TypeAlias = Callable[[Key], NamespaceOffloading | None]

HOME = NamespaceOffloadingSpec(pod_offloading_strategy="Local")
DEFAULT = NamespaceOffloadingSpec()


async def observe(
    known: Offloadings,
    otherwise: NamespaceOffloadingSpec,
    reader: Reader,
    request: Request[Pod],
) -> NamespaceOffloadingSpec:
    """Its policy; or what holds in a namespace that has none."""
    key = Key(request.object.metadata.namespace, offloading.NAME)
    copied = policy_of(known(key))
    if copied is not None and copied.pod_offloading_strategy != "Local":
        return copied
    return policy_of(await reader.find(NamespaceOffloading, key)) or otherwise


def policy_of(found: NamespaceOffloading | None) -> NamespaceOffloadingSpec | None:
    if found is None:
        return None
    return found.spec if found.metadata.deletion_timestamp is None else HOME


async def observe_labelled(
    here: Surroundings, known: Offloadings, reader: Reader, request: Request[Pod]
) -> NamespaceOffloadingSpec:
    otherwise = by_label(here, request.object.metadata.namespace)
    return await observe(known, otherwise, reader, request)


def by_label(here: Surroundings, namespace: str) -> NamespaceOffloadingSpec:
    """Before the NamespaceOffloading that follows from a label. Where there can be none: home."""
    wanted = NamespaceOffloading(
        metadata=Meta(name=offloading.NAME, namespace=namespace), spec=DEFAULT
    )
    refused = offloading.check_namespace(namespace, {}, here.namespace)
    return HOME if refused or offloading.check_name(wanted, here.cluster_id) else DEFAULT


def mutate(runtime_class: str, request: Request[Pod], policy: NamespaceOffloadingSpec) -> Verdict:
    return completed({"spec": placement.completed(request.object.spec, policy, runtime_class)})
