"""How pods leave."""

from __future__ import annotations

from datetime import datetime, timedelta

import msgspec

from liqo.api.core import ForeignCluster
from liqo.api.meta import OwnerReference
from liqo.api.offloading import (
    PartStatus,
    VirtualNode,
    VirtualNodeCondition,
    VirtualNodeStatus,
)
from liqo.api.sizes import BoundPod
from liqo.consumer.kubelet.departures import HELD, PATIENCE, bound_to, departures
from liqo.consumer.kubelet.eviction import State, controller, observe, plan
from liqo.runtime.plan import NOTHING, Delete, Evict, Record, do
from tests.unit.consumer import things as at_home
from tests.unit.consumer.kubelet.things import (
    GONE,
    NOW,
    a_foreign_cluster,
    a_pod,
    a_virtual_node,
    listed,
)

GOING = a_virtual_node(deletion_timestamp=GONE)


def test_pods_of_a_virtual_node_that_stays_stay() -> None:
    assert plan(State(a_pod(), a_virtual_node(), False, NOW)) == NOTHING


def test_pods_are_asked_to_leave() -> None:
    assert plan(State(a_pod(), GOING, False, NOW)) == do(Evict(a_pod()), wake_after=5.0)
    without = a_virtual_node(create_node=False)
    assert plan(State(a_pod(), without, False, NOW)) == do(Evict(a_pod()), wake_after=5.0)


def test_P_VN2_who_ends_has_its_time_and_five_minutes_and_then_goes_at_once() -> None:
    ending = a_pod(deletion_timestamp=GONE)  # a minute ago
    assert plan(State(ending, GOING, False, NOW)) == do(wake_after=240.0)
    late = NOW + PATIENCE - timedelta(minutes=1)
    deleted, told = plan(State(ending, GOING, False, late)).actions
    assert deleted == Delete(ending, grace=0)
    assert isinstance(told, Record)
    assert told.reason == "NotEvicted"


def test_P_VN2_a_node_that_goes_alone_is_as_patient() -> None:
    """Also when somebody deletes it meanwhile, and when it is as good as gone."""

    def draining(status: PartStatus) -> VirtualNode:
        said = VirtualNodeCondition(type="Node", status=status, last_transition_time=GONE)
        status_of = VirtualNodeStatus(conditions=(said,))
        return msgspec.structs.replace(a_virtual_node(create_node=False), status=status_of)

    late = NOW + PATIENCE
    for status in ("Running", "Draining", "Deleting", "None"):
        early = plan(State(a_pod(), draining(status), False, NOW))
        assert early == do(Evict(a_pod()), wake_after=5.0)
        then = plan(State(a_pod(), draining(status), False, late)).actions[0]
        assert then == (Evict(a_pod()) if status == "Running" else Delete(a_pod()))


def test_P_VN2_patience_with_a_disruption_budget_has_an_end() -> None:
    late = NOW + PATIENCE
    deleted, told = plan(State(a_pod(), GOING, False, late)).actions
    assert deleted == Delete(a_pod())
    assert isinstance(told, Record)
    assert "its virtual node milan goes" in told.message
    assert plan(State(a_pod(), GOING, False, late - timedelta(minutes=2))).actions == (
        Evict(a_pod()),
    )


def test_a_lost_provider_ends_nothing_so_its_pods_go_at_once() -> None:
    ending = a_pod(deletion_timestamp=GONE)
    assert plan(State(a_pod(), GOING, True, NOW)) == do(Delete(a_pod(), grace=0))
    assert plan(State(ending, GOING, True, NOW)) == do(Delete(ending, grace=0))


DAEMON = a_pod(
    "daemon", owner_references=(OwnerReference("apps/v1", "DaemonSet", "d", "1", controller=True),)
)


def test_a_pod_of_a_daemon_set_would_only_come_back_so_it_is_the_last_to_go() -> None:
    assert plan(State(DAEMON, GOING, False, NOW, is_early=True)) == do(wake_after=5.0)
    assert plan(State(DAEMON, GOING, False, NOW)) == do(Delete(DAEMON))
    assert plan(State(DAEMON, GOING, True, NOW, is_early=True)) == do(Delete(DAEMON, grace=0))


async def test_it_is_early_for_a_daemon_while_others_are_there_or_nobody_knows() -> None:
    here = at_home.caches()
    at_home.put(here, GOING)
    departures(here)
    here.later(BoundPod, bound_to("milan")).take(DAEMON)
    assert observe(here, lambda: NOW, DAEMON.key) == State(DAEMON, GOING, True, NOW, True)
    await listed(here, DAEMON, a_pod())
    assert observe(here, lambda: NOW, DAEMON.key) == State(DAEMON, GOING, True, NOW, True)
    assert observe(here, lambda: NOW, a_pod().key) == State(a_pod(), GOING, True, NOW)
    await listed(here, DAEMON, a_pod("home", reason="OffloadingBackOff", labels={}))
    assert observe(here, lambda: NOW, DAEMON.key) == State(DAEMON, GOING, True, NOW)


async def test_who_comes_since_is_left_alone() -> None:
    """Evicted, it would come again at once where its owner binds it by name."""
    here = at_home.caches()
    at_home.put(here, GOING)
    since = a_pod("since", labels={}, creation_timestamp="2026-11-16T11:59:01Z")
    await listed(here, DAEMON, since)
    assert observe(here, lambda: NOW, since.key) is None
    assert observe(here, lambda: NOW, DAEMON.key) == State(DAEMON, GOING, True, NOW)


async def test_a_pod_that_others_hold_keeps_no_daemon_for_ever() -> None:
    """Its node no longer waits for it, but would for the daemon."""
    here = at_home.caches()
    at_home.put(here, GOING)
    await listed(here, DAEMON, a_pod(deletion_timestamp=GONE))
    gone = datetime.fromisoformat(GONE)

    def seen(passed: timedelta) -> State | None:
        return observe(here, lambda: gone + passed, DAEMON.key)

    assert seen(HELD) == State(DAEMON, GOING, True, gone + HELD, is_early=True)
    later = HELD + timedelta(seconds=1)
    assert seen(later) == State(DAEMON, GOING, True, gone + later)


async def test_a_pod_is_seen_with_its_virtual_node_and_its_provider() -> None:
    here = at_home.caches()
    pod = a_pod()
    assert observe(here, lambda: NOW, pod.key) is None
    at_home.put(here, GOING)
    await listed(here, pod, a_pod("home", reason="OffloadingBackOff", labels={}))
    assert observe(here, lambda: NOW, a_pod("home").key) is None
    assert observe(here, lambda: NOW, pod.key) == State(pod, GOING, True, NOW)
    at_home.put(here, a_foreign_cluster())
    assert observe(here, lambda: NOW, pod.key) == State(pod, GOING, False, NOW)
    dead = a_foreign_cluster(foreign_cluster_permanently_unreachable="true")
    metadata = msgspec.structs.replace(dead.metadata, resource_version="2")
    at_home.put(here, msgspec.structs.replace(dead, metadata=metadata))
    assert observe(here, lambda: NOW, pod.key) == State(pod, GOING, True, NOW)
    assert observe(here, lambda: NOW, a_pod("other").key) is None
    watches = controller(here, lambda: NOW).watches
    for model, thing in ((VirtualNode, GOING), (ForeignCluster, dead)):
        assert list(watches[here.of(model)](thing)) == [pod.key]
