"""Namespaces of Rome extend to the clusters that they select, and to no others."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial

import pytest

from liqo.api import labels
from liqo.api.kubernetes import Namespace, RoleBinding
from liqo.api.meta import JSON, Key
from liqo.api.offloading import NamespaceOffloading, RemoteNamespace, VirtualNode
from liqo.kube.cluster import Cluster
from liqo.kube.errors import Forbidden, Invalid, Refused
from liqo.kube.reading import metadata
from liqo.playground.cluster import Site
from liqo.rules import names
from tests.e2e.eventually import ENDING, eventually
from tests.e2e.loans import refusal
from tests.e2e.offloaded import an_offloading
from tests.e2e.provinces import FLOOR, SOUTH, Province

CHOSEN = "The remote cluster has been selected through the ClusterSelector field"
NOT_CHOSEN = "You have not selected this cluster through ClusterSelector fields"
IS_MILAN: JSON = {"key": "metadata.name", "operator": "In", "values": ["milan"]}
THEIRS = ("-n", "liqo", "-l", "app.kubernetes.io/name=controller-manager", "-o", "name")
OFFLOADED = "Namespace correctly offloaded on this cluster"


def selector(key: str, operator: str, *values: str) -> JSON:
    expression = {"key": key, "operator": operator, **({"values": [*values]} if values else {})}
    return {"nodeSelectorTerms": [{"matchExpressions": [expression]}]}


@pytest.mark.row("E01", "E08", "E09", "E10", "E11", "K07", "K09")
@pytest.mark.part_of_row("E03", "E06")
async def test_a_namespace_has_a_twin_in_the_selected_clusters_only(province: Province) -> None:
    rome, milan, turin = (province.sites[name] for name in ("rome", "milan", "turin"))
    async with province.namespace() as town:
        await town.offload(namespaceMappingStrategy="EnforceSameName", clusterSelector=SOUTH)
        shown = await rome.kubectl(
            "get", "namespaceoffloadings", "offloading", "-n", town.name, "-o", "json"
        )
        status = json.loads(shown)["status"]
        assert status["offloadingPhase"] == "Ready"
        assert status["remoteNamespaceName"] == town.name
        said = {
            cluster: [
                (each["type"], each["status"], each["reason"], each["message"]) for each in every
            ]
            for cluster, every in status["remoteNamespacesConditions"].items()
        }
        assert said == {
            "milan": [("OffloadingRequired", "False", "ClusterNotSelected", NOT_CHOSEN)],
            "turin": [
                ("OffloadingRequired", "True", "ClusterSelected", CHOSEN),
                ("Ready", "True", "RemoteNamespaceCreated", OFFLOADED),
            ],
        }
        since = [
            each["lastTransitionTime"]
            for every in status["remoteNamespacesConditions"].values()
            for each in every
        ]
        assert all(since)
        heading, row = (await turin.kubectl("get", "namespaces", town.name)).splitlines()
        assert heading.split() == ["NAME", "STATUS", "AGE"]
        assert row.split()[:2] == [town.name, "Active"]
        missing = await refusal(milan, "get", "namespaces", town.name)
        assert f'Error from server (NotFound): namespaces "{town.name}" not found' in missing


@pytest.mark.part_of_row("E03")
async def test_every_operator_selects_and_selection_follows_the_labels(province: Province) -> None:
    virtual = Key("liqo-tenant-milan", "milan")
    async with province.namespace() as town:
        await town.offload(clusterSelector=SOUTH)
        both = ["milan", "turin"]
        for wanted, clusters in (
            (selector("liqo.io/remote-cluster-id", "NotIn", "turin"), ["milan"]),
            (selector(labels.REGION, "Exists"), both),
            (selector(labels.REGION, "DoesNotExist"), []),
            (selector(FLOOR, "Gt", "1"), ["turin"]),
            (selector(FLOOR, "Lt", "2"), ["milan"]),
            ({"nodeSelectorTerms": [{"matchFields": [IS_MILAN]}]}, ["milan"]),
            ({"nodeSelectorTerms": []}, both),
            (SOUTH, ["turin"]),
        ):
            await town.change(clusterSelector=wanted)

            async def selected() -> list[str]:
                found = await town.reasons()
                return sorted(name for name, every in found.items() if "ClusterSelected" in every)

            await eventually(selected, is_=clusters)
        twin = f"{town.name}-rome"
        await eventually(lambda: province.is_there(province.milan, twin), is_=False)
        move: JSON = {"spec": {"labels": {labels.REGION: "south"}}}
        back: JSON = {"spec": {"labels": {labels.REGION: "north"}}}
        try:
            await province.rome.patch(VirtualNode.KIND, virtual, move, how="merge")
            await eventually(lambda: province.is_there(province.milan, twin), within=ENDING)
            await eventually(town.phase, is_="Ready")
        finally:
            await province.rome.patch(VirtualNode.KIND, virtual, back, how="merge")
        await eventually(lambda: province.is_there(province.milan, twin), is_=False)
        assert await province.is_there(province.turin, twin)


@pytest.mark.part_of_row("E06", "L11")
async def test_the_name_there_is_as_the_strategy_says_for_ever(province: Province) -> None:
    async with province.namespace() as town:
        chosen = f"market-{town.name}"
        await town.offload(
            namespaceMappingStrategy="SelectedName",
            remoteNamespaceName=chosen,
            clusterSelector=SOUTH,
        )
        twin = await province.twin(province.turin, chosen)
        assert twin is not None
        assert twin["annotations"]["liqo.io/original-name"] == town.name
        assert twin["labels"]["liqo.io/remote-cluster-id"] == "rome"
        for change, words in (
            ({"namespaceMappingStrategy": "DefaultName"}, "The NamespaceMappingStrategy value"),
            ({"remoteNamespaceName": "other"}, "The RemoteNamespaceName value"),
        ):
            with pytest.raises(Forbidden, match=f"{words} cannot be modified after creation"):
                await town.change(**change)
        await town.unoffload()
        await eventually(lambda: province.is_there(province.turin, chosen), is_=False)
        assert labels.SCHEDULING_ENABLED not in await town.marks()


@pytest.mark.parametrize("cluster", ["rome", "turin"])
async def test_rights_that_lose_the_label_by_which_we_know_them_get_it_back(
    province: Province, cluster: str
) -> None:
    """At home those of the virtual kubelet, on the provider those of its consumer."""
    async with province.namespace() as town:
        await town.offload(clusterSelector=SOUTH)
        at, label = {
            "rome": (Key(town.name, names.kubelet_binding("turin")), labels.MAPPED),
            "turin": (Key(f"{town.name}-rome", "liqo-tenant-rome"), labels.REMOTE_CLUSTER_ID),
        }[cluster]
        there: Cluster = getattr(province, cluster)

        async def is_labelled() -> bool:
            return label in (await there.get(metadata(RoleBinding), at)).metadata.labels

        await eventually(is_labelled)
        bare = {"metadata": {"labels": {label: None}}}
        await there.patch(RoleBinding.KIND, at, bare, how="merge")
        await eventually(is_labelled)


@pytest.mark.part_of_row("L13")
async def test_a_name_that_is_taken_there_is_told_and_left_alone(province: Province) -> None:
    async with province.namespace() as town, province.taken("milan", town.name):
        await town.offload(namespaceMappingStrategy="EnforceSameName", until="SomeFailed")
        found = await town.offloading()
        assert found is not None
        [_, failed] = found.status.remote_namespaces_conditions["milan"]
        assert failed.reason == "CreationLoopBackOff"
        assert f'namespace "{town.name}" already exists and it is not managed' in failed.message
        await town.unoffload()
        assert await province.is_there(province.milan, town.name)


@pytest.mark.row("L13")
async def test_every_phase_is_told_of_the_generation_that_it_is_of(province: Province) -> None:
    turin = province.sites["turin"]
    async with province.namespace() as town, province.taken("milan", town.name):
        async with without_controllers(turin):
            await town.offload(
                namespaceMappingStrategy="EnforceSameName",
                clusterSelector=SOUTH,
                until="InProgress",
            )
        await eventually(town.phase, is_="Ready")
        for chosen, phase in (
            ({"nodeSelectorTerms": []}, "SomeFailed"),
            (selector("liqo.io/remote-cluster-id", "In", "milan"), "AllFailed"),
            (selector("planet", "Exists"), "NoClusterSelected"),
            (SOUTH, "Ready"),
        ):
            await town.change(clusterSelector=chosen)
            await eventually(town.phase, is_=phase)
        async with without_controllers(turin):
            await province.rome.delete(NamespaceOffloading.KIND, town.key)
            await eventually(town.phase, is_="Terminating")
        await eventually(town.offloading, is_=None, within=ENDING)


@asynccontextmanager
async def without_controllers(site: Site) -> AsyncIterator[None]:
    """Nobody there answers, for a while."""
    controllers = ("deployment/liqo-controller-manager", "--namespace=liqo")
    await site.kubectl("scale", *controllers, "--replicas=0")
    try:
        await eventually(partial(site.kubectl, "get", "pods", *THEIRS), is_="")
        yield
    finally:
        await site.kubectl("scale", *controllers, "--replicas=1")
        await site.kubectl("rollout", "status", *controllers, "--timeout=120s")


@pytest.mark.part_of_row("L13")
async def test_a_selector_that_matches_nothing_says_so(province: Province) -> None:
    async with province.namespace() as town:
        await town.offload(clusterSelector=selector("planet", "Exists"), until="NoClusterSelected")
        [told] = await eventually(lambda: town.told("NoClusterSelected"), bool)
        assert told == "no cluster matches the ClusterSelector; there are milan, turin"


@pytest.mark.row("E17")
async def test_a_label_is_enough(province: Province) -> None:
    async with province.namespace(marks={labels.ENABLED: "true"}) as town:
        await eventually(town.phase, is_="Ready")
        made = await town.offloading()
        assert made is not None
        assert made.spec == type(made.spec)()
        for cluster in (province.milan, province.turin):
            assert await province.is_there(cluster, f"{town.name}-rome")
        gone = {"metadata": {"labels": {labels.ENABLED: None}}}
        await province.rome.patch(Namespace.KIND, Key("", town.name), gone, how="merge")
        await eventually(town.offloading, is_=None, within=ENDING)
        await eventually(lambda: province.is_there(province.milan, f"{town.name}-rome"), is_=False)


@pytest.mark.parametrize(
    ("namespace", "name", "spec", "words"),
    [
        ("kube-system", "offloading", {}, "belongs to Kubernetes"),
        ("liqo", "offloading", {}, "Liqo itself runs"),
        ("liqo-tenant-milan", "offloading", {}, "is the namespace of a peering"),
        ("default", "second", {}, "NamespaceOffloading name must match offloading"),
        ("default", "offloading", {"podOffloadingStrategy": "Moon"}, 'Unsupported value: "Moon"'),
        (
            "default",
            "offloading",
            {"clusterSelector": selector("x", "Near", "y")},
            'Invalid ClusterSelector: nodeSelectorTerms.*there is no operator "Near"',
        ),
        (
            "default",
            "offloading",
            {"namespaceMappingStrategy": "SelectedName"},
            "RemoteNamespaceName value cannot be empty",
        ),
    ],
)
async def test_what_cannot_work_is_refused_in_words(
    province: Province, namespace: str, name: str, spec: JSON, words: str
) -> None:
    body = an_offloading(namespace, name, **spec)
    with pytest.raises((Refused, Invalid), match=words):
        await province.rome.create(body, kind=NamespaceOffloading.KIND, namespace=namespace)


@pytest.mark.row("E18")
async def test_a_namespace_goes_with_its_twins_and_nothing_is_held(province: Province) -> None:
    async with province.namespace() as town:
        await town.offload()
        twin, shared = f"{town.name}-rome", await province.map_of("milan")
        assert shared.spec.desired_mapping[town.name] == twin
        assert shared.status.current_mapping[town.name] == RemoteNamespace(twin, "Accepted")
        await province.rome.delete(Namespace.KIND, Key("", town.name))
        await eventually(lambda: province.is_there(province.milan, f"{town.name}-rome"), is_=False)
        site = province.sites["rome"]
        left = ("get", "namespaces", town.name, "--ignore-not-found", "-o", "name")
        await eventually(lambda: site.kubectl(*left), is_="", within=ENDING)
    for provider in ("milan", "turin"):
        known = await province.map_of(provider)
        assert town.name not in known.spec.desired_mapping
        assert town.name not in known.status.current_mapping
