"""From a VirtualNode to its kubelet, and back to nothing."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import msgspec
import pytest

from liqo.api import labels
from liqo.api.ipam import Network, NetworkSpec
from liqo.api.kubernetes import Deployment, Node, Pod
from liqo.api.meta import Key, Meta
from liqo.api.offloading import (
    PartStatus,
    VirtualNode,
    VirtualNodeCondition,
    VirtualNodeStatus,
)
from liqo.consumer.kubelet import forge, life
from liqo.consumer.kubelet.departures import departures
from liqo.consumer.kubelet.life import KUBELETS, OVERDUE, State, plan
from liqo.kube.cache import Caches
from liqo.kube.paths import Scope
from liqo.rules.kubelets import Surroundings
from liqo.runtime.plan import NOTHING, Apply, Delete, Patch, PatchStatus, Plan, Record, do
from liqo.runtime.sights import VIRTUAL_NODES
from tests.unit.consumer import things as at_home
from tests.unit.consumer.kubelet import things
from tests.unit.consumer.kubelet.things import GONE, NOW, a_virtual_node

HERE = Surroundings("rome", "liqo", ("10.71.0.0/16",))
RUNNING = VirtualNodeStatus(
    conditions=(
        VirtualNodeCondition(type="VirtualKubelet", status="Running", last_transition_time=GONE),
        VirtualNodeCondition(type="Node", status="Running", last_transition_time=GONE),
    )
)


def seen(wanted: VirtualNode, **more: Any) -> State:
    said: dict[str, Any] = {
        "options": things.options(),
        "here": HERE,
        "deployment": things.a_deployment(),
        "kubelets": 1,
        "node": things.a_node(),
        "pods": 0,
        "map": things.a_map(),
        "others": (),
        "now": NOW,
        **more,
    }
    return State(wanted, **said)


def with_status(wanted: VirtualNode, status: VirtualNodeStatus = RUNNING) -> VirtualNode:
    return msgspec.structs.replace(wanted, status=status)


def applied(decided: Plan) -> list[str]:
    kinds = []
    for action in decided.actions:
        if isinstance(action, Apply):
            kinds.append(action.object.kind.name)  # type: ignore[union-attr]
    return kinds


def told(wanted: VirtualNode, **parts: str) -> PatchStatus:
    now = "2026-11-16T12:00:00Z"
    entries = [
        {"type": part, "status": status, "lastTransitionTime": now}
        for part, status in parts.items()
    ]
    return PatchStatus(wanted, {"conditions": entries})


def test_a_virtual_node_gets_its_kubelet_and_all_that_it_needs_rights_first() -> None:
    wanted = a_virtual_node()
    decided = plan(seen(wanted, deployment=None, kubelets=0, node=None, map=None))
    assert applied(decided) == [
        "ServiceAccount",
        "ClusterRoleBinding",
        "RoleBinding",
        "RoleBinding",
        "Role",
        "RoleBinding",
        "Deployment",
        "NamespaceMap",
    ]
    launching = f"[milan] Launching virtual-kubelet milan in namespace {at_home.NAMESPACE}"
    assert decided.actions[-2:] == (
        told(wanted, VirtualKubelet="Creating", Node="Creating"),
        Record(wanted, "VkCreated", launching),
    )


def test_it_is_held_before_anything_is_made_for_it() -> None:
    fresh = a_virtual_node(finalizers=())
    assert isinstance(plan(seen(fresh)).actions[0], Patch)


def test_what_runs_is_said_once() -> None:
    wanted = a_virtual_node()
    assert told(wanted, VirtualKubelet="Running", Node="Running") in plan(seen(wanted)).actions
    again = plan(seen(with_status(wanted))).actions
    assert not any(isinstance(action, PatchStatus) for action in again)


def test_P_VN1_each_part_is_said_once_whatever_was_said_before() -> None:
    running = with_status(a_virtual_node(deletion_timestamp=GONE))
    [_, said] = plan(seen(running, pods=1)).actions
    assert isinstance(said, PatchStatus)
    before = msgspec.convert({"conditions": said.status["conditions"]}, VirtualNodeStatus)
    *_, again = plan(seen(with_status(running, before))).actions
    assert isinstance(again, PatchStatus)
    parts = [(each["type"], each["status"]) for each in again.status["conditions"]]
    assert parts == [("VirtualKubelet", "Deleting"), ("Node", "Deleting")]


def test_without_a_node_there_is_a_kubelet_all_the_same_and_a_node_of_before_goes() -> None:
    wanted = a_virtual_node(create_node=False)
    node = things.a_node()
    assert Delete(node) in plan(seen(wanted, node=node)).actions
    drained = plan(seen(wanted, node=node, pods=2)).actions
    assert Patch(node, {"spec": {"unschedulable": True}}) in drained
    assert Delete(node) not in drained
    decided = plan(seen(wanted, node=None))
    assert told(wanted, VirtualKubelet="Running", Node="None") in decided.actions


@pytest.mark.parametrize("emptied", ["Draining", "Deleting"])
def test_a_node_that_is_wanted_again_takes_pods_again(emptied: PartStatus) -> None:
    said = (VirtualNodeCondition(type="Node", status=emptied, last_transition_time=GONE),)
    back = with_status(a_virtual_node(), VirtualNodeStatus(conditions=said))
    closed = things.a_node(unschedulable=True)
    opened = Patch(closed, {"spec": {"unschedulable": None}})
    *_, before_last, last = plan(seen(back, node=closed)).actions
    assert (before_last, type(last)) == (opened, PatchStatus)
    assert opened not in plan(seen(with_status(a_virtual_node()), node=closed)).actions
    for node in (None, things.a_node()):
        assert not any(isinstance(each, Patch) for each in plan(seen(back, node=node)).actions)


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        ({"pods": 2}, "true"),
        ({"pods": 0}, "true"),
        ({"pods": None}, "true"),
        ({"node": None, "pods": 1}, "true"),
        ({"node": None, "pods": None}, None),
        ({"node": None, "pods": 0}, "false"),
        ({"node": None, "pods": 0, "deployment": None}, "false"),
    ],
    ids=[
        "pods are left",
        "the Node is left",
        "nobody knows what is on the Node",
        "somebody deleted the Node",
        "nobody knows what is left",
        "all has left",
        "it never had a Node",
    ],
)
def test_a_kubelet_sees_to_its_node_and_its_pods_until_all_have_left(
    more: dict[str, Any], expected: str | None
) -> None:
    state = seen(a_virtual_node(create_node=False), **more)
    assert started_with(plan(state)) == ([f"--create-node={expected}"] if expected else [])


def test_a_kubelet_that_is_to_have_a_node_has_one_from_the_start() -> None:
    for node in (None, things.a_node()):
        assert started_with(plan(seen(a_virtual_node(), node=node))) == ["--create-node=true"]


def started_with(decided: Plan) -> list[str]:
    """Whether the kubelet of the Deployment that is applied has a Node."""
    return [
        argument
        for action in decided.actions
        if isinstance(action, Apply) and action.object.kind == Deployment.KIND  # type: ignore[union-attr]
        for argument in action.object.body["spec"]["template"]["spec"]["containers"][0]["args"]  # type: ignore[union-attr]
        if argument.startswith("--create-node=")
    ]


def test_nobody_is_started_whom_nobody_knows_how_to_start() -> None:
    assert plan(seen(a_virtual_node(), options=None)) == NOTHING


def test_first_the_pods_leave() -> None:
    going = with_status(a_virtual_node(deletion_timestamp=GONE))
    cordon, said = plan(seen(going, pods=3)).actions
    assert cordon == Patch(things.a_node(), {"spec": {"unschedulable": True}})
    assert isinstance(said, PatchStatus)
    assert [each["status"] for each in said.status["conditions"]] == ["Running", "Draining"]
    cordoned = seen(going, pods=3, node=things.a_node(unschedulable=True))
    assert all(isinstance(action, PatchStatus) for action in plan(cordoned).actions)


def test_who_leaves_waits_until_it_is_known_whether_there_are_any() -> None:
    for leaving in (a_virtual_node(deletion_timestamp=GONE), a_virtual_node(create_node=False)):
        unknown, some = (plan(seen(leaving, pods=pods)) for pods in (None, 1))
        assert unknown == do(*some.actions, wake_after=0.1)
        assert some.wake_after == OVERDUE


def test_then_the_kubelet_then_its_node_then_the_map_then_it_is_let_go() -> None:
    going = with_status(a_virtual_node(deletion_timestamp=GONE))
    deployment, node, namespaces = things.a_deployment(), things.a_node(), things.a_map()
    first = plan(seen(going)).actions
    assert first[0] == Delete(deployment)
    text = f"[milan] Deleting virtual-kubelet in namespace {at_home.NAMESPACE}"
    assert first[1] == Record(going, "VkDeleted", text)
    ending = plan(seen(going, deployment=None, kubelets=1)).actions
    assert not any(isinstance(action, Delete) for action in ending)
    stopped: dict[str, Any] = {"deployment": None, "kubelets": 0}
    assert plan(seen(going, **stopped)) == do(Delete(node))
    assert plan(seen(going, **stopped, node=None)) == do(Delete(namespaces))
    *rights, released = plan(seen(going, **stopped, node=None, map=None)).actions
    assert rights == list(map(Delete, forge.rights_of(going)))
    assert isinstance(released, Patch)
    assert plan(seen(a_virtual_node(deletion_timestamp=GONE, finalizers=()))) == NOTHING


def test_the_map_stays_while_another_virtual_node_of_that_provider_does() -> None:
    going = a_virtual_node(deletion_timestamp=GONE)
    for other in (a_virtual_node(name="other"), a_virtual_node(name="z", deletion_timestamp=GONE)):
        state = seen(going, deployment=None, kubelets=0, node=None, others=(other,))
        *rights, released = plan(state).actions
        assert rights == list(map(Delete, forge.rights_of(going)))
        assert isinstance(released, Patch)


def test_the_last_to_be_deleted_waits_with_the_map_for_those_before() -> None:
    """Under what it names, they still have pods."""
    going = a_virtual_node(deletion_timestamp=GONE)
    first = a_virtual_node(name="a", deletion_timestamp="2026-11-16T11:58:00Z")
    stopped: dict[str, Any] = {"deployment": None, "kubelets": 0, "node": None}
    assert plan(seen(going, **stopped, others=(first,))) == NOTHING
    assert plan(seen(going, **stopped)) == do(Delete(things.a_map()))
    *_, released = plan(seen(going, **stopped, others=(first,), map=None)).actions
    assert isinstance(released, Patch), "without a map there is nothing to wait for"


def caches(wanted: VirtualNode | None = None) -> Caches:
    here = at_home.caches()
    kubelet = Pod(
        metadata=Meta(
            name="vk-milan-1",
            namespace=at_home.NAMESPACE,
            resource_version="1",
            labels={labels.VIRTUAL_NODE: "milan", **things.MARKS},
        )
    )
    network = Network(
        metadata=Meta(name="pod-cidr", namespace="liqo", resource_version="1"),
        spec=NetworkSpec(cidr="10.71.0.0/16"),
    )
    at_home.put(here, wanted or a_virtual_node())
    at_home.put(here, things.options())
    at_home.put(here, things.a_map())
    here.of(Deployment, KUBELETS).take(things.a_deployment())
    here.of(Pod, KUBELETS).take(kubelet)
    here.of(Node, VIRTUAL_NODES).take(things.a_node())
    here.of(Network, Scope("liqo", life.POD_NETWORKS)).take(network)
    return here


def test_a_virtual_node_is_seen_with_all_that_is_its_own() -> None:
    here = caches()
    key = a_virtual_node().key
    state = life.observe(here, at_home.HOME, lambda: NOW, key)
    assert state == seen(a_virtual_node())
    assert life.observe(here, at_home.HOME, lambda: NOW, Key("x", "milan")) is None


def test_it_is_seen_with_the_others_of_its_provider_also_those_that_leave() -> None:
    here, other = caches(), a_virtual_node(name="other", deletion_timestamp=GONE)
    at_home.put(here, other)
    state = life.observe(here, at_home.HOME, lambda: NOW, a_virtual_node().key)
    assert state == seen(a_virtual_node(), others=(other,))


@pytest.mark.parametrize(
    "leaving", [a_virtual_node(deletion_timestamp=GONE), a_virtual_node(create_node=False)]
)
async def test_one_that_leaves_is_seen_with_its_pods(leaving: VirtualNode) -> None:
    here = caches(leaving)
    before = life.observe(here, at_home.HOME, lambda: NOW, leaving.key)
    await things.listed(here, things.a_pod())
    after = life.observe(here, at_home.HOME, lambda: NOW, leaving.key)
    assert (before, after) == (seen(leaving, pods=None), seen(leaving, pods=1))


async def test_who_comes_since_is_not_waited_for() -> None:
    """Whose owner binds it by name would come again as often as it is evicted."""
    going = a_virtual_node(deletion_timestamp=GONE)
    here, later = caches(going), "2026-11-16T11:59:01Z"
    await things.listed(here, things.a_pod(labels={}, creation_timestamp=later))
    assert life.observe(here, at_home.HOME, lambda: NOW, going.key) == seen(going, pods=0)


async def test_what_others_hold_is_not_waited_for_without_end() -> None:
    """Our eviction deletes a pod after five minutes, and a finalizer may hold it still."""
    going = a_virtual_node(deletion_timestamp=GONE)
    here = caches(going)
    kubelet = here.of(Pod, KUBELETS).values()[0]
    ending = msgspec.structs.replace(
        kubelet.metadata, deletion_timestamp=GONE, resource_version="2"
    )
    here.of(Pod, KUBELETS).take(msgspec.structs.replace(kubelet, metadata=ending))
    await things.listed(here, things.a_pod(deletion_timestamp=GONE))
    gone = datetime.fromisoformat(GONE)

    def left(passed: timedelta) -> tuple[int | None, int]:
        state = life.observe(here, at_home.HOME, lambda: gone + passed, going.key)
        assert state is not None
        return state.pods, state.kubelets

    assert left(timedelta(minutes=1)) == (1, 1)
    assert left(timedelta(minutes=2)) == (1, 0), "its machine is lost, and its lease with it"
    assert left(timedelta(minutes=6)) == (1, 0)
    assert left(timedelta(minutes=7)) == (0, 0)


@pytest.mark.parametrize(
    "leaving", [a_virtual_node(deletion_timestamp=GONE), a_virtual_node(create_node=False)]
)
async def test_whatever_changes_of_one_that_leaves_concerns_it(leaving: VirtualNode) -> None:
    here = caches(leaving)
    await things.listed(here, things.a_pod())
    watches = life.controller(here, at_home.HOME, lambda: NOW).watches
    for copy, keys_of in watches.items():
        assert copy.values(), copy
        for thing in copy.values():
            assert set(keys_of(thing)) == {leaving.key}, copy


def test_of_one_that_stays_everything_does_and_nobody_asks_for_its_pods() -> None:
    here = caches()
    watches = life.controller(here, at_home.HOME, lambda: NOW).watches
    for copy, keys_of in watches.items():
        for thing in copy.values():
            assert set(keys_of(thing)) == {a_virtual_node().key}, copy
    assert departures(here).values() == []
