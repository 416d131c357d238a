"""The Node is there, as it should be, and written only when something is new."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import msgspec
import pytest

from liqo.api import labels
from liqo.api.core import (
    ConditionStatus,
    ForeignCluster,
    ForeignClusterCondition,
    ForeignClusterSpec,
    ForeignClusterStatus,
    Module,
    Modules,
)
from liqo.api.kubernetes import Node
from liqo.api.meta import Key, Meta
from liqo.api.offloading import VirtualNode
from liqo.api.values import ResourceQuota
from liqo.kube.access import Access
from liqo.kube.cluster import Cluster
from liqo.kube.errors import Forbidden, Invalid, KubeError, Unreachable
from liqo.kubelet.node import face as faces
from liqo.kubelet.node.face import Network
from liqo.kubelet.node.health import Health, Patience
from liqo.kubelet.node.probe import Probe
from liqo.kubelet.node.show import (
    REPORT,
    Place,
    State,
    controller,
    failed,
    observe,
    part_failed,
    plan,
)
from liqo.runtime.plan import NOTHING, Action, Apply, Create, Patch, PatchStatus, Record, do
from tests.unit.kubelet.node import things
from tests.unit.kubelet.node.things import FACE, NAMESPACE, NOW, WELL, a_node, a_virtual_node

PLACE = Place(NAMESPACE, FACE)
KEY = Key("", "milan")


def seen(node: Node | None, **more: Any) -> State:
    said: dict[str, Any] = {
        "wanted": a_virtual_node(),
        "node": node,
        "face": FACE,
        "health": WELL,
        "network": Network(),
        "now": NOW,
        **more,
    }
    return State(**said)


def last(state: State) -> PatchStatus:
    action = actions(state)[-1]
    assert isinstance(action, PatchStatus)
    return action


def actions(state: State) -> list[Action]:
    return [action for part in plan(state).parts for action in part.actions]


def test_A08_a_node_that_is_not_there_is_made() -> None:
    [made] = plan(seen(None)).actions
    assert isinstance(made, Create)
    body = made.object.body  # type: ignore[union-attr]
    assert body["metadata"]["name"] == "milan"
    assert body["spec"]["taints"][-1]["key"] == "virtual-node.liqo.io/not-allowed"


def test_one_that_is_not_wanted_any_more_is_as_before_until_it_is_gone() -> None:
    """Its pods end as on any other; others delete it."""
    unwanted = a_virtual_node(create_node=False)
    assert plan(seen(None, wanted=unwanted)) == NOTHING
    assert plan(seen(a_node(), wanted=unwanted)) == plan(seen(a_node()))


def test_one_that_is_going_is_waited_for() -> None:
    assert plan(seen(a_node(deletion_timestamp="2026-11-16T12:00:00Z"))) == NOTHING


def test_what_is_as_it_should_be_is_only_applied_and_looked_at_later() -> None:
    assert [type(action) for action in actions(seen(a_node()))] == [Apply]
    assert plan(seen(a_node())).wake_after == REPORT


def test_a_heartbeat_is_told_after_a_while() -> None:
    later = NOW + timedelta(seconds=REPORT)
    assert last(seen(a_node(), now=later)).object == a_node()


def test_P_NODE3_a_resource_that_is_no_longer_offered_goes() -> None:
    less = a_virtual_node(resource_quota=ResourceQuota(hard={"cpu": "4", "memory": "8Gi"}))
    change = last(seen(a_node(), wanted=less))
    assert change.status["capacity"] == {"cpu": "4", "memory": "8Gi", "pods": None}
    assert change.form == "strategic"


def test_a_fresh_node_is_told_everything() -> None:
    assert last(seen(a_node(status={}))).status["allocatable"] == things.OFFERED


def test_a_lost_provider_is_told_at_once() -> None:
    lost = Health("milan", failures=3, reason="no route")
    assert last(seen(a_node(), health=lost)).status["conditions"][0]["status"] == "False"


def test_who_begins_while_the_provider_is_lost_says_nothing_new_until_it_can_tell() -> None:
    """Else pods that wait for their eviction would wait from the beginning."""
    lost = Health("milan", failures=3, reason="no route")
    was = faces.conditions(a_virtual_node(), lost, Network(), NOW, [])
    node = a_node(status=faces.status(FACE, a_virtual_node(), was))
    unasked, once = Health("milan", is_asked=False), Health("milan", failures=1)
    for health in (unasked, once):
        decided = actions(seen(node, health=health, now=NOW + timedelta(seconds=20)))
        assert [type(action) for action in decided] == [Apply]
    assert last(seen(node)).status["conditions"][0]["status"] == "True"


def test_a_network_that_is_no_longer_shown_takes_its_condition_along() -> None:
    status: dict[str, Any] = dict(a_node().status)
    status["conditions"] = [*status["conditions"], {"type": "NetworkUnavailable", "status": "True"}]
    told = last(seen(a_node(status=status))).status["conditions"]
    assert told[-1] == {"$patch": "delete", "type": "NetworkUnavailable"}


def test_conditions_of_others_are_theirs() -> None:
    status: dict[str, Any] = dict(a_node().status)
    theirs = {
        "type": "KernelDeadlock",
        "status": "False",
        "lastHeartbeatTime": "2020-01-01T00:00:00Z",
    }
    status["conditions"] = [*status["conditions"], theirs]
    assert [type(action) for action in actions(seen(a_node(status=status)))] == [Apply]


def test_what_no_node_can_have_is_told_and_holds_up_nothing() -> None:
    """Above all not that a provider is lost: its pods would wait there for ever."""
    wanted = a_virtual_node(labels={"region": "south italy"})
    told = Record(
        wanted,
        "NodeRefused",
        'the Node "milan" is without what no Node can have: the label "region=south italy"',
        "Warning",
    )
    assert plan(seen(None, wanted=wanted)).actions[1:] == (told,)
    lost = Health("milan", failures=3, reason="no route")
    marks, status = plan(seen(a_node(), wanted=wanted, health=lost)).parts
    assert told in marks.actions
    assert [type(action) for action in status.actions] == [PatchStatus]


@pytest.mark.parametrize("error", [Invalid, Forbidden])
def test_that_a_node_is_refused_is_told_on_its_virtual_node(error: type[KubeError]) -> None:
    state = seen(a_node())
    words = 'the Node "milan" is refused: rome: no'
    told = do(Record(state.wanted, "NodeRefused", words, "Warning"))
    assert failed(state, error("rome: no")) == told
    assert part_failed(state, "marks", error("rome: no")) == told
    assert failed(state, Unreachable("rome: no route")) == NOTHING


def test_P_NODE2_a_label_that_somebody_removed_comes_back_whatever_else_changed() -> None:
    """It is applied as a whole, and not as a difference to what we remember."""
    stripped = a_node()
    metadata = msgspec.structs.replace(stripped.metadata, labels={"theirs": "stays"})
    [applied, *_] = actions(seen(msgspec.structs.replace(stripped, metadata=metadata)))
    assert isinstance(applied, Apply)
    marks = applied.object.body["metadata"]["labels"]  # type: ignore[union-attr]
    assert marks[labels.TYPE] == "virtual-node"
    assert "theirs" not in marks, "of others nothing is said, so nothing is taken away"


def test_P_NODE1_missing_taints_come_back_beside_those_of_others() -> None:
    other = {"key": "node.kubernetes.io/not-ready", "effect": "NoExecute"}
    [mended, applied] = actions(seen(a_node(spec={"taints": [other]})))
    assert isinstance(applied, Apply)
    assert isinstance(mended, Patch)
    assert mended.only_if_unchanged
    assert [each["key"] for each in mended.change["spec"]["taints"]] == [
        "node.kubernetes.io/not-ready",
        "virtual-node.liqo.io/not-allowed",
    ]


def a_provider(connection: ConditionStatus | None, *, enabled: bool = True) -> ForeignCluster:
    told = ForeignClusterCondition(type="NetworkConnectionStatus", status=connection or "None")
    off = Module(enabled=False)
    networking = Module(enabled=enabled, conditions=(told,) if connection else ())
    return ForeignCluster(
        metadata=Meta(
            name="milan", resource_version="1", labels={labels.REMOTE_CLUSTER_ID: "milan"}
        ),
        spec=ForeignClusterSpec(cluster_id="milan"),
        status=ForeignClusterStatus(
            role="Provider",
            modules=Modules(networking=networking, authentication=off, offloading=off),
        ),
    )


def a_probe() -> Probe:
    return Probe(Cluster(Access("http://milan.invalid")), "milan", Patience())


def network_of(place: Place, *known: ForeignCluster) -> Network:
    here = things.caches()
    here.of(VirtualNode, place.virtual).take(a_virtual_node())
    for each in known:
        here.of(ForeignCluster, place.provider).take(each)
    state = observe(here, place, a_probe(), lambda: NOW, KEY)
    assert state is not None
    return state.network


def test_D09_the_network_counts_where_it_is_enabled_and_checked() -> None:
    established, down = a_provider("Established"), a_provider("Error")
    assert network_of(PLACE) == Network()
    assert network_of(PLACE, established) == Network(shown=True, established=True)
    assert network_of(PLACE, down) == Network(shown=True)
    assert network_of(PLACE, a_provider(None)) == Network(shown=True)
    assert network_of(PLACE, a_provider("Error", enabled=False)) == Network()
    assert network_of(replace(PLACE, checks_network=False), down) == Network()


def test_a_virtual_node_that_goes_leaves_its_node_to_others() -> None:
    here = things.caches()
    assert observe(here, PLACE, a_probe(), lambda: NOW, KEY) is None
    wanted = a_virtual_node()
    metadata = msgspec.structs.replace(wanted.metadata, deletion_timestamp="2026-11-16T12:00:00Z")
    here.of(VirtualNode, PLACE.virtual).take(msgspec.structs.replace(wanted, metadata=metadata))
    assert observe(here, PLACE, a_probe(), lambda: NOW, KEY) is None


def test_all_that_it_watches_is_about_the_one_node() -> None:
    here, probe = things.caches(), a_probe()
    watches = controller(here, PLACE, probe, lambda: NOW).watches
    assert {tuple(keys_of(None)) for keys_of in watches.values()} == {(KEY,)}
    assert probe in watches
