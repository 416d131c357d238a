"""What cannot run is told at home in the words that a pod at home would get, and leaves nothing.

The words are the provider's own. Whose they are is told beside them, by the name of the cluster: in
a message of ours at its beginning, in an Event that was said there by its reporter.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from uuid import uuid4

import pytest

from liqo.api.meta import JSON
from liqo.errors import LiqoError
from liqo.playground.cluster import Site
from tests.e2e.eventually import eventually
from tests.e2e.loans import at_once
from tests.e2e.workloads import (
    ABROAD,
    DEVICE,
    SILENT,
    Shop,
    at_home,
    pod,
    pool,
    shell,
    spec,
    why_not_scheduled,
)

ACCEPTED = "offloading.liqo.io/Accepted"
LEVEL = "pod-security.kubernetes.io/enforce"
VIOLATES = "violates PodSecurity"
MISSING = "CreateContainerConfigError"
MEGABYTE = 1 << 20
LONGEST = "-".join(["long"] * 50) + "-ago"  # 253 characters are allowed
AS_LONG = "-".join(["long"] * 50) + "-own"
NO_SANDBOX = "FailedCreatePodSandBox"


@pytest.mark.parametrize("field", ["hostNetwork", "hostPID", "hostIPC"])
async def test_namespaces_of_the_host_stay_home_and_the_owner_is_told(
    trade: Shop, field: str
) -> None:
    await trade.put(pod("nosy", spec(shell(ports=[{"containerPort": 80}]), **{field: True})))
    await trade.is_ready("nosy")
    there = (await trade.theirs("pod/nosy"))["spec"]
    assert field not in there
    assert "hostPort" not in there["containers"][0]["ports"][0]
    said = (await trade.told("nosy"))["FieldsNotReflected"]
    assert said == f'Cluster "milan" does not see: {field}'
    await trade.remove("nosy")


async def told_in_milan(trade: Shop, name: str, words: str) -> str:
    """The line of `kubectl describe` that says so, and that it was said there."""

    async def line() -> str:
        described = await trade.rome.kubectl("describe", "pod", name, *trade.here)
        said = (each for each in described.splitlines() if "(remote) in milan" in each)
        return next((each for each in said if words in each), "")

    return await eventually(line, bool)


async def test_an_unknown_image_is_waited_for_in_the_same_words(trade: Shop) -> None:
    unknown = {**shell(), "image": "localhost/nothing:1"}
    wanted = pod("faceless", spec(unknown))
    await trade.put(wanted, at_home(wanted))
    # At once: it is waited for in other words in between, and for longer every time.
    abroad, here = await at_once(
        *(trade.waits(name, "ErrImagePull") for name in ("faceless", "faceless-at-home"))
    )
    assert abroad == here
    assert (await trade.ours("pod/faceless"))["spec"]["nodeName"] == "milan"
    await told_in_milan(trade, "faceless", 'Failed to pull image "localhost/nothing:1"')
    await trade.remove("faceless")


async def test_a_missing_config_map_is_named_and_the_pod_runs_when_it_comes(trade: Shop) -> None:
    needy = shell(envFrom=[{"configMapRef": {"name": "prices"}}])
    wanted = pod("needy", spec(needy))
    await trade.put(wanted, at_home(wanted))
    words = [await trade.waits(name, MISSING) for name in ("needy", "needy-at-home")]
    assert words == ['configmap "prices" not found'] * 2
    await told_in_milan(trade, "needy", words[0])
    await trade.rome.kubectl("create", "configmap", "prices", "--from-literal=bread=2", *trade.here)
    await trade.is_ready("needy")
    await trade.remove("needy")


async def test_what_no_node_of_the_provider_can_hold_is_told_by_its_scheduler(trade: Shop) -> None:
    """More than the loan is refused here, as ever; what is within the loan, there."""
    for name, amount in (("greedy", "1"), ("impossible", "2")):
        await trade.put(pod(name, spec(shell(resources={"limits": {DEVICE: amount}}))))
    async with pool(trade.rome) as node:
        there = await eventually(
            partial(why_not_scheduled, trade.rome, "pod/greedy", *trade.here), is_milans
        )
        assert there == await why_not_scheduled(trade.milan, "pod/greedy", *trade.there)
        ours, theirs = await trade.both("pod/greedy")
        assert ours["spec"]["nodeName"] == node
        said = f"0/1 nodes are available: 1 Insufficient {DEVICE}"
        assert "default-scheduler" in await told_in_milan(trade, "greedy", said)
        assert ours["status"]["phase"] == theirs["status"]["phase"] == "Pending"
        here = await why_not_scheduled(trade.rome, "pod/impossible", *trade.here)
        assert f"Insufficient {DEVICE}" in here
        await trade.remove("greedy", "impossible")


def is_milans(words: str) -> bool:
    """Who has but one node."""
    return words.startswith(f"0/1 nodes are available: 1 Insufficient {DEVICE}.")


async def said(trade: Shop, name: str, kind: str) -> JSON:
    """A condition of a pod at home; empty while there is none."""
    conditions = (await trade.ours(f"pod/{name}"))["status"].get("conditions", ())
    return next((each for each in conditions if each["type"] == kind), {})


async def test_what_pod_security_refuses_there_is_told_and_tried_again(trade: Shop) -> None:
    etc = {"name": "etc", "hostPath": {"path": "/etc"}}
    wanted = pod("nosy", spec(shell(), volumes=[etc]))
    async with secured(trade.rome, trade.name):
        local = await eventually(
            partial(refusal, trade, at_home(wanted)), lambda words: VIOLATES in words
        )
    await trade.put(wanted)
    violates = local[local.index(VIOLATES) :].strip()
    await refused(trade, "nosy", "FailedCreatePod", violates)
    assert (await trade.theirs("shadowpods/nosy"))["metadata"]["name"] == "nosy"
    async with trusting(trade.milan, "rome"):
        await trade.is_ready("nosy")
        assert await said(trade, "nosy", ACCEPTED) == {}
        await trade.remove("nosy")


async def refusal(trade: Shop, wanted: JSON) -> str:
    """Why it may not be made at home, if so: a level counts a moment after it was set."""
    words = ("create", "--dry-run=server", *trade.here, "-f", "-")
    try:
        await trade.rome.kubectl(*words, text=json.dumps(wanted))
    except LiqoError as error:
        return str(error)
    return ""


@asynccontextmanager
async def secured(site: Site, namespace: str) -> AsyncIterator[None]:
    await site.kubectl("label", "namespace", namespace, f"{LEVEL}=baseline")
    yield
    await site.kubectl("label", "namespace", namespace, f"{LEVEL}-")


@asynccontextmanager
async def trusting(site: Site, consumer: str) -> AsyncIterator[None]:
    """As the administrator of a provider says it: this one may do everything."""
    controllers = ("deployment/liqo-controller-manager", "--namespace=liqo")
    flag = f"--peer-namespace-labels={consumer}:{LEVEL}=privileged"
    more = [{"op": "add", "path": "/spec/template/spec/containers/0/args/-", "value": flag}]
    await site.kubectl("patch", *controllers, "--type=json", "-p", json.dumps(more))
    try:
        await site.kubectl("rollout", "status", *controllers, "--timeout=120s")
        yield
    finally:
        await site.kubectl("rollout", "undo", *controllers)
        await site.kubectl("rollout", "status", *controllers, "--timeout=120s")


async def refused(trade: Shop, name: str, reason: str, why: str) -> None:
    """Both the Event and the condition of a refused pod say so.

    A namespace that is new over there may refuse it first for want of its default account.
    """
    seen = await eventually(
        lambda: said(trade, name, ACCEPTED), lambda seen: why in seen.get("message", "")
    )
    assert (seen["status"], seen["reason"]) == ("False", reason)
    words: str = seen["message"]
    assert words.startswith('cluster "milan": ')
    event = words if reason == "FailedCreatePod" else f"Error reflecting object to {words}"
    await eventually(lambda: trade.told(name), lambda told: told.get(reason) == event)
    assert (await trade.ours(f"pod/{name}"))["status"]["phase"] == "Pending"
    assert words in await trade.rome.kubectl("describe", "pod", name, *trade.here)


async def test_what_a_limit_range_refuses_there_is_told_and_leaves_nothing(trade: Shop) -> None:
    limits = {"limits": [{"type": "Container", "max": {"cpu": "100m"}}]}
    small = {
        "apiVersion": "v1",
        "kind": "LimitRange",
        "metadata": {"name": "small"},
        "spec": limits,
    }
    wanted = pod("big", spec(shell(resources={"limits": {"cpu": "200m"}})))
    await trade.milan.kubectl("create", *trade.there, "-f", "-", text=json.dumps(small))
    await trade.put(wanted)
    why = "maximum cpu usage per Container is 100m, but limit is 200m"
    await refused(trade, "big", "FailedCreatePod", why)
    await trade.remove("big")


async def test_a_pod_that_somebody_else_has_there_stays_theirs(trade: Shop) -> None:
    """Whose name is taken is told, and goes out when they make way."""
    theirs = pod("taken", {**SILENT, "containers": [shell()], "terminationGracePeriodSeconds": 0})
    await trade.milan.kubectl("create", *trade.there, "-f", "-", text=json.dumps(theirs))
    before = (await trade.theirs("pod/taken"))["metadata"]["uid"]
    await trade.put(pod("taken", spec(shell())))
    told = await eventually(partial(trade.told, "taken"), lambda said: "FailedReflection" in said)
    taken = 'Error reflecting object to cluster "milan": remote object already exists'
    assert told["FailedReflection"] == taken
    assert (await trade.theirs("pod/taken"))["metadata"]["uid"] == before
    await trade.milan.kubectl("delete", "pod", "taken", *trade.there)
    await trade.is_ready("taken")
    await trade.remove("taken")


async def test_a_pod_with_a_long_name_is_a_pod_like_any_other(trade: Shop) -> None:
    """Also its token arrives, under a shorter name, and what is told about it."""
    name = LONGEST[: 255 - len(f"{trade.name}-rome__") - len(str(uuid4()))]  # a folder of kubelets
    script = "test -s /var/run/secrets/kubernetes.io/serviceaccount/token && exec sleep infinity"
    await trade.put(pod(name, {**ABROAD, "containers": [shell(script)], "hostPID": True}))
    await trade.is_ready(name)
    assert "hostPID" in (await trade.told(name))["FieldsNotReflected"]
    await trade.remove(name)


async def test_the_longest_of_names_is_too_long_for_kubelets_here_and_there(trade: Shop) -> None:
    """The folder for its logs cannot be made: it is Pending, and goes when it is told to."""
    assert len(LONGEST) == len(AS_LONG) == 253
    asked = {**ABROAD, "containers": [shell()]}
    local = {**at_home(pod(AS_LONG, asked)), "metadata": {"name": AS_LONG}}
    await trade.put(pod(LONGEST, {**asked, "hostPID": True}), local)
    for name in (LONGEST, AS_LONG):
        look = partial(trade.waiting, name)
        await eventually(look, is_={"reason": "ContainerCreating"})
    await told_in_milan(trade, LONGEST, "file name too long")
    abroad = await no_sandbox(trade, LONGEST, await trade.theirs(f"pod/{LONGEST}"))
    here = await no_sandbox(trade, AS_LONG, await trade.ours(f"pod/{AS_LONG}"))
    assert abroad == here
    assert "hostPID" in (await trade.told(LONGEST))["FieldsNotReflected"]
    await trade.remove(LONGEST, AS_LONG)


async def no_sandbox(trade: Shop, name: str, runs: JSON) -> str:
    """Why there is none, but for the folder that is called after the pod which is to run."""
    told = await eventually(partial(trade.told, name), lambda said: NO_SANDBOX in said)
    known = runs["metadata"]
    folder = "_".join((known["namespace"], known["name"], known["uid"]))
    assert folder in told[NO_SANDBOX]
    return told[NO_SANDBOX].replace(folder, "its folder")


async def test_the_longest_of_names_can_be_refused_as_well(trade: Shop) -> None:
    etc = {"name": "etc", "hostPath": {"path": "/etc"}}
    async with secured(trade.milan, f"{trade.name}-rome"):
        await trade.put(pod(LONGEST, spec(shell(), volumes=[etc])))
        await refused(trade, LONGEST, "FailedCreatePod", VIOLATES)
        await trade.remove(LONGEST)


async def test_a_huge_pod_runs_as_it_would_at_home(trade: Shop) -> None:
    """A megabyte, in pieces that a process can be started with."""
    pieces = [{"name": f"PIECE_{each}", "value": "x" * (MEGABYTE // 10)} for each in range(10)]
    await trade.put(pod("huge", spec(shell(env=pieces))))
    await trade.is_ready("huge")
    [there] = (await trade.theirs("pod/huge"))["spec"]["containers"]
    assert [each for each in there["env"] if each["name"].startswith("PIECE_")] == pieces
    await trade.remove("huge")


async def test_a_pod_that_grows_too_large_on_its_way_is_told_in_the_store_s_words(
    trade: Shop,
) -> None:
    """Rome could just store it; the ShadowPod, with what it adds, is too much for Milan."""
    size = int(1.5 * MEGABYTE) - 1700
    pieces = [{"name": f"PIECE_{each}", "value": "x" * (size // 15)} for each in range(15)]
    await trade.put(pod("huge", spec(shell(env=pieces))))
    await refused(trade, "huge", "FailedReflection", "request is too large")
    await trade.remove("huge")
