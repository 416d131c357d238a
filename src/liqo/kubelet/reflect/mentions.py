"""Which ConfigMaps and Secrets are mentioned by pods that go to the provider.

Our own pods tell it as they are bound, those of other virtual nodes of the provider by their
ShadowPods. Nobody looks while no policy asks for it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Generic, cast

from liqo.api.kubernetes import Pod
from liqo.api.meta import JSON, Key, Resource
from liqo.api.offloading import ShadowPod
from liqo.kube.cache import Caches
from liqo.kube.copy import Copy
from liqo.kube.paths import Scope
from liqo.kube.reading import O
from liqo.kubelet.pods.ending import stays
from liqo.kubelet.pods.marks import is_ours
from liqo.kubelet.pods.references import Reference, mentions
from liqo.kubelet.reflect.around import ALONE, Around
from liqo.kubelet.reflect.policy import MENTIONED, Policies
from liqo.kubelet.reflect.reflection import Reflection
from liqo.kubelet.reflect.views import Views, follow
from liqo.kubelet.site import Site


@dataclass(frozen=True)
class Pods(Generic[O]):
    """What is asked about one kind."""

    site: Site
    policies: Policies
    reflection: Reflection[O]
    views: Views[O]
    pods: Copy[Pod]
    shadows: Copy[ShadowPod]

    @property
    def is_asked(self) -> bool:
        return self.policies.of(self.reflection.model.KIND) == MENTIONED


def follow_mentioned(
    here: Caches, there: Caches, site: Site, reflection: Reflection[O], policies: Policies
) -> Views[O]:
    views = follow(here, there, site, reflection.model)
    pods = here.of(Pod, Scope(fields=f"spec.nodeName={site.node}"))
    shadows = there.within(views.atlas.theirs, ShadowPod)
    asked = Pods(site, policies, reflection, views, pods, shadows)
    return replace(
        views,
        around=partial(around, asked),
        beside={pods: partial(named_by, asked), shadows: partial(named_there, asked)},
    )


def around(asked: Pods[O], local: O) -> Around:
    return Around(is_mentioned=is_mentioned(asked, local.key)) if asked.is_asked else ALONE


def is_mentioned(asked: Pods[O], key: Key) -> bool:
    """
    mentioned by                          | the namespace       | so it is
    --------------------------------------+---------------------+--------------
    anybody                               | is not offloaded    | not mentioned
    a pod of our node                     | goes with its pods  | mentioned
    a pod of our node that ran            | goes without them   | mentioned
    a pod of our node that never ran      | goes without them   | not mentioned
    a ShadowPod of ours, of whatever node | goes                | mentioned
    """
    place = asked.views.place_of(key.namespace)
    if place is None:
        return False
    if any(not stays(pod, place) for pod in asked.pods.by(by_mention, _word(asked, key))):
        return True
    there = Key(place.namespace, asked.reflection.there(key.name, asked.site))
    found = asked.shadows.by(by_mention, _word(asked, there))
    return any(is_ours(each, asked.site) for each in found)


def by_mention(found: Resource) -> Iterable[str]:
    """Index of pods and ShadowPods by what they mention."""
    return [str(Key(f"{found.metadata.namespace}:{each.kind}", each.name)) for each in _in(found)]


def named_by(asked: Pods[O], pod: Pod) -> Iterator[Key]:
    for each in _of_kind(asked, pod):
        yield Key(pod.metadata.namespace, each.name)


def named_there(asked: Pods[O], shadow: ShadowPod) -> Iterator[Key]:
    namespace = asked.views.origin_of(shadow)
    if namespace is not None:
        for each in _of_kind(asked, shadow):
            yield Key(namespace, asked.reflection.here(each.name, asked.site))


def _of_kind(asked: Pods[O], pod: Pod | ShadowPod) -> Iterator[Reference]:
    if asked.is_asked:
        kind = asked.reflection.model.KIND.name
        yield from (each for each in _in(pod) if each.kind == kind)


def _in(found: Resource) -> frozenset[Reference]:
    spec = found.spec.pod if isinstance(found, ShadowPod) else cast(Pod, found).spec
    return mentions(cast(JSON, spec))


def _word(asked: Pods[O], key: Key) -> str:
    return str(Key(f"{key.namespace}:{asked.reflection.model.KIND.name}", key.name))
