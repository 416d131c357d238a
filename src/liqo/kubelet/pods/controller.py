"""Pods of one virtual node: out to the provider as ShadowPods, and their status back.

Runs on   consumer, in the virtual kubelet
Watches   Pod (bound to the node), VirtualNode (its own; others of the provider that go),
          VkOptionsTemplate, NamespaceMap (of the provider); on the provider, in each namespace that
          is ours: ShadowPod, Pod, Event
Writes    Pod (status; and the end of a deleted one), ShadowPod (provider)
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from functools import partial
from itertools import chain
from typing import Any, TypeAlias

from liqo.api import labels
from liqo.api.kubernetes import Event, Pod
from liqo.api.meta import Key, Resource
from liqo.api.offloading import ShadowPod, VirtualNode
from liqo.kube.arrivals import Arrivals
from liqo.kube.cache import Caches
from liqo.kube.copy import Copy
from liqo.kube.indexes import namespace as by_namespace
from liqo.kube.paths import Scope
from liqo.kube.reading import Reading
from liqo.kubelet.atlas import Atlas, atlas_of
from liqo.kubelet.namespaces import Absences, Place
from liqo.kubelet.pods.belonging import is_in_the_way, left_by, whose
from liqo.kubelet.pods.failure import failed
from liqo.kubelet.pods.fit import excess, let_pass
from liqo.kubelet.pods.forge import remote_spec
from liqo.kubelet.pods.orphans import Orphans
from liqo.kubelet.pods.plan import State, plan
from liqo.kubelet.pods.references import Reference, references
from liqo.kubelet.pods.rejection import FAILED_POD, FAILED_UPDATE, complaint_in
from liqo.kubelet.pods.room import Room
from liqo.kubelet.site import Site, unchanged
from liqo.rules.departure import is_leaving
from liqo.rules.fit import Shortage
from liqo.runtime.clock import Clock
from liqo.runtime.controller import Controller, KeysOf

NAME = "kubelet/pods"
MANAGER = "reflection.liqo.io"  # as the wire has it: another implementation may take over

Lacks: TypeAlias = Callable[[Pod, Place, Iterable[Reference]], tuple[str, ...]]
"""What a pod refers to (by names on the provider), is on its way there and has not arrived."""

Answers: TypeAlias = Callable[[float], bool]
"""Whether the provider answers, and all that was heard of it so many seconds ago was heard since
it last did not."""


def always(_: float) -> bool:
    return True


@dataclass(frozen=True)
class Supplies:
    """What others reflect for our pods and what they withhold, and whose changes concern whom."""

    lacks: Lacks | None = None  # None: nobody reflects anything
    answers: Answers = always
    at: Callable[[Site], Site] = unchanged  # with the labels that are withheld by now
    watches: Mapping[Copy[Any], KeysOf] = field(default_factory=dict)


@dataclass(frozen=True)
class Views:
    """What is followed."""

    pods: Copy[Pod]
    atlas: Atlas
    shadows: Copy[ShadowPod]
    remotes: Copy[Pod]
    events: Copy[Event]
    virtual_nodes: Copy[VirtualNode]
    site: Site
    arrived: tuple[Arrivals, ...] = ()  # namespaces of the provider's that are known


@dataclass(frozen=True)
class Surroundings:
    """What is known beside the copies."""

    site: Site
    clock: Clock
    supplies: Supplies
    absences: Absences = field(default_factory=Absences)
    silences: Absences = field(default_factory=Absences)  # of the provider, about a namespace
    shortages: Absences = field(default_factory=Absences)  # of what a pod waits for
    doubts: Absences = field(default_factory=Absences)  # about pods that end and were never seen
    orphans: Orphans = field(default_factory=Orphans)


def controller(
    here: Caches, there: Caches, site: Site, clock: Clock, supplies: Supplies | None = None
) -> Controller[State]:
    views = follow(here, there, site)
    around = Surroundings(site, clock, supplies or Supplies())
    views.pods.subscribe(around.orphans.follow)
    views.virtual_nodes.subscribe(around.orphans.welcome)
    room = Room()
    return Controller(
        name=NAME,
        watches={
            views.pods: partial(at_home, views, room),
            views.virtual_nodes: partial(offering, views, site, room),
            views.atlas: partial(inside, views),
            views.shadows: partial(abroad, views, room),
            views.remotes: partial(departed, views, room),
            views.events: partial(about, views),
            **dict.fromkeys(views.arrived, partial(in_its_twin, views)),
            **around.supplies.watches,
        },
        observe=partial(observe, views, around),
        plan=plan,
        manager=MANAGER,
        failed=failed,
    )


def follow(here: Caches, there: Caches, site: Site) -> Views:
    atlas = atlas_of(here, site)
    shadows, remotes = there.within(atlas.theirs, ShadowPod), there.within(atlas.theirs, Pod)
    return Views(
        pods=here.of(Pod, Scope(fields=f"spec.nodeName={site.node}")),
        atlas=atlas,
        shadows=shadows,
        remotes=remotes,
        events=there.within(atlas.theirs, EVENTS),
        virtual_nodes=here.of(VirtualNode, Scope(site.tenant_namespace)),
        site=site,
        arrived=(shadows.arrivals, remotes.arrivals),
    )


def observe(views: Views, around: Surroundings, key: Key) -> State | None:
    now, site = around.clock(), around.supplies.at(around.site)
    local = views.pods.get(key)
    place = views.atlas.place_of(key.namespace)
    left = around.absences.since(key.namespace, place, now)
    if place is None:
        around.orphans.since(key, None, now)
        around.shortages.since(key, (), now)
        around.doubts.since(key, (), now)
        return State(site, now, local, left=left) if local is not None else None
    twin = Key(place.namespace, key.name)
    shadow, remote = views.shadows.get(twin), views.remotes.get(twin)
    orphan = _orphan(shadow, local, site)
    alone = around.orphans.alone(key, orphan, whose(orphan, views.virtual_nodes, site), now)
    followed = views.shadows.covers(twin) and views.remotes.covers(twin)
    is_new = local is not None and shadow is None and followed
    missing = _missing(around, site, local, place) if local and is_new else ()
    doubt = is_new and remote is None and _ends_unseen(local)
    since = around.doubts.since(key, None if doubt else (), now)
    sure = since is None or _is_heard(views, around, twin, now - since)
    comes = missing and around.supplies.answers(0.0)
    short = around.shortages.since(key, None if comes else (), now)
    if local is None and shadow is None:
        return None
    asked = around.silences.since(key.namespace, place if place.is_answered else None, now)
    return State(
        site,
        now,
        local,
        shadow,
        remote,
        place,
        is_followed=followed,
        missing=missing,
        left=asked,
        since=short,
        is_sure=sure,
        is_leaving=(is_new or local is None) and _is_leaving(views, site),
        excess=_excess(views, site, local) if local and is_new else None,
        complaint=_complaint(views, local, shadow, remote) if local and shadow else "",
        alone=alone,
    )


def _orphan(shadow: ShadowPod | None, local: Pod | None, site: Site) -> ShadowPod | None:
    """One without a pod of ours, unless ours is another and waits for its name."""
    if shadow is None or local is None:
        return shadow
    return shadow if is_in_the_way(shadow, local, site) else None


def at_home(views: Views, room: Room, pod: Pod) -> tuple[Key, ...]:
    """The pod itself, and those that it may have left room to."""
    now = views.pods.get(pod.key)
    if now is not None and now is not pod:
        return (pod.key,)  # what it was: we are told next what it is
    return (pod.key, *room.after_pod(pod.key, now))


def abroad(views: Views, room: Room, shadow: ShadowPod) -> tuple[Key, ...]:
    """The local twin, and those that it may have left room to."""
    twins, now = home(views, shadow), views.shadows.get(shadow.key)
    if now is not None and now is not shadow:
        return twins
    freed = (
        *room.after_shadow(next(iter(twins), None), now),
        *room.after_size(shadow.key, now),
    )
    return (*twins, *freed)


def departed(views: Views, room: Room, remote: Pod) -> tuple[Key, ...]:
    """The same for the remote pod. Its ShadowPod went before: whoever counts has seen it by now."""
    twins = home(views, remote)
    return twins if views.remotes.get(remote.key) is not None else (*twins, *room.after_end())


def offering(views: Views, site: Site, room: Room, node: VirtualNode) -> tuple[Key, ...]:
    """Those that an offer may have made room for, and those that one node may have room for; and
    what another node left there, when it is no more."""
    if node.metadata.name != site.node:
        left = left_by(node, views.virtual_nodes, views.shadows)
        return tuple(chain.from_iterable(home(views, each) for each in left))
    passing = let_pass(views.pods.values(), node) if site.refuses_too_large else ()
    now = views.virtual_nodes.get(node.key)
    turned = views.pods.values() if now is not None and is_turned(node, now) else ()
    return (*(pod.key for pod in turned), *room.after_offer(node), *passing)


def is_turned(before: VirtualNode, now: VirtualNode) -> bool:
    """Into one that leaves, or stays after all; or into one with other options."""
    options = before.spec.vk_options_template_ref != now.spec.vk_options_template_ref
    return options or is_leaving(before) is not is_leaving(now)


def home(views: Views, there: Resource) -> tuple[Key, ...]:
    """The local twin of what has changed there. Of another node's we have one only if it moved;
    but of one that is no more, nobody else would see to it."""
    namespace = views.atlas.origin_of(there.metadata.namespace)
    if namespace is None:
        return ()
    twin = Key(namespace, there.metadata.name)
    is_anothers = whose(there, views.virtual_nodes, views.site) == "another's"
    return () if is_anothers and views.pods.get(twin) is None else (twin,)


def about(views: Views, event: Event) -> tuple[Key, ...]:
    """Those about ShadowPods: what others say of the pods themselves decides nothing."""
    if not is_about_a_shadow(event):
        return ()
    namespace = views.atlas.origin_of(event.metadata.namespace)
    return () if namespace is None else (Key(namespace, event.involved_object.get("name", "")),)


def is_about_a_shadow(event: Event) -> bool:
    return bool(event.involved_object.get("kind") == ShadowPod.KIND.name)


def is_news(event: Event) -> bool:
    """What went well. A Warning is kept until it could be told, and of ShadowPods all decides."""
    return event.type != "Warning" and not is_about_a_shadow(event)


EVENTS = Reading(Event.KIND, Event, is_news)


def inside(views: Views, namespace: str) -> Iterable[Key]:
    return [pod.key for pod in views.pods.by(by_namespace, namespace)]


def in_its_twin(views: Views, there: str) -> Iterable[Key]:
    """The pods of the namespace that is offloaded to this one of the provider's."""
    namespace = views.atlas.origin_of(there)
    return inside(views, namespace) if namespace is not None else ()


def by_shadow_pod(event: Resource) -> Iterable[str]:
    """The uid of what an Event is about, if that is one."""
    if not isinstance(event, Event) or not is_about_a_shadow(event):
        return ()
    return (event.involved_object.get("uid", ""),)


def _ends_unseen(local: Pod | None) -> bool:
    """What we asked for may have been done there although no answer came."""
    if local is None or local.metadata.deletion_timestamp is None:
        return False
    return labels.REMOTE_POD_UID not in local.metadata.annotations


def _is_heard(views: Views, around: Surroundings, twin: Key, doubted: timedelta) -> bool:
    """Whether it would have shown by now: nothing is asked for any more since it is doubted."""
    age = max(views.shadows.age_of(twin), views.remotes.age_of(twin))
    return age < doubted.total_seconds() or around.supplies.answers(age)


def _missing(around: Surroundings, site: Site, local: Pod, place: Place) -> tuple[str, ...]:
    if around.supplies.lacks is None or place.phase != "Accepted":
        return ()
    needed = references(remote_spec(local, place.namespace, site))
    return around.supplies.lacks(local, place, needed)


def _excess(views: Views, site: Site, local: Pod) -> Shortage | None:
    return excess(local, views.virtual_nodes.get(Key(site.tenant_namespace, site.node)))


def _is_leaving(views: Views, site: Site) -> bool:
    node = views.virtual_nodes.get(Key(site.tenant_namespace, site.node))
    return node is not None and is_leaving(node)


def _complaint(views: Views, local: Pod, shadow: ShadowPod, remote: Pod | None) -> str:
    """What was said before the pod last started is settled: then one was lost, not refused."""
    events = views.events.by(by_shadow_pod, shadow.metadata.uid)
    if not events:
        return ""
    if remote is not None:
        return complaint_in(events, FAILED_UPDATE)
    return complaint_in(events, FAILED_POD, local.status.get("startTime") or "")
