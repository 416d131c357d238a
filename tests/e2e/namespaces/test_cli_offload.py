"""liqoctl offload and unoffload namespace, as people type them: Rome, and two lenders."""

from __future__ import annotations

from contextlib import AsyncExitStack
from functools import partial
from uuid import uuid4

import pytest

from liqo.api.kubernetes import Deployment
from liqo.api.meta import JSON, Key
from tests.e2e.eventually import eventually
from tests.e2e.installation import of
from tests.e2e.liqoctl import Ended, liqoctl
from tests.e2e.loans import done
from tests.e2e.provinces import Province, Town
from tests.e2e.workloads import SERVE, controlled

SOUTH = "topology.liqo.io/region=south"
IS_MILAN = "liqo.io/remote-cluster-id in (milan)"
CROWD, CROWD_OF_A_SOAK = 10, 1000
PATIENTLY = "--timeout=2m"  # the usual 20 seconds are few on a crowded machine
NAMESPACES = 'jsonpath={.metadata.namespace}{"\\n"}'


async def offload(province: Province, *words: str) -> Ended:
    return await liqoctl("offload", "namespace", PATIENTLY, *words, of(province.sites["rome"]))


async def unoffload(province: Province, *words: str) -> Ended:
    here = of(province.sites["rome"])
    return await liqoctl("unoffload", "namespace", *words, "--skip-confirm", here)


@pytest.mark.row("E03")
@pytest.mark.part_of_row("E07", "L12")
async def test_several_namespaces_go_out_by_name_and_by_label_and_come_back(
    province: Province,
) -> None:
    team = f"team-{uuid4().hex[:6]}"
    marks = {"team": team}
    async with province.namespace() as one, province.namespace(marks=marks) as other:
        chosen = (one.name, "--ns-selector", f"team={team}")
        for _ in range(2):  # the second time nothing changes
            ended = done(await offload(province, *chosen, "--selector", SOUTH))
            assert ended.told == [
                *(
                    f'INFO: Offloading of namespace "{town.name}" correctly enabled'
                    for town in (one, other)
                ),
                *(
                    f'INFO: Offloading of namespace "{town.name}" completed successfully'
                    for town in (one, other)
                ),
            ]
        for town in (one, other):
            twin = f"{town.name}-rome"
            assert await province.is_there(province.turin, twin)
            assert not await province.is_there(province.milan, twin)
        found = await one.offloading()
        assert found is not None
        assert found.metadata.generation == 1
        done(await unoffload(province, *chosen))
        for town in (one, other):
            assert await town.offloading() is None
            assert not await province.is_there(province.turin, f"{town.name}-rome")
        again = done(await unoffload(province, *chosen))
        assert again.told[0] == f'INFO: the namespace "{one.name}" is not offloaded'


@pytest.mark.row("L12")
async def test_a_selector_is_said_again_for_or_and_goes_on_after_a_comma_for_and(
    province: Province,
) -> None:
    team = f"team-{uuid4().hex[:6]}"
    async with province.namespace() as one, province.namespace(marks={"team": team}) as other:
        chosen = (one.name, "--ns-selector", f"team={team}")
        for words, clusters in (
            ((), {"milan", "turin"}),
            (("-l", f"{SOUTH},{IS_MILAN}"), set()),
            (("-l", f"{SOUTH},!planet"), {"turin"}),
            (("--selector", SOUTH, "-l", IS_MILAN), {"milan", "turin"}),
        ):
            done(await offload(province, *chosen, *words))
            for town in (one, other):
                assert await selected(town) == clusters
        nowhere = done(await offload(province, one.name, "-l", "planet=mars"))
        assert nowhere.told[1] == "WARN: Offloading completed, but no cluster was selected"
        assert '"milan", "turin"' in nowhere.told[2]
        for form in ("json", "yaml"):
            text = done(await offload(province, *chosen, "-o", form)).stdout
            reading = ("create", "--dry-run=client", "-f", "-", "-o", NAMESPACES)
            read = await province.sites["rome"].kubectl(*reading, text=text)
            assert read.split() == [one.name, other.name]
        done(await unoffload(province, *chosen))


@pytest.mark.timeout(3600)  # a thousand, in a soak
async def test_many_go_out_with_one_call_and_come_back(
    province: Province, request: pytest.FixtureRequest
) -> None:
    crowd = f"crowd-{uuid4().hex[:6]}"
    count = CROWD_OF_A_SOAK if request.config.getoption("--soak", default=False) else CROWD
    async with AsyncExitStack() as towns:
        many = [province.namespace(marks={"crowd": crowd}) for _ in range(count)]
        own = {(await towns.enter_async_context(each)).name for each in many}
        chosen = ("--ns-selector", f"crowd={crowd}", "--timeout", "10m")
        done(await offload(province, *chosen))
        for provider in ("milan", "turin"):
            known = (await province.map_of(provider)).status.current_mapping
            accepted = {name for name, each in known.items() if each.phase == "Accepted"}
            assert own <= accepted
        done(await unoffload(province, *chosen))
        for provider in ("milan", "turin"):
            assert not own & (await province.map_of(provider)).status.current_mapping.keys()


async def selected(town: Town) -> set[str]:
    found = await town.reasons()
    return {cluster for cluster, reasons in found.items() if "ClusterSelected" in reasons}


@pytest.mark.row("E06", "L11")
async def test_a_twin_is_called_as_the_strategy_says_and_a_name_that_is_taken_is_told(
    province: Province,
) -> None:
    async with province.namespace() as town:
        for words, twin in (
            ((), f"{town.name}-rome"),
            (("EnforceSameName",), town.name),
            (("SelectedName", "--remote-namespace-name", f"{town.name}-r"), f"{town.name}-r"),
        ):
            strategy = ("--namespace-mapping-strategy", *words) if words else ()
            done(await offload(province, town.name, *strategy))
            assert await province.is_there(province.milan, twin)
            other = "EnforceSameName" if "EnforceSameName" not in words else "DefaultName"
            changed = await offload(province, town.name, "--namespace-mapping-strategy", other)
            assert changed.code == 1
            assert f"liqoctl unoffload namespace {town.name}" in changed.told[-1]
            done(await unoffload(province, town.name))
            assert not await province.is_there(province.milan, twin)
        async with province.taken("milan", town.name):
            same = ("--namespace-mapping-strategy", "EnforceSameName")
            failed = await offload(province, town.name, *same)
            assert failed.code == 1
            assert f'state: namespace "{town.name}": cluster "milan": ' in failed.told[-1]
            assert f'namespace "{town.name}" already exists' in failed.told[-1]
            done(await unoffload(province, town.name))
            assert await province.is_there(province.milan, town.name)


@pytest.mark.parametrize(
    ("namespace", "why"),
    [
        ("nowhere", 'there is no namespace "nowhere" in the cluster'),
        ("kube-system", 'the namespace "kube-system" belongs to Kubernetes'),
        ("liqo", "Liqo itself runs"),
    ],
)
async def test_what_cannot_go_out_is_refused(province: Province, namespace: str, why: str) -> None:
    refused = await offload(province, namespace)
    assert refused.code == 1
    [told] = refused.told
    assert why in told


@pytest.mark.part_of_row("E16")
async def test_pods_come_home_and_what_is_lost_is_told(province: Province) -> None:
    async with province.namespace() as town:
        words = ("--pod-offloading-strategy", "Remote", "--selector", SOUTH)
        done(await offload(province, town.name, *words))
        web: JSON = {"containers": [SERVE], "terminationGracePeriodSeconds": 0}
        owner = controlled(Deployment.KIND.name, "web", web)
        await town.rome.create(owner, kind=Deployment.KIND, namespace=town.name)
        await town.create("lonely", {"containers": [SERVE]})
        await eventually(partial(running, town), is_={"turin": 2})
        ended = done(await unoffload(province, town.name))
        assert f'1 pod of the namespace "{town.name}" will be ended' in ended.told[0]
        assert "will be lost, for nobody makes them again: " in ended.told[1]
        assert '"lonely" (on "turin")' in ended.told[1]
        assert ended.told[-1] == "INFO: Unoffloading completed successfully"
        assert not await province.is_there(province.turin, f"{town.name}-rome")
        await eventually(partial(running, town), is_={"rome": 1})
        await town.rome.delete(Deployment.KIND, Key(town.name, "web"))


async def running(town: Town) -> dict[str, int]:
    """How many pods run on which node."""
    nodes = [
        pod.spec.get("nodeName", "")
        for pod in await town.pods()
        if pod.status.get("phase") == "Running" and pod.metadata.deletion_timestamp is None
    ]
    return {node: nodes.count(node) for node in nodes}
