"""How much two API servers have to tell a virtual kubelet, by what they count themselves."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Awaitable, Callable, Collection, Iterator
from functools import partial
from typing import TypeAlias
from uuid import uuid4

from liqo.api.meta import JSON
from liqo.playground.cluster import Site
from tests.e2e.artifacts import config_map
from tests.e2e.eventually import ENDING, eventually
from tests.e2e.kubelets import NODES, put_node, rolled_out
from tests.e2e.offloaded import TENANT, extended
from tests.e2e.snapshot import QUIET
from tests.e2e.workloads import Shop

OPEN = re.compile(
    r'^apiserver_longrunning_requests\{.*resource="(?P<what>[^"]*)",scope="(?P<scope>[^"]*)".*'
    r'verb="WATCH".*\} (?P<number>\d+)',
    re.MULTILINE,
)
Open: TypeAlias = Callable[[Site], Awaitable[Counter[str]]]

AT_HOME = {"configmaps": 1, "secrets": 1}
WHOLE = {"pods": 1, "shadowpods": 1, "events": 1}
BY_METADATA = {
    "configmaps": 1,
    "secrets": 1,
    "services": 1,
    "ingresses": 1,
    "shadowendpointslices": 1,
}
BUDGET = 12  # of a kubelet at home, beside those of namespaces


ONE_OBJECT = "resource"  # the scope of a watch of a single object
# Of our kinds one that nobody follows but Kubernetes' garbage collector, which begins with all of
# them at once, half a minute after they were made.
COLLECTED = "publickeies"


async def watches(site: Site) -> Counter[str]:
    """Those that are open, by what they are of."""
    return await counted(site, {"cluster", "namespace", ONE_OBJECT})


async def of_many(site: Site) -> Counter[str]:
    """The same of those of more than one object.

    A real kubelet follows each ConfigMap and Secret of its pods, and ends that when nobody has read
    it for some minutes.
    """
    return await counted(site, {"cluster", "namespace"})


async def counted(site: Site, scopes: Collection[str]) -> Counter[str]:
    found: Counter[str] = Counter()
    for each in OPEN.finditer(await site.kubectl("get", "--raw", "/metrics")):
        if each["scope"] in scopes:
            found[each["what"]] += int(each["number"])
    return found


async def settled(site: Site, open_: Open = watches) -> Counter[str]:
    """The same, once nobody ends or begins any."""
    looks: list[Counter[str]] = []

    async def is_quiet() -> bool:
        looks.append(await open_(site))
        is_begun = looks[-1][COLLECTED] > 0
        return is_begun and len(looks) >= QUIET and looks[-QUIET:] == [looks[-1]] * QUIET

    await eventually(is_quiet)
    return looks[-1]


async def is_alone(trade: Shop) -> None:
    """What earlier tests sent out is gone; as long as it goes, so do its watches."""
    own = {f"namespace/{trade.there[1]}", "namespace/liqo-tenant-rome"}

    async def others() -> set[str]:
        marked = ("-l", "liqo.io/remote-cluster-id=rome", "-o", "name")
        return set((await trade.milan.kubectl("get", "namespaces", *marked)).split()) - own

    await eventually(others, is_=set(), within=ENDING)


async def more(site: Site, before: Counter[str], open_: Open = watches) -> dict[str, int]:
    now = await open_(site)
    return {what: now[what] - before[what] for what in now | before if now[what] != before[what]}


async def test_a_namespace_that_goes_out_has_two_watches_at_home_and_few_abroad(
    trade: Shop,
) -> None:
    """Beside whole objects those of metadata, of which nothing is sent while nobody writes."""
    rome, milan = trade.rome, trade.milan
    await is_alone(trade)
    await arrives(trade)
    here, there = await settled(rome, of_many), await settled(milan, of_many)
    at_home, abroad = partial(more, rome, here, of_many), partial(more, milan, there, of_many)
    async with extended(rome) as name:
        await arrives(Shop(rome, milan, name))
        await eventually(at_home, is_=AT_HOME)
        await eventually(abroad, is_={**WHOLE, **BY_METADATA})
    await eventually(abroad, is_={})
    await eventually(at_home, is_={})


async def arrives(trade: Shop) -> None:
    name = f"sign-{uuid4().hex[:6]}"
    await trade.put(config_map(name))
    await eventually(partial(trade.theirs, f"configmap/{name}"), bool)


async def test_a_kubelet_has_no_more_watches_at_home_than_it_may(trade: Shop) -> None:
    """Its own, by the audit log: those of others begin and end meanwhile."""
    rome = trade.rome
    await is_alone(trade)
    await arrives(trade)
    mapped = len((await rome.kubectl("get", "namespaceoffloadings", "-A", "-o", "name")).split())
    await put_node(rome, "counted", {})
    own = partial(of_kubelet, rome, "counted")
    try:
        await rolled_out(rome, "counted")
        await eventually(own, lambda found: found["ingresses"] == 1)
        await settled(rome)  # they are opened a few at a time
        found = await own()
        assert found["ingresses"] == 1
        assert found.total() <= BUDGET + len(AT_HOME) * mapped, found
    finally:
        await rome.kubectl("delete", NODES, "counted", "-n", TENANT)
        await rolled_out(rome)


async def of_kubelet(site: Site, node: str) -> Counter[str]:
    """Those that the kubelet of this node has open, also of single objects."""
    user = f"system:serviceaccount:{TENANT}:{node}"
    begun: dict[str, str] = {}
    ended: set[str] = set()
    for entry in audited(site, user):
        if entry["user"]["username"] == user and entry["verb"] == "watch":
            if entry["stage"] == "ResponseStarted":
                begun[entry["auditID"]] = entry["objectRef"]["resource"]
            else:
                ended.add(entry["auditID"])
    return Counter(what for each, what in begun.items() if each not in ended)


def audited(site: Site, word: str) -> Iterator[JSON]:
    """What the audit log says with this word. It may be long."""
    logs = site.folder_of(site.cluster.control_plane) / "logs"
    for path in logs.glob("audit*.log"):  # they rotate
        with path.open() as log:
            yield from (json.loads(line) for line in log if word in line and line.endswith("\n"))
