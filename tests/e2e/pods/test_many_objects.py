"""Thousands of objects in one namespace: all of them go out, once, and none of them again."""

from __future__ import annotations

import asyncio
import time
from functools import partial

import pytest

from liqo.api.kubernetes import ConfigMap
from liqo.kube.cluster import Cluster
from liqo.kube.kubeconfig import find
from tests.e2e.artifacts import config_map
from tests.e2e.eventually import eventually
from tests.e2e.kubelets import only, rolled_out
from tests.e2e.offloaded import TENANT
from tests.e2e.pods.test_reflected_kinds import written
from tests.e2e.workloads import Shop

OBJECTS, SOAK_OBJECTS = 2000, 10_000
PER_SECOND = 20  # that a crowded machine manages; an idle one ten times as many
AT_ONCE = 16


@pytest.fixture
def objects(request: pytest.FixtureRequest) -> int:
    return SOAK_OBJECTS if request.config.getoption("--soak", default=False) else OBJECTS


@pytest.mark.timeout(3600)
async def test_many_objects_go_out_once_and_a_kubelet_that_starts_anew_writes_none_of_them(
    trade: Shop, objects: int
) -> None:
    """What they cost is measured elsewhere: bench/reflection.py."""
    within = 60 + objects / PER_SECOND
    began = time.time()
    await create(trade, objects)
    await eventually(partial(copies, trade), is_=objects, within=within)
    names = {name for _, what, name in written(trade, began) if what == "configmaps"}
    assert len(names - {"kube-root-ca.crt.rome"}) == objects
    old = await only(trade.rome)
    restarted = time.time()
    await trade.rome.kubectl("delete", "pod", old, "-n", TENANT)
    await rolled_out(trade.rome)
    await trade.put(config_map("late"))
    await eventually(partial(trade.theirs, "configmap/late"), bool, within=within)
    assert written(trade, restarted) == {("patch", "configmaps", "late")}
    await trade.rome.kubectl("delete", "configmaps", "--all", "--wait=false", *trade.here)
    await eventually(partial(copies, trade), is_=0, within=within)


async def create(trade: Shop, objects: int) -> None:
    left, kind = iter(range(objects)), ConfigMap.KIND
    async with Cluster(find(str(trade.rome.kubeconfig)), name="rome") as rome:

        async def work() -> None:
            for number in left:
                body = config_map(f"settings-{number:05}", number=str(number))
                await rome.create(body, kind=kind, namespace=trade.name)

        async with asyncio.TaskGroup() as workers:
            for _ in range(AT_ONCE):
                workers.create_task(work())


async def copies(trade: Shop) -> int:
    """Of what the test made."""
    ours = ("-l", "offloading.liqo.io/origin=rome", *trade.there, "-o", "name")
    found = (await trade.milan.kubectl("get", "configmaps", *ours)).split()
    return sum("/settings-" in each for each in found)
