"""Everything that makes pods works as at home while its pods run on the provider."""

from __future__ import annotations

from collections.abc import AsyncIterator
from functools import partial

import pytest

from liqo.api.meta import JSON
from liqo.playground.cluster import Site
from tests.e2e.eventually import eventually
from tests.e2e.offloaded import extended, read
from tests.e2e.workloads import SERVE, Shop, controlled, last_words, shell, spec

PATIENCE = "--timeout=120s"  # of kubectl, whose own is short on a crowded machine
WORK = spec(shell("echo done > /dev/termination-log"), restartPolicy="Never")
TWICE = controlled("Job", "count", WORK, completions=2, parallelism=2)


@pytest.fixture(scope="module", autouse=True)
async def punctual(peered: dict[str, Site]) -> AsyncIterator[Shop]:
    """With a CronJob whose first minute passes while the other tests are at work."""
    often = {
        "apiVersion": "batch/v1",
        "kind": "CronJob",
        "metadata": {"name": "often"},
        "spec": {
            "schedule": "* * * * *",
            "concurrencyPolicy": "Forbid",
            "jobTemplate": {"spec": TWICE["spec"]},
        },
    }
    async with extended(peered["rome"]) as name:
        shop = Shop(peered["rome"], peered["milan"], name)
        await shop.put(often)
        yield shop


async def test_a_deployment_rolls_to_a_new_version(trade: Shop) -> None:
    careful = {"rollingUpdate": {"maxUnavailable": 0, "maxSurge": 1}}
    web = controlled("Deployment", "web", spec(SERVE), replicas=2, strategy=careful)
    await trade.put(web)
    await rolled_out(trade, "deployment/web")
    before, there = await trade.names()
    assert before == there
    await trade.rome.kubectl("set", "env", "deployment/web", "VERSION=2", *trade.here)
    await rolled_out(trade, "deployment/web")
    after, _ = await eventually(trade.names, lambda seen: len(seen[0]) == 2 and seen[0] == seen[1])
    assert not before & after
    assert (await trade.ours("deployment/web"))["status"]["availableReplicas"] == 2
    for name in after:
        [container] = (await trade.theirs(name))["spec"]["containers"]
        assert {"name": "VERSION", "value": "2"} in container["env"]


async def rolled_out(trade: Shop, what: str) -> None:
    await trade.rome.kubectl("rollout", "status", what, *trade.here, PATIENCE)


async def test_a_daemon_set_has_a_pod_on_every_node_that_it_tolerates(trade: Shop) -> None:
    abroad = {**spec(SERVE), "nodeSelector": {}}
    everywhere = controlled("DaemonSet", "everywhere", abroad)
    at_home = controlled("DaemonSet", "at-home", {**abroad, "tolerations": []})
    await trade.put(everywhere, at_home)
    for name in ("everywhere", "at-home"):
        await rolled_out(trade, f"daemonset/{name}")
    everyone = await read(trade.rome, "pods", *trade.here)
    nodes = [
        (each["metadata"]["labels"]["app"], each["spec"]["nodeName"]) for each in everyone["items"]
    ]
    assert sorted(nodes) == [("at-home", "rome"), ("everywhere", "milan"), ("everywhere", "rome")]
    _, there = await trade.names()
    assert len(there) == 1


async def test_a_stateful_set_replaces_its_pods_under_their_names(trade: Shop) -> None:
    wanted = spec(SERVE, terminationGracePeriodSeconds=1)
    await trade.put(controlled("StatefulSet", "till", wanted, replicas=2, serviceName="till"))
    await rolled_out(trade, "statefulset/till")
    before = await origins(trade)
    await trade.rome.kubectl("rollout", "restart", "statefulset/till", *trade.here)
    await rolled_out(trade, "statefulset/till")
    after = await origins(trade)
    assert before.keys() == after.keys() == {"till-0", "till-1"}
    assert not set(before.values()) & set(after.values())


async def origins(trade: Shop) -> dict[str, str]:
    """The uid of each pod, which its twin in Milan knows."""
    ours, theirs = await trade.both("pods")
    known = {each["metadata"]["name"]: each["metadata"]["uid"] for each in ours["items"]}
    mark = "offloading.liqo.io/local-pod-uid"
    told = {
        each["metadata"]["name"]: each["metadata"]["annotations"][mark] for each in theirs["items"]
    }
    assert told == known
    return known


async def test_a_job_is_done(trade: Shop) -> None:
    await trade.put(TWICE)
    complete = ("--for=condition=Complete", "job/count", *trade.here, PATIENCE)
    await trade.rome.kubectl("wait", *complete)
    assert (await trade.ours("job/count"))["status"]["succeeded"] == 2
    pods = (await read(trade.rome, "pods", *trade.here))["items"]
    assert [last_words(each["status"]) for each in pods] == ["done\n"] * 2
    await trade.rome.kubectl("delete", "job", "--all", *trade.here)
    await eventually(trade.names, is_=(set(), set()))


async def test_a_job_that_fails_shows_how_its_pod_ended(trade: Shop) -> None:
    work = spec(shell("exit 3"), restartPolicy="Never")
    await trade.put(controlled("Job", "vain", work, backoffLimit=0))
    await trade.rome.kubectl("wait", "--for=condition=Failed", "job/vain", *trade.here, PATIENCE)
    [name] = (await trade.names())[0]
    ours, theirs = await trade.both(name)
    assert ours["status"]["phase"] == theirs["status"]["phase"] == "Failed"
    assert ours["status"]["containerStatuses"] == theirs["status"]["containerStatuses"]


@pytest.mark.parametrize("grace", [0, 1])
async def test_a_job_that_waits_for_the_end_of_its_pods_sees_it(trade: Shop, grace: int) -> None:
    """It holds on to each, and makes no other one, until that one has a final phase."""
    work = spec(shell(), restartPolicy="Never", terminationGracePeriodSeconds=grace)
    patient = {"podReplacementPolicy": "Failed"}
    await trade.put(controlled("Job", "endless", work, **patient))
    before = await runs(trade, "endless")
    await trade.rome.kubectl("delete", "pod", before, *trade.here, "--wait=false")
    after = await eventually(lambda: runs(trade, "endless"), lambda name: name not in ("", before))
    await eventually(trade.names, is_=({f"pod/{after}"}, {f"pod/{after}"}))
    job = partial(trade.ours, "job/endless")
    await eventually(job, lambda seen: seen["status"].get("failed", 0) > 0)
    assert (await job())["status"]["failed"] == 1


async def runs(trade: Shop, job: str) -> str:
    """The pod of a Job, once it is ready."""
    ready = ("--for=jsonpath={.status.ready}=1", f"job/{job}", *trade.here, PATIENCE)
    await trade.rome.kubectl("wait", *ready)
    pods = (await trade.ours("pods"))["items"]
    return next(
        (each["metadata"]["name"] for each in pods if "deletionTimestamp" not in each["metadata"]),
        "",
    )


async def test_the_jobs_that_a_cron_job_makes_are_done(punctual: Shop) -> None:
    """By its own clock: the last of all tests here, so that little of the minute is left."""
    job = await eventually(partial(done_job, punctual), bool)
    [owner] = job["metadata"]["ownerReferences"]
    assert (owner["kind"], owner["name"]) == ("CronJob", "often")
    assert job["status"]["succeeded"] == 2
    name = job["metadata"]["name"]
    pods = (await read(punctual.rome, "pods", "-l", f"job-name={name}", *punctual.here))["items"]
    assert [last_words(each["status"]) for each in pods] == ["done\n"] * 2
    assert {each["spec"]["nodeName"] for each in pods} == {"milan"}


async def done_job(shop: Shop) -> JSON:
    """The latest that is complete: earlier ones may be cleared away; empty while there is none."""
    jobs: list[JSON] = (await shop.ours("jobs"))["items"]
    done = [each for each in jobs if "completionTime" in each["status"]]
    return max(done, key=lambda each: str(each["status"]["startTime"]), default={})
