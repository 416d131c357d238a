"""Who tries to get around the policy of a namespace is refused, undone, or achieves nothing."""

from __future__ import annotations

from collections.abc import AsyncIterator
from functools import partial

import pytest

from liqo.api import labels
from liqo.api.kubernetes import Namespace, Node, Pod, RoleBinding
from liqo.api.meta import JSON, Key
from liqo.api.offloading import NamespaceMap, NamespaceMapSpec
from liqo.kube.errors import NotFound, Refused
from liqo.kube.http import Request
from liqo.kube.paths import instance
from liqo.kube.reading import encode, metadata
from tests.e2e.eventually import ENDING, eventually
from tests.e2e.offloaded import condition
from tests.e2e.provinces import SOUTH, Province, Town
from tests.e2e.workloads import SERVE

ANYTHING: JSON = {"tolerations": [{"operator": "Exists"}]}
PLAIN: JSON = {"containers": [SERVE]}
REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
BACK_OFF = ("Pending", "OffloadingBackOff")


def to_milan(**more: object) -> JSON:
    """By its own affinity."""
    chosen = {"key": "liqo.io/remote-cluster-id", "operator": "In", "values": ["milan"]}
    terms = [{"matchExpressions": [chosen]}]
    affinity = {"nodeAffinity": {REQUIRED: {"nodeSelectorTerms": terms}}}
    return {**PLAIN, **ANYTHING, "affinity": affinity, **more}


@pytest.fixture
async def town(province: Province) -> AsyncIterator[Town]:
    """A namespace whose pods may run at home or in Turin."""
    async with province.namespace() as made:
        await made.offload(clusterSelector=SOUTH)
        yield made


async def is_unschedulable(town: Town, name: str) -> bool:
    status = (await town.pod(name)).status
    conditions = status.get("conditions", ())
    return any(
        (each["type"], each["status"], each.get("reason"))
        == ("PodScheduled", "False", "Unschedulable")
        for each in conditions
    )


async def bind(town: Town, name: str, node: str) -> None:
    """By hand, as a scheduler does."""
    body = {
        "apiVersion": "v1",
        "kind": "Binding",
        "metadata": {"name": name},
        "target": {"apiVersion": "v1", "kind": "Node", "name": node},
    }
    path = instance(Pod.KIND, Key(town.name, name), "binding")
    await town.rome.request(Request("POST", path, encode(body)))


@pytest.mark.row("E12")
async def test_what_a_pod_asks_for_itself_only_narrows(province: Province, town: Town) -> None:
    await town.create("affinity", to_milan())
    await town.create("selector", {**PLAIN, **ANYTHING, "nodeSelector": {labels.REGION: "north"}})
    await town.create("class", {**PLAIN, "runtimeClassName": "liqo"})
    for name in ("affinity", "selector"):
        await eventually(partial(is_unschedulable, town, name))
    await eventually(lambda: town.node_of("class"), is_="turin")
    copied = (await town.pod("affinity")).spec
    copied["affinity"] = to_milan()["affinity"]
    terms = (await town.dry_run(dict(copied)))["affinity"]["nodeAffinity"][REQUIRED]
    for term in terms["nodeSelectorTerms"]:
        assert len(term["matchExpressions"]) == 2
    change = {"spec": {"affinity": to_milan()["affinity"]}}
    with pytest.raises(Refused, match="pod updates may not change fields"):
        await town.rome.patch(Pod.KIND, Key(town.name, "selector"), change, how="merge")


async def test_a_node_that_is_named_by_hand_refuses_what_it_should_not_run(
    province: Province, town: Town
) -> None:
    """The kubelet of Milan's virtual node, and where no pod may stay, that of our own."""
    await town.create("named", {**PLAIN, **ANYTHING, "nodeName": "milan"})
    await town.create("scheduled", {**PLAIN, **ANYTHING, "schedulerName": "mine"})
    await bind(town, "scheduled", "milan")
    for name in ("named", "scheduled"):
        await eventually(partial(town.fate, name), is_=BACK_OFF)
    assert not await province.is_there(province.milan, f"{town.name}-rome")
    await town.change(podOffloadingStrategy="Remote")

    async def is_strict() -> bool:
        spec = await town.dry_run(PLAIN)
        return len(spec["affinity"]["nodeAffinity"][REQUIRED]["nodeSelectorTerms"]) == 1

    await eventually(is_strict)
    await town.create("at-home", {**PLAIN, "nodeName": "rome"})
    await eventually(lambda: town.fate("at-home"), is_=("Failed", "NodeAffinity"))


async def test_where_pods_stay_at_home_a_virtual_node_runs_none(province: Province) -> None:
    async with province.namespace() as town:
        await town.offload(podOffloadingStrategy="Local", clusterSelector=SOUTH)
        assert await province.is_there(province.turin, f"{town.name}-rome")
        await town.create("named", {**PLAIN, **ANYTHING, "nodeName": "turin"})
        chosen = {"nodeSelector": {labels.REGION: "south"}}
        await town.create("tolerant", {**PLAIN, **ANYTHING, **chosen})
        for name in ("named", "tolerant"):
            await eventually(partial(town.fate, name), is_=BACK_OFF)
        told = await eventually(lambda: town.told("ReflectionDisabled"), bool)
        assert "its podOffloadingStrategy is Local" in told[0]
        await town.change(podOffloadingStrategy="LocalAndRemote")
        await eventually(lambda: town.fate("named"), is_=("Running", ""))


async def test_a_map_that_is_edited_by_hand_is_put_right(province: Province, town: Town) -> None:
    rome, key = province.rome, Key("liqo-tenant-milan", "milan")

    async def spec() -> NamespaceMapSpec:
        return (await province.map_of("milan")).spec

    # Towns of other tests leave it a moment after those have ended.
    before = await eventually(spec, lambda seen: not seen.desired_mapping)
    change: JSON = {"spec": {"desiredMapping": {town.name: f"{town.name}-stolen"}}}
    await rome.patch(NamespaceMap.KIND, key, change, how="merge")
    await eventually(spec, is_=before)
    await eventually(lambda: province.is_there(province.milan, f"{town.name}-stolen"), is_=False)
    south, mine = Key("liqo-tenant-turin", "turin"), {town.name: None}
    await rome.patch(NamespaceMap.KIND, south, {"spec": {"desiredMapping": mine}}, how="merge")

    async def mapped() -> str | None:
        return (await province.map_of("turin")).spec.desired_mapping.get(town.name)

    await eventually(mapped, is_=f"{town.name}-rome")


async def test_the_label_that_opens_a_namespace_comes_back(town: Town) -> None:
    gone = {"metadata": {"labels": {labels.SCHEDULING_ENABLED: None}}}
    await town.rome.patch(Namespace.KIND, Key("", town.name), gone, how="merge")

    async def label() -> str | None:
        return (await town.marks()).get(labels.SCHEDULING_ENABLED)

    await eventually(label, is_="true")


async def test_a_twin_that_is_edited_or_deleted_by_hand_comes_back_as_it_was(
    province: Province, town: Town
) -> None:
    name = f"{town.name}-rome"
    turin, key = province.turin, Key("", name)
    before = await province.twin(turin, name)
    assert before is not None
    assert before["labels"]["pod-security.kubernetes.io/enforce"] == "baseline"
    marks = {"pod-security.kubernetes.io/enforce": "privileged", "liqo.io/remote-cluster-id": None}
    notes = {"liqo.io/original-name": "other"}
    change: JSON = {"metadata": {"labels": marks, "annotations": notes}}
    await turin.patch(Namespace.KIND, key, change, how="merge")
    await eventually(lambda: province.twin(turin, name), is_=before)
    lost: JSON = {"metadata": {"annotations": {"liqo.io/managed-by-namespace-map": None}}}
    await turin.patch(Namespace.KIND, key, lost, how="merge")
    await eventually(lambda: province.twin(turin, name), is_=before)
    binding = Key(name, "liqo-tenant-rome")
    await turin.delete(RoleBinding.KIND, binding)

    async def is_bound() -> bool:
        try:
            return bool(await turin.get(RoleBinding, binding))
        except NotFound:
            return False

    await eventually(is_bound)
    await turin.delete(Namespace.KIND, key)
    await eventually(lambda: province.is_there(turin, name), is_=False)
    await eventually(lambda: province.twin(turin, name), is_=before, within=ENDING)
    await eventually(town.phase, is_="Ready")


async def test_labels_of_a_virtual_node_are_not_for_its_users_to_change(
    province: Province, town: Town
) -> None:
    rome, key = province.rome, Key("", "milan")
    lie: JSON = {"metadata": {"labels": {labels.REGION: "south"}}}
    await rome.patch(Node.KIND, key, lie, how="merge")

    async def region() -> str:
        return (await rome.get(Node, key)).metadata.labels[labels.REGION]

    await eventually(region, is_="north")
    assert (await town.reasons())["milan"] == ["ClusterNotSelected"]
    assert not await province.is_there(province.milan, f"{town.name}-rome")


async def test_who_deletes_a_virtual_node_deletes_no_twin(province: Province) -> None:
    """Selected by labels of which the kubelet says one, its VirtualNode does not."""
    usual = {"kubernetes.io/os": "linux", "type": "virtual-kubelet"}
    every = [{"key": key, "operator": "In", "values": [value]} for key, value in usual.items()]
    rome, node = province.rome, Key("", "milan")

    async def identity() -> str:
        return (await rome.get(metadata(Node), node)).metadata.uid

    async with province.namespace() as town:
        await town.offload(clusterSelector={"nodeSelectorTerms": [{"matchExpressions": every}]})
        twin = Key("", f"{town.name}-rome")
        before = await province.milan.get(metadata(Namespace), twin)
        deleted = await identity()
        await rome.delete(Node.KIND, node)
        await eventually(identity, lambda seen: seen != deleted)
        ready = partial(condition, province.sites["rome"], "node/milan", "Ready")
        await eventually(ready, is_="True")
        await eventually(town.phase, is_="Ready")
        after = await province.milan.get(metadata(Namespace), twin)
        assert after.metadata.uid == before.metadata.uid
        assert after.metadata.deletion_timestamp is None
