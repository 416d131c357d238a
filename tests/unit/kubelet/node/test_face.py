"""What a virtual node looks like, against what was captured."""

from __future__ import annotations

import pytest

from liqo.api import labels
from liqo.api.kubernetes import Condition
from liqo.api.offloading import VirtualNode
from liqo.api.values import ResourceQuota, StorageClass
from liqo.kubelet.node import face as faces
from liqo.kubelet.node.face import Face, Network
from liqo.kubelet.node.health import Health
from tests.unit.kubelet.node.things import FACE, NOW, OFFERED, WELL, a_virtual_node

LOST = Health("milan", failures=3, reason="no route")
ALONE = Network()


def told(wanted: VirtualNode, network: Network = ALONE) -> dict[str, str]:
    made = faces.conditions(wanted, WELL, network, NOW, [])
    return {each["type"]: f"{each['status']} {each['reason']}" for each in made}


def test_labels_are_those_of_the_wire_and_the_providers() -> None:
    assert faces.marks(FACE, a_virtual_node()) == {
        "alpha.service-controller.kubernetes.io/exclude-balancer": "true",
        "kubernetes.io/arch": "amd64",
        "kubernetes.io/hostname": "milan",
        "kubernetes.io/os": "linux",
        "kubernetes.io/role": "agent",
        "liqo.io/remote-cluster-id": "milan",
        "liqo.io/type": "virtual-node",
        "node.kubernetes.io/exclude-from-external-load-balancers": "true",
        "region": "B",
        "storage.liqo.io/available": "false",
        "type": "virtual-kubelet",
    }


def test_P_FORGE6_the_providers_word_on_its_architecture_counts() -> None:
    wanted = a_virtual_node(labels={"kubernetes.io/arch": "arm64"})
    assert faces.status(FACE, wanted, [])["nodeInfo"]["architecture"] == "arm64"
    other = Face("milan", "milan", "10.71.0.7", 10250, "v1", architecture="s390x")
    assert faces.marks(other, a_virtual_node())["kubernetes.io/arch"] == "s390x"


def test_nobody_renames_a_node_or_its_provider() -> None:
    wanted = a_virtual_node(labels={labels.TYPE: "real", labels.REMOTE_CLUSTER_ID: "rome"})
    made = faces.marks(FACE, wanted)
    assert (made[labels.TYPE], made[labels.REMOTE_CLUSTER_ID]) == ("virtual-node", "milan")


def test_what_no_node_can_have_is_left_out_and_named() -> None:
    """Kubernetes would refuse the whole Node for it."""
    wanted = a_virtual_node(
        labels={"region": "south italy", "a b": "c", "zone": ""},
        annotations={"with space in it/x": "1", "note": "any text"},
        taints=({"key": "gpu", "effect": "Never"},),
    )
    marks, notes = faces.marks(FACE, wanted), faces.notes(FACE, wanted)
    assert (marks["zone"], notes["note"]) == ("", "any text")
    assert not {"region", "a b"} & marks.keys()
    assert "with space in it/x" not in notes
    assert faces.unfit(FACE, wanted) == [
        'the label "a b=c"',
        'the label "region=south italy"',
        'the annotation "with space in it/x"',
        'the taint "gpu:Never"',
    ]
    assert faces.unfit(FACE, a_virtual_node()) == []


def test_keys_of_annotations_may_have_capital_letters_where_those_of_labels_may_not() -> None:
    """Kubernetes looks at the keys of annotations in small letters."""
    written = {"Example.ORG/Owner": "any text", "Owner": "any text"}
    wanted = a_virtual_node(labels={"Example.org/zone": "b"}, annotations=written)
    assert faces.notes(FACE, wanted).items() >= written.items()
    assert faces.unfit(FACE, wanted) == ['the label "Example.org/zone=b"']


def test_storage_is_said_to_be_there_where_the_provider_offers_it() -> None:
    wanted = a_virtual_node(storage_classes=(StorageClass(storage_class_name="fast"),))
    assert faces.marks(FACE, wanted)[labels.STORAGE_AVAILABLE] == "true"


def test_extras_of_the_installation_are_on_it() -> None:
    extras = Face(
        "milan", "milan", "", 1, "v1", extra_labels={"a": "1"}, extra_annotations={"b": "2"}
    )
    assert faces.marks(extras, a_virtual_node())["a"] == "1"
    notes = faces.notes(extras, a_virtual_node(annotations={"c": "3"}))
    assert notes.items() >= {"b": "2", "c": "3"}.items()


def test_what_is_offered_is_capacity_and_allocatable() -> None:
    made = faces.status(FACE, a_virtual_node(), [])
    assert made["capacity"] == made["allocatable"] == OFFERED
    assert made["addresses"] == [{"type": "InternalIP", "address": "10.71.0.7"}]
    assert made["daemonEndpoints"] == {"kubeletEndpoint": {"Port": 10250}}
    assert made["nodeInfo"]["kubeletVersion"] == "v1.35.4"


@pytest.mark.parametrize(
    ("hard", "shown"),
    [
        ({"nvidia.com/gpu": "500m", "pods": "1500m"}, {"nvidia.com/gpu": "0", "pods": "1"}),
        ({"cpu": "-1", "memory": "much"}, {"cpu": "0", "memory": "0"}),
        ({"cpu": "500m", "memory": "1024Mi"}, {"cpu": "500m", "memory": "1Gi"}),
        ({"cpu": "2000m", "pods": 4}, {"cpu": "2", "pods": "4"}),
    ],
)
def test_a_node_shows_what_kubernetes_lets_it_have_as_kubernetes_writes_it(
    hard: dict[str, str | int], shown: dict[str, str]
) -> None:
    wanted = a_virtual_node(resource_quota=ResourceQuota(hard=hard))
    made = faces.status(FACE, wanted, [])
    assert made["capacity"] == made["allocatable"] == shown


def test_A14_a_healthy_node_says_so_in_the_words_of_the_wire() -> None:
    assert told(a_virtual_node()) == {
        "Ready": "True KubeletReady",
        "MemoryPressure": "False RemoteClusterHasSufficientMemory",
        "DiskPressure": "False RemoteClusterHasNoDiskPressure",
        "PIDPressure": "False RemoteClusterHasNoPIDPressure",
    }


@pytest.mark.parametrize("hard", [{}, {"cpu": "0", "memory": "1Gi"}, {"cpu": "1"}, {"cpu": "x"}])
def test_a_node_without_resources_is_under_pressure(hard: dict[str, str | int]) -> None:
    assert told(a_virtual_node(resource_quota=ResourceQuota(hard=hard))) == {
        "Ready": "False KubeletNotReady",
        "MemoryPressure": "True RemoteClusterHasMemoryPressure",
        "DiskPressure": "True RemoteClusterHasDiskPressure",
        "PIDPressure": "True RemoteClusterHasPIDPressure",
    }


def test_P_NODE4_a_provider_that_is_lost_is_said_to_be() -> None:
    [ready, *_] = faces.conditions(a_virtual_node(), LOST, ALONE, NOW, [])
    assert (ready["status"], ready["reason"]) == ("False", "RemoteClusterUnreachable")
    assert "cluster milan" in ready["message"]


def said(status: str, reason: str) -> Condition:
    before = "2026-01-01T00:00:00Z"
    return Condition(
        type="Ready", status=status, reason=reason, message="why", lastTransitionTime=before
    )


GONE = said("False", "RemoteClusterUnreachable")
MISSED = said("Unknown", "NodeStatusUnknown")
READY = said("True", "KubeletReady")
UNASKED, ONCE = Health("milan", is_asked=False), Health("milan", failures=1)


@pytest.mark.parametrize(
    ("health", "before", "expected"),
    [
        (LOST, READY, "False RemoteClusterUnreachable"),
        (LOST, MISSED, "False RemoteClusterUnreachable"),
        (UNASKED, GONE, "False RemoteClusterUnreachable"),
        (ONCE, GONE, "False RemoteClusterUnreachable"),
        (UNASKED, MISSED, "Unknown NodeStatusUnknown"),
        (ONCE, MISSED, "Unknown NodeStatusUnknown"),
        (UNASKED, READY, "True KubeletReady"),
        (ONCE, READY, "True KubeletReady"),
        (UNASKED, said("False", "KubeletNotReady"), "True KubeletReady"),
        (UNASKED, None, "True KubeletReady"),
        (WELL, GONE, "True KubeletReady"),
        (WELL, MISSED, "True KubeletReady"),
    ],
)
def test_only_an_answer_takes_back_that_a_provider_or_its_kubelet_is_missed(
    health: Health, before: Condition | None, expected: str
) -> None:
    old = [before] if before is not None else []
    [ready, *_] = faces.conditions(a_virtual_node(), health, ALONE, NOW, old)
    assert f"{ready['status']} {ready['reason']}" == expected
    if before is not None and ready["status"] == before["status"]:
        assert ready["lastTransitionTime"] == before["lastTransitionTime"]
    if health.is_open and before in (GONE, MISSED):
        assert ready["message"] == "why"


def test_the_network_is_shown_where_there_is_one() -> None:
    down, up = Network(shown=True), Network(shown=True, established=True)
    assert told(a_virtual_node(), down)["NetworkUnavailable"] == "True LiqoNetworkingDown"
    assert told(a_virtual_node(), down)["Ready"] == "False KubeletNotReady"
    assert told(a_virtual_node(), up)["NetworkUnavailable"] == "False LiqoNetworkingUp"


def test_what_says_the_same_keeps_its_time() -> None:
    old = faces.conditions(a_virtual_node(), WELL, ALONE, NOW, [])
    for each in old:
        each["lastTransitionTime"] = "2026-01-01T00:00:00Z"
    after = faces.conditions(a_virtual_node(), LOST, ALONE, NOW, old)
    times = {each["type"]: each["lastTransitionTime"] for each in after}
    assert times["MemoryPressure"] == "2026-01-01T00:00:00Z"
    assert times["Ready"] == "2026-11-16T12:00:00Z"
