"""What the decision is told, and what brings it about."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import timedelta
from typing import Any

import msgspec
import pytest

from liqo.api import labels
from liqo.api.kubernetes import Event, Pod, Secret
from liqo.api.meta import Key, Meta, Resource
from liqo.api.offloading import (
    MappingPhase,
    NamespaceMap,
    NamespaceMapSpec,
    NamespaceMapStatus,
    OffloadingPatch,
    RemoteNamespace,
    ShadowPod,
    VirtualNode,
)
from liqo.kube.access import Access
from liqo.kube.cache import Cache, Caches
from liqo.kube.cluster import Cluster
from liqo.kube.copy import Copy
from liqo.kube.listing import Listing
from liqo.kube.paths import Scope
from liqo.kubelet.atlas import Atlas
from liqo.kubelet.namespaces import Place
from liqo.kubelet.pods.controller import (
    Supplies,
    Surroundings,
    Views,
    about,
    by_shadow_pod,
    controller,
    departed,
    home,
    in_its_twin,
    inside,
    is_news,
    observe,
)
from liqo.kubelet.pods.failure import failed
from liqo.kubelet.pods.orphans import Alone, Orphans
from liqo.kubelet.pods.plan import State, plan
from liqo.kubelet.pods.references import Reference
from liqo.kubelet.pods.room import Room
from liqo.runtime.clock import Clock
from liqo.runtime.controller import itself
from tests.unit.kubelet.pods.things import (
    NOW,
    PLACE,
    SITE,
    a_pod,
    a_remote,
    a_shadow,
    raw,
)
from tests.unit.kubelet.reflect.things import followed

KEY = Key("shop", "web-0")
TOKEN = Reference("Secret", "web-0-token")
LATER = NOW + timedelta(seconds=3)


def a_map(phase: MappingPhase | None = "Accepted") -> NamespaceMap:
    current = {"shop": RemoteNamespace(remote_namespace="shop-rome", phase=phase)}
    return NamespaceMap(
        metadata=Meta(
            name="milan",
            namespace="liqo-tenant-milan",
            resource_version="1",
            labels={labels.REMOTE_CLUSTER_ID: "milan"},
        ),
        spec=NamespaceMapSpec(desired_mapping={"shop": "shop-rome"} if phase else {}),
        status=NamespaceMapStatus(current_mapping=current if phase else {}),
    )


def an_event(message: str, uid: str = "shadow-1", reason: str = "FailedCreatePod") -> Event:
    subject = {"kind": "ShadowPod", "name": "web-0", "uid": uid}
    return Event(
        metadata=Meta(name=message, namespace="shop-rome", resource_version="1"),
        reason=reason,
        message=message,
        raw_involved_object=raw(subject),
    )


def caches(name: str) -> Caches:
    """Of a cluster that nobody calls."""
    return Caches(Cluster(Access(f"http://{name}.invalid"), name=name))


async def views(*there: Resource, **more: Any) -> Views:
    """Synced, with the local pod and a map unless told otherwise."""
    local, known = more.get("local", a_pod()), more.get("known", a_map())
    synced = more.get("synced", True)

    async def copy(kind: Any, things: Iterable[Resource | None]) -> Copy[Any]:
        cache: Cache[Any] = Cache(Cluster(Access("")), kind)
        if synced:
            items = [thing for thing in things if thing is not None]
            await cache.adopt(Listing(items, "1"))
        return cache

    def of(kind: type[Resource]) -> list[Resource]:
        return [thing for thing in there if isinstance(thing, kind)]

    pods: Cache[Pod] = Cache(Cluster(Access("")), Pod)
    maps: Cache[NamespaceMap] = Cache(Cluster(Access("")), NamespaceMap)
    await pods.adopt(Listing([local] if local is not None else [], "1"))
    await maps.adopt(Listing([known] if known is not None else [], "1"))
    return Views(
        pods,
        Atlas(maps, SITE.provider),
        await copy(ShadowPod, of(ShadowPod)),
        await copy(Pod, of(Pod)),
        await copy(Event, of(Event)),
        await copy(VirtualNode, of(VirtualNode)),
        SITE,
    )


def around(supplies: Supplies | None = None, clock: Clock = lambda: NOW) -> Surroundings:
    return Surroundings(SITE, clock, supplies or Supplies())


async def test_a_pod_is_seen_with_its_twins() -> None:
    seen = await views(a_shadow(), a_remote())
    state = observe(seen, around(), KEY)
    assert state == State(SITE, NOW, a_pod(), a_shadow(), a_remote(), PLACE)


async def test_what_is_nowhere_needs_no_decision() -> None:
    assert observe(await views(local=None), around(), KEY) is None
    assert observe(await views(local=None, known=None), around(), KEY) is None


async def test_L15_what_is_withheld_by_now_is_withheld_from_pods_as_well() -> None:
    withheld = replace(SITE, patch=OffloadingPatch(labels_not_reflected=("colour",)))
    supplies = Supplies(at=lambda site: withheld if site == SITE else site)
    red = a_pod(labels={"colour": "red"})
    state = observe(
        await views(a_shadow(labels={"colour": "red"}), local=red), around(supplies), KEY
    )
    assert state is not None
    assert state.site == withheld


async def test_an_orphan_is_seen() -> None:
    state = observe(await views(a_shadow(), local=None), around(), KEY)
    assert state == State(SITE, NOW, None, a_shadow(), place=PLACE, alone=Alone(NOW))


async def test_an_orphan_whose_pod_came_or_whose_namespace_left_is_none_any_more() -> None:
    surroundings = around()
    surroundings.orphans.since(KEY, a_shadow(), NOW - timedelta(seconds=4))
    observe(await views(a_shadow()), surroundings, KEY)
    assert surroundings.orphans == Orphans()
    surroundings.orphans.since(KEY, a_shadow(), NOW - timedelta(seconds=4))
    observe(await views(local=None, known=None), surroundings, KEY)
    assert surroundings.orphans == Orphans()


async def test_P_RACE12_it_is_said_when_the_provider_is_not_followed_yet() -> None:
    state = observe(await views(synced=False), around(), KEY)
    assert state == State(SITE, NOW, a_pod(), place=PLACE, is_followed=False)


@pytest.mark.parametrize("known", [None, a_map("Terminating"), a_map(None)])
async def test_P_RACE2_since_when_a_namespace_is_away_is_told(known: NamespaceMap | None) -> None:
    surroundings = around()
    surroundings.absences.since("shop", None, NOW - timedelta(seconds=5))
    state = observe(await views(known=known), surroundings, KEY)
    assert state == State(SITE, NOW, a_pod(), left=NOW - timedelta(seconds=5))


async def test_P_RACE3_a_namespace_with_another_name_is_looked_at_there() -> None:
    moved = NamespaceMapStatus(
        current_mapping={"shop": RemoteNamespace(remote_namespace="shop-2", phase="Accepted")}
    )
    asked = NamespaceMapSpec(desired_mapping={"shop": "shop-2"})
    known = NamespaceMap(metadata=a_map().metadata, spec=asked, status=moved)
    state = observe(await views(a_shadow(), a_remote(), known=known), around(), KEY)
    assert state == State(SITE, NOW, a_pod(), place=Place("shop-2"))


async def test_the_providers_complaint_is_told_while_there_is_no_remote_pod() -> None:
    told = (an_event("no room"), an_event("about another", uid="shadow-0"))
    state = observe(await views(a_shadow(), *told), around(), KEY)
    assert state == State(SITE, NOW, a_pod(), a_shadow(), place=PLACE, complaint="no room")
    state = observe(await views(a_shadow(), a_remote(), *told), around(), KEY)
    assert state == State(SITE, NOW, a_pod(), a_shadow(), a_remote(), PLACE)
    state = observe(await views(a_shadow(), *told, local=None), around(), KEY)
    assert state == State(SITE, NOW, None, a_shadow(), place=PLACE, alone=Alone(NOW))


async def test_of_a_pod_that_runs_the_complaint_is_about_its_changes() -> None:
    told = (an_event("no room"), an_event("too big", reason="FailedUpdatePod"))
    state = observe(await views(a_shadow(), a_remote(), *told), around(), KEY)
    assert state is not None
    assert state.complaint == "too big"


async def test_what_changes_there_concerns_the_twin_at_home() -> None:
    seen = await views()
    assert home(seen, a_remote()) == (KEY,)
    there = await views(a_remote())
    assert departed(there, Room(), a_remote()) == (KEY,)
    assert about(seen, an_event("no room")) == (KEY,)
    assert home(seen, a_remote(namespace="bank-rome")) == ()
    of_shadows = raw({"kind": "ShadowPod", "name": "web-0"})
    strange = Event(metadata=Meta(namespace="bank-rome"), raw_involved_object=of_shadows)
    assert about(seen, strange) == ()
    of_pods = raw({"kind": "Pod", "name": "web-0"})
    told = Event(metadata=Meta(namespace="shop-rome"), raw_involved_object=of_pods)
    assert about(seen, told) == ()


async def test_a_namespace_that_moves_concerns_its_pods() -> None:
    assert inside(await views(), "shop") == [KEY]
    assert inside(await views(), "bank") == []


async def test_how_long_a_provider_does_not_answer_is_counted_from_the_first_look() -> None:
    known = a_map()
    asked = msgspec.structs.replace(known, status=NamespaceMapStatus())
    seen, where = await views(known=asked), around()
    state = observe(seen, where, KEY)
    later = observe(seen, replace(where, clock=lambda: NOW + timedelta(seconds=1)), KEY)
    assert state is not None
    assert later is not None
    assert (state.left, later.left) == (NOW, NOW)


def test_events_are_found_by_the_shadow_pod_that_they_are_about() -> None:
    of_a_pod = Event(type="Normal", raw_involved_object=raw({"kind": "Pod", "uid": "pod-1"}))
    assert by_shadow_pod(an_event("no room")) == ("shadow-1",)
    assert by_shadow_pod(of_a_pod) == by_shadow_pod(a_pod()) == ()


@pytest.mark.parametrize(
    ("type_", "kind", "expected"),
    [("Normal", "Pod", True), ("Warning", "Pod", False), ("Normal", "ShadowPod", False)],
)
def test_of_pods_what_went_well_is_news(type_: str, kind: str, expected: bool) -> None:
    event = Event(type=type_, raw_involved_object=raw({"kind": kind}))
    assert is_news(event) is expected


async def test_P_RACE8_a_map_whose_deletion_nobody_saw_concerns_its_pods_all_the_same() -> None:
    seen = await views()
    concerned: list[Key] = []

    maps = seen.atlas.maps
    assert isinstance(maps, Cache)
    seen.atlas.subscribe(lambda _, namespace: concerned.extend(inside(seen, namespace or "")))
    concerned.clear()
    await maps.adopt(Listing([], "2"))
    assert concerned == [KEY]
    state = observe(seen, around(), KEY)
    assert state is not None
    assert state.place is None


async def test_a_namespace_that_is_known_at_last_concerns_the_pods_that_waited_for_it() -> None:
    seen = await views()
    assert list(in_its_twin(seen, "shop-rome")) == [KEY]
    assert list(in_its_twin(seen, "bank-rome")) == []


def test_everything_is_followed_that_the_decision_looks_at() -> None:
    here, there = caches("rome"), caches("milan")
    secrets = there.of(Secret)
    made = controller(here, there, SITE, lambda: NOW, Supplies(watches={secrets: itself}))
    assert (made.name, made.manager) == ("kubelet/pods", "reflection.liqo.io")
    assert (made.plan, made.failed) == (plan, failed)
    assert [str(copy) for copy in here] == [
        "NamespaceMap.offloading.liqo.io (liqo-tenant-milan)",
        "Pod (spec.nodeName=milan)",
        "VirtualNode.offloading.liqo.io (liqo-tenant-milan)",
    ]
    assert set(followed(made)) == {
        "arrivals",
        "atlas",
        "Pod",
        "ShadowPod",
        "Event",
        "Secret",
        "VirtualNode",
    }
    assert made.observe(KEY) is None
    here.of(NamespaceMap, Scope(namespace="liqo-tenant-milan")).take(a_map())
    here.of(Pod, Scope(fields="spec.nodeName=milan")).take(a_pod())
    assert made.observe(KEY) == State(SITE, NOW, a_pod(), place=PLACE, is_followed=False)
