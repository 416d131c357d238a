"""A virtual node that goes while a DaemonSet wants a pod on it: that is the last to leave."""

from __future__ import annotations

from functools import partial

from liqo.api.meta import JSON
from tests.e2e.eventually import ENDING, eventually
from tests.e2e.installation import of
from tests.e2e.liqoctl import liqoctl
from tests.e2e.loans import SLICES, done
from tests.e2e.offloaded import TENANT, condition, read
from tests.e2e.workloads import SERVE, Shop, a_budget, controlled, pod, spec

SHADOWS = "shadowpods.offloading.liqo.io"
NODE = "pool-of-daemons"


async def test_the_pod_of_a_daemon_set_is_the_last_to_leave_and_leaves_nothing(trade: Shop) -> None:
    """Another node of that provider stays, so nothing else would remove what is left there."""
    rome = trade.rome
    done(await liqoctl("create", "resourceslice", NODE, "--remote-cluster-id=milan", of(rome)))
    gone = ("delete", SLICES, NODE, "-n", TENANT, "--ignore-not-found", "--wait=false")
    try:
        await eventually(lambda: condition(rome, f"node/{NODE}", "Ready"), is_="True")
        await trade.put(
            controlled("DaemonSet", "daemon", on_it()),
            marked("guarded"),
            marked("free"),
            a_budget("guarded"),
        )
        for name in ("guarded", "free"):
            await trade.is_ready(name)
        [daemon] = await eventually(partial(daemons, trade), lambda seen: len(seen) == 1)
        await trade.is_ready(daemon["metadata"]["name"])
        await rome.kubectl(*gone)
        await eventually(partial(found, trade, "pod/free"), is_="")
        [still] = await daemons(trade)
        assert still["metadata"]["uid"] == daemon["metadata"]["uid"]
        assert "deletionTimestamp" not in still["metadata"]
        assert await found(trade, "pod/guarded")
        await rome.kubectl("delete", "poddisruptionbudget/guarded", *trade.here)
        node = ("get", f"node/{NODE}", "--ignore-not-found", "-o", "name")
        await eventually(partial(rome.kubectl, *node), is_="", within=ENDING)
    finally:
        await rome.kubectl("delete", "poddisruptionbudget", "--all", *trade.here)
        await rome.kubectl(*gone)
    left = ("get", f"{SHADOWS},pods", *trade.there, "-o", "name")
    await eventually(partial(trade.milan.kubectl, *left), is_="")


def on_it() -> JSON:
    return spec(SERVE, nodeSelector={"kubernetes.io/hostname": NODE})


def marked(name: str) -> JSON:
    plain = pod(name, on_it())
    return {**plain, "metadata": {"name": name, "labels": {"app": name}}}


async def daemons(trade: Shop) -> list[JSON]:
    listed: list[JSON] = (await read(trade.rome, "pods", *trade.here, "-l", "app=daemon"))["items"]
    return listed


async def found(trade: Shop, what: str) -> str:
    return await trade.rome.kubectl("get", what, *trade.here, "--ignore-not-found", "-o", "name")
