"""What happens to a pod in Milan is told in Rome, where its owner looks."""

from __future__ import annotations

from functools import partial

import pytest

from liqo.api.meta import JSON
from tests.e2e.eventually import eventually
from tests.e2e.kubelets import only, rolled_out
from tests.e2e.offloaded import TENANT, read
from tests.e2e.workloads import SERVE, Shop, pod, shell, spec

STORY = {"Scheduled", "Pulled", "Created", "Started"}
WRONG: JSON = {"exec": {"command": ["false"]}}


async def remote(trade: Shop, name: str) -> dict[str, JSON]:
    """The Events about a pod that come from Milan, by reason."""
    about = f"involvedObject.kind=Pod,involvedObject.name={name}"
    found = (await read(trade.rome, "events", *trade.here, "--field-selector", about))["items"]
    return {
        each["reason"]: each
        for each in found
        if each.get("source", {}).get("component", "").endswith(" (remote) in milan")
    }


async def reasons(trade: Shop, name: str) -> set[str]:
    return set(await remote(trade, name))


@pytest.mark.row("L18")
async def test_events_tokens_and_the_runtime_class_of_a_pod(trade: Shop) -> None:
    rome = trade.rome
    bad = {**shell(), "image": "localhost/nothing:1"}
    sick = {**shell(), "livenessProbe": {**WRONG, "periodSeconds": 1, "failureThreshold": 1}}
    talking = {**spec(SERVE), "automountServiceAccountToken": True}
    await trade.put(pod("web", talking), pod("faceless", spec(bad)), pod("sick", spec(sick)))
    await trade.is_ready("web")
    await eventually(partial(reasons, trade, "web"), lambda told: told >= STORY)
    await eventually(partial(reasons, trade, "faceless"), lambda told: "Failed" in told)
    await eventually(partial(reasons, trade, "sick"), lambda told: "Unhealthy" in told)
    uid = (await trade.ours("pod/faceless"))["metadata"]["uid"]
    failed = (await remote(trade, "faceless"))["Failed"]
    assert (failed["type"], failed["involvedObject"]["uid"]) == ("Warning", uid)
    described = await rome.kubectl("describe", "pod", "faceless", *trade.here)
    assert "kubelet (remote) in milan" in described
    assert "localhost/nothing:1" in described
    tokens = await trade.theirs("secret/web-token")
    assert len(tokens["data"]) == 1
    await trade.put(pod("asked", {"containers": [SERVE], "runtimeClassName": "liqo"}))
    await trade.is_ready("asked")
    ours, theirs = await trade.both("pod/asked")
    assert ours["spec"]["nodeName"] == "milan"
    assert "runtimeClassName" not in theirs["spec"]


async def test_a_kubelet_that_starts_anew_tells_nothing_twice(trade: Shop) -> None:
    await trade.put(pod("faceless", spec({**shell(), "image": "localhost/nothing:1"})))
    await eventually(partial(reasons, trade, "faceless"), lambda told: "Failed" in told)
    first = (await remote(trade, "faceless"))["Failed"]["metadata"]["name"]
    await trade.rome.kubectl("delete", "pod", await only(trade.rome), "-n", TENANT)
    await rolled_out(trade.rome)
    await trade.put(pod("later", spec({**shell(), "image": "localhost/nothing:1"})))
    await eventually(partial(reasons, trade, "later"), lambda told: "Failed" in told)
    seen = await eventually(partial(failures, trade), lambda both: both[0] == both[1])
    assert first in seen[0]


async def failures(trade: Shop) -> tuple[list[str], list[str]]:
    """The names of the Events that say so, here and there."""
    about = ("--field-selector", "involvedObject.name=faceless,reason=Failed")
    here = (await read(trade.rome, "events", *trade.here, *about))["items"]
    there = (await read(trade.milan, "events", *trade.there, *about))["items"]
    names = [sorted(each["metadata"]["name"] for each in found) for found in (here, there)]
    return names[0], names[1]
