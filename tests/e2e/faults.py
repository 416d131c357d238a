"""What goes wrong between a program and its API server, one function each."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from liqo.api.kubernetes import CustomResourceDefinition
from liqo.api.meta import Key, Kind
from tests.e2e.eventually import eventually
from tests.e2e.garden import seed_crd
from tests.e2e.gardener import MANAGER, USER, Gardener

FLOW_CONTROL = "flowcontrol.apiserver.k8s.io"
LEVEL = Kind(
    FLOW_CONTROL,
    "v1",
    "PriorityLevelConfiguration",
    "prioritylevelconfigurations",
    namespaced=False,
)
FLOW = Kind(FLOW_CONTROL, "v1", "FlowSchema", "flowschemas", namespaced=False)
NO_MORE = "torture"


async def connections_are_cut(gardener: Gardener) -> None:
    for _ in range(5):
        gardener.proxy.cut()
        await asyncio.sleep(0.3)


async def connections_are_refused(gardener: Gardener) -> None:
    gardener.proxy.refuses = True
    gardener.proxy.cut()
    await asyncio.sleep(2)
    gardener.proxy.refuses = False


async def answers_are_delayed(gardener: Gardener) -> None:
    for _ in range(5):
        gardener.proxy.hold()
        await asyncio.sleep(0.4)
        gardener.proxy.release()


async def the_api_server_is_paused(gardener: Gardener) -> None:
    gardener.plane.pause()
    await asyncio.sleep(2)
    gardener.plane.resume()


async def the_api_server_is_killed(gardener: Gardener) -> None:
    await gardener.plane.kill()
    await asyncio.sleep(0.5)
    await gardener.plane.start()


async def the_api_server_returns_after_writes_that_were_missed(gardener: Gardener) -> None:
    """It starts with the state of now, and cannot tell what happened before: 410."""
    gardener.proxy.refuses = True
    gardener.proxy.cut()
    for _ in range(10):
        await gardener.change_something()
    await gardener.plane.kill()
    await gardener.plane.start()
    gardener.proxy.refuses = False


async def requests_are_throttled(gardener: Gardener) -> None:
    """A priority level without seats: the API server itself answers 429 to every write."""
    admin = gardener.admin
    no_seats = {"nominalConcurrencyShares": 0, "limitResponse": {"type": "Reject"}}
    writes = {
        "verbs": ["create", "patch", "delete"],
        "apiGroups": ["*"],
        "resources": ["*"],
        "namespaces": ["*"],
    }
    who = {"kind": "User", "user": {"name": USER}}
    flow = {
        "priorityLevelConfiguration": {"name": NO_MORE},
        "matchingPrecedence": 2,  # the first after those who are exempt
        "rules": [{"subjects": [who], "resourceRules": [writes]}],
    }

    async def put_off() -> bool:
        return gardener.was_throttled()

    for kind, spec in ((LEVEL, {"type": "Limited", "limited": no_seats}), (FLOW, flow)):
        body = {"apiVersion": kind.api_version, "kind": kind.name, "metadata": {"name": NO_MORE}}
        await admin.apply({**body, "spec": spec}, kind=kind, key=Key("", NO_MORE), manager=MANAGER)
    await eventually(put_off)  # it takes a moment to count
    await asyncio.sleep(3)
    for kind in (FLOW, LEVEL):
        await admin.delete(kind, Key("", NO_MORE))


async def a_definition_changes(gardener: Gardener) -> None:
    """Its storage starts anew, and answers 429 meanwhile."""
    gardener.columns += 1
    body = seed_crd(gardener.columns)
    key = Key("", body["metadata"]["name"])
    kind = CustomResourceDefinition.KIND
    await gardener.admin.apply(body, kind=kind, key=key, manager=MANAGER)
    await asyncio.sleep(1)


async def the_client_certificate_is_replaced(gardener: Gardener) -> None:
    gardener.replace_certificate()
    await asyncio.sleep(3)


ALL: tuple[Callable[[Gardener], Awaitable[None]], ...] = (
    connections_are_cut,
    the_client_certificate_is_replaced,
    connections_are_refused,
    answers_are_delayed,
    the_api_server_is_paused,
    the_api_server_is_killed,
    the_api_server_returns_after_writes_that_were_missed,
    requests_are_throttled,
    a_definition_changes,
)
