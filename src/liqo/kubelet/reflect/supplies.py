"""What a pod waits for before it goes out: all that it mounts and that is on its way there.

Without it the remote kubelet would find a ConfigMap missing, and look again after a long while
(P-RACE9). What nobody brings is not waited for: the pod fails there as it would have failed here.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from liqo.api import labels
from liqo.api.kubernetes import Pod, Secret
from liqo.api.meta import Key, Resource
from liqo.api.offloading import VkOptionsTemplate
from liqo.kube.cache import Caches
from liqo.kube.copy import Copy
from liqo.kubelet.namespaces import Place
from liqo.kubelet.pods.apiserver import mode_of
from liqo.kubelet.pods.controller import Supplies
from liqo.kubelet.pods.references import Reference
from liqo.kubelet.reflect.configmaps import CONFIG_MAPS
from liqo.kubelet.reflect.mentions import follow_mentioned
from liqo.kubelet.reflect.policy import DEFAULT, Policies
from liqo.kubelet.reflect.reflection import Reflection, is_on_its_way, observe
from liqo.kubelet.reflect.secrets import SECRETS
from liqo.kubelet.reflect.tokens import is_for, is_token_secret, tokens_in
from liqo.kubelet.reflect.views import Views, follow_pods
from liqo.kubelet.site import Site
from liqo.rules import names
from liqo.runtime.controller import KeysOf

REFLECTIONS: tuple[Reflection[Any], ...] = (CONFIG_MAPS, SECRETS)


@dataclass(frozen=True)
class Supply:
    """A kind that somebody brings."""

    reflection: Reflection[Any]
    views: Views[Any]


@dataclass(frozen=True)
class Stock:
    """Of each kind that pods refer to: what we know of it."""

    site: Site
    policies: Policies
    kinds: dict[str, Supply]
    secrets: Copy[Any]  # their metadata, on the provider: tokens are in some of them


def supplies(
    here: Caches,
    there: Caches,
    site: Site,
    policies: Policies = DEFAULT,
    brought: Iterable[Reflection[Any]] = REFLECTIONS,
) -> Supplies:
    kinds = {
        each.model.KIND.name: Supply(each, follow_mentioned(here, there, site, each, policies))
        for each in brought
    }
    pods = follow_pods(here, there, site, Secret)
    followed: list[Views[Any]] = [pods, *(each.views for each in kinds.values())]
    watches: dict[Any, KeysOf] = {}
    for views in followed:
        watches[views.remotes] = partial(waiting_for, pods)
        # A namespace that is known at last: what nobody brings is then no longer waited for.
        watches |= replace(pods, entered=views.entered, arrived=views.arrived).known(nothing)
    for each in policies.sources:
        if each.reading.kind == VkOptionsTemplate.KIND:  # which says what is withheld
            watches[each] = pods.everything
    return Supplies(
        partial(lacks, Stock(site, policies, kinds, pods.remotes)), at=policies.at, watches=watches
    )


def nothing(_: object) -> tuple[Key, ...]:
    """What is there belongs to no pod in particular."""
    return ()


def lacks(stock: Stock, pod: Pod, place: Place, needed: Iterable[Reference]) -> tuple[str, ...]:
    """Of what a pod needs there, that which is on its way."""
    token = Reference(Secret.KIND.name, names.token_secret(pod.metadata.name))
    return tuple(
        str(each)
        for each in sorted(needed)
        if (
            _waits_for_tokens(stock, pod, Key(place.namespace, each.name))
            if each == token and _asks_for_tokens(stock, pod)
            else _is_awaited(stock, pod, each)
        )
    )


def waiting_for(pods: Views[Pod], there: Resource) -> Iterable[Key]:
    """Tokens are for one pod; for anything else may wait whoever has shown no status yet."""
    namespace = pods.origin_of(there)
    if namespace is None:
        return
    whose = there.metadata.annotations.get(labels.SERVICE_ACCOUNT_POD_NAME)
    if whose is not None:
        yield Key(namespace, whose)
        return
    for pod in pods.locals.by(by_namespace_of_the_silent, namespace):
        yield pod.key


def by_namespace_of_the_silent(pod: Resource) -> Iterable[str]:
    """Index of pods that have shown no status: of thousands in one namespace, most have."""
    return () if labels.SHADOW_POD in pod.metadata.labels else (pod.metadata.namespace,)


def _asks_for_tokens(stock: Stock, pod: Pod) -> bool:
    return mode_of(pod.metadata, stock.site) == "Home" and bool(tokens_in(pod))


def _waits_for_tokens(stock: Stock, pod: Pod, secret: Key) -> bool:
    """Also while there are those of an earlier pod; not while somebody else has the name."""
    there = stock.secrets.get(secret)
    if there is None:
        return True
    return is_token_secret(there, stock.site) and not is_for(there, pod)


def _is_awaited(stock: Stock, pod: Pod, reference: Reference) -> bool:
    supply = stock.kinds.get(reference.kind)
    if supply is None:
        return False  # nobody brings it
    name = supply.reflection.here(reference.name, stock.site)
    if supply.reflection.there(name, stock.site) != reference.name:
        return False  # the provider's own
    key = Key(pod.metadata.namespace, name)
    state = observe(supply.views, stock.site, supply.reflection, stock.policies, key)
    return state is not None and is_on_its_way(supply.reflection, state)
