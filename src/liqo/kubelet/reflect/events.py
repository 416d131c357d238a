"""Events about what is ours on the provider, repeated at home: `kubectl describe` tells it all.

A Warning is always told. What went well is told while few pods start, and left out in a rush: then
nobody reads it, and it would cost more than the pods.

Runs on   consumer, in the virtual kubelet; about pods in that of their node, about all else in the
          one that reflects
Watches   Event, on the provider, in each namespace that is ours
Writes    Event
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from liqo.api import labels
from liqo.api.kubernetes import Event, Ingress, Pod, Service
from liqo.api.meta import Key, Resource
from liqo.api.offloading import ShadowPod
from liqo.kube.cache import Caches
from liqo.kube.copy import Copy
from liqo.kube.fading import MOMENT
from liqo.kubelet.atlas import Atlas
from liqo.kubelet.pods.controller import Views as PodViews
from liqo.kubelet.pods.controller import follow
from liqo.kubelet.pods.marks import is_for, is_ours
from liqo.kubelet.pods.rejection import FAILED_POD, FAILED_UPDATE
from liqo.kubelet.reflect import endpointslices
from liqo.kubelet.reflect.allowance import Allowance
from liqo.kubelet.reflect.endpointslices import ENDPOINT_SLICES
from liqo.kubelet.reflect.ingresses import INGRESSES
from liqo.kubelet.reflect.marks import is_copy_of, origin
from liqo.kubelet.reflect.policy import DEFAULT, Policies, Policy, verdict
from liqo.kubelet.reflect.reflection import Reflection
from liqo.kubelet.reflect.services import SERVICES
from liqo.kubelet.reflect.views import Views, follow_everywhere
from liqo.kubelet.site import Site
from liqo.runtime.clock import Clock
from liqo.runtime.controller import Controller
from liqo.runtime.plan import NOTHING, Occurrence, Plan, Record, do

NAME = "kubelet/reflect/events"
KINDS = frozenset({Pod.KIND.name, ShadowPod.KIND.name})
TOLD_ALREADY = frozenset({FAILED_POD, FAILED_UPDATE})  # by kubelet/pods, which decides by them
LATER = 5.0  # seconds
PATIENCE = timedelta(seconds=MOMENT - LATER)  # older news of what went well are none


@dataclass(frozen=True)
class State:
    site: Site
    event: Event
    local: Resource
    policy: Policy
    now: datetime
    may_be_told: bool  # it is a Warning, or there is room
    is_old: bool = False  # from before we were started
    is_about_it: bool = True  # what it is about is known to be the twin of this very object


@dataclass(frozen=True)
class Surroundings:
    site: Site
    clock: Clock
    policies: Policies
    began: datetime  # this process: what went well before has been told
    allowance: Allowance


@dataclass(frozen=True)
class Found:
    """What an Event may be about, at home."""

    local: Resource
    is_it: bool


@dataclass(frozen=True)
class Hearing:
    """Where Events are heard, about which kinds, and how to find what they are about."""

    events: Copy[Event]
    atlas: Atlas
    kinds: frozenset[str]
    find: Callable[[Event, str], Found | None]  # in that namespace at home
    among: tuple[Copy[Any], ...] = ()  # where it looks, and without which it finds nothing


def controller(
    here: Caches, there: Caches, site: Site, clock: Clock, policies: Policies = DEFAULT
) -> Controller[State]:
    """About the pods of our node."""
    views = follow(here, there, site)
    hearing = Hearing(views.events, views.atlas, KINDS, partial(pod_of, views))
    return listening(NAME, hearing, Surroundings(site, clock, policies, clock(), Allowance(clock)))


def others(
    here: Caches, there: Caches, site: Site, clock: Clock, policies: Policies = DEFAULT
) -> Controller[State]:
    """About what one kubelet reflects for all."""
    pods = follow(here, there, site)
    copies = {
        each.copy.KIND.name: (each, views)
        for each, views in (
            (SERVICES, follow_everywhere(here, there, site, Service)),
            (INGRESSES, follow_everywhere(here, there, site, Ingress)),
            (ENDPOINT_SLICES, endpointslices.follow(here, there, site)),
        )
    }
    among = tuple(views.locals for _, views in copies.values())
    find = partial(copied, copies, site)
    hearing = Hearing(pods.events, pods.atlas, frozenset(copies), find, among)
    around = Surroundings(site, clock, policies, clock(), Allowance(clock))
    return listening(f"{NAME}/others", hearing, around)


def listening(name: str, hearing: Hearing, around: Surroundings) -> Controller[State]:
    return Controller(
        name=name,
        watches={
            hearing.events: partial(itself, hearing),
            **dict.fromkeys(hearing.among, nothing),
        },
        observe=partial(observe, hearing, around),
        plan=plan,
    )


def nothing(_: Resource) -> Iterable[Key]:
    """What it is about changes nothing of an Event; to begin without it would be too early."""
    return ()


def itself(hearing: Hearing, event: Event) -> Iterable[Key]:
    """By its namespace at home, if it is about such a kind."""
    if event.involved_object.get("kind") not in hearing.kinds:
        return ()
    namespace = hearing.atlas.origin_of(event.metadata.namespace)
    return () if namespace is None else (Key(namespace, event.metadata.name),)


def observe(hearing: Hearing, around: Surroundings, key: Key) -> State | None:
    site = around.site
    place = hearing.atlas.place_of(key.namespace)
    event = hearing.events.get(Key(place.namespace, key.name)) if place is not None else None
    found = hearing.find(event, key.namespace) if event is not None else None
    if event is None or found is None:
        return None  # of another virtual node, or of another consumer
    state = State(
        site,
        event,
        found.local,
        around.policies.of(Event.KIND),
        around.clock(),
        may_be_told=event.type == "Warning",
        is_old=_time(event) < around.began,
        is_about_it=found.is_it,
    )
    if state.may_be_told or state.is_old or not state.is_about_it:
        return state
    return replace(state, may_be_told=around.allowance.grant(event))


def plan(state: State) -> Plan:
    """
    policy      | Event                             | what is done
    ------------+-----------------------------------+-------------------------------------------
    it stays    | any                               | nothing
    it may come | that we tell in other words       | nothing
    it may come | of ours; a Warning, or granted    | told; again when its count has doubled
    it may come | of before we began                | nothing: it was told
    it may come | young                             | later: there may be room, or we hear of
                |                                   | that twin; two watches know no order
    it may come | else                              | nothing: of an earlier one, or no news
    """
    event = state.event
    if verdict(event.metadata.annotations, state.policy) != "goes":
        return NOTHING
    if event.involved_object.get("kind") == ShadowPod.KIND.name and event.reason in TOLD_ALREADY:
        return NOTHING
    if state.may_be_told and state.is_about_it:
        return do(repeated(event, state.local, state.site))
    if state.is_old or state.now - _time(event) > PATIENCE:
        return NOTHING
    return do(wake_after=LATER)


def repeated(event: Event, local: Resource, site: Site) -> Record:
    """Its words are the provider's, and so are its times.

    Whose they are is told by the reporter: `kubectl describe` shows it beside the words. The wire
    has `kubelet (remote)` there, and that is kept; a pod may have been on several providers.
    """
    source, series = event.source, event.series
    last = series.get("lastObservedTime") or event.last_timestamp or event.event_time
    first = event.first_timestamp or event.event_time or event.metadata.creation_timestamp or ""
    reporter = source.get("component") or event.reporting_component
    return Record(
        local,
        event.reason,
        event.message,
        type="Warning" if event.type == "Warning" else "Normal",
        component=f"{reporter} (remote) in {site.provider}",
        repeats=Occurrence(
            event=event.metadata.name,
            count=series.get("count") or event.count or 1,
            first=_whole_seconds(first),
            last=_whole_seconds(last or first),
            host=source.get("host", ""),
            field_path=event.involved_object.get("fieldPath", ""),
            labels=tuple(origin(site).items()),
        ),
    )


def pod_of(views: PodViews, event: Event, namespace: str) -> Found | None:
    name = event.involved_object.get("name", "")
    local, there = views.pods.get(Key(namespace, name)), Key(event.metadata.namespace, name)
    if local is None:
        return None
    twins = views.remotes.get(there), views.shadows.get(there)
    return Found(local, is_about(event, local, twins))


def is_about(event: Event, local: Pod, twins: Iterable[Resource | None]) -> bool:
    """This very pod, and no earlier one of its name."""
    uid = event.involved_object.get("uid", "")
    if uid == local.metadata.annotations.get(labels.REMOTE_POD_UID):
        return True
    return any(
        each is not None and each.metadata.uid == uid and is_for(each, local) for each in twins
    )


def copied(
    copies: Mapping[str, tuple[Reflection[Any], Views[Any]]],
    site: Site,
    event: Event,
    namespace: str,
) -> Found | None:
    subject = event.involved_object
    reflection, views = copies[subject["kind"]]
    local = views.locals.get(Key(namespace, reflection.here(subject.get("name", ""), site)))
    if local is None:
        return None
    copy = views.remotes.get(Key(event.metadata.namespace, subject.get("name", "")))
    is_it = (
        copy is not None
        and copy.metadata.uid == subject.get("uid")
        and is_ours(copy, site)
        and is_copy_of(copy.metadata, local.metadata)
    )
    return Found(local, is_it)


def _time(event: Event) -> datetime:
    said = event.last_timestamp or event.event_time or event.metadata.creation_timestamp
    return datetime.fromisoformat(said or "1970-01-01T00:00:00Z")


def _whole_seconds(time: str) -> str:
    """A MicroTime, as newer reporters write it, is no Time."""
    return f"{time[:19]}Z" if time else time
