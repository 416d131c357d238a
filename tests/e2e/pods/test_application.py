"""An application of several parts, half of it at home and half abroad, is one application."""

from __future__ import annotations

import hashlib
import json
from collections.abc import AsyncIterator
from functools import partial
from uuid import uuid4

import pytest

from liqo.api.meta import JSON
from liqo.playground.cluster import Site
from tests.e2e.application import BUYS, TAKES, everything, secret
from tests.e2e.eventually import eventually
from tests.e2e.offloaded import extend, new_namespace, withdraw
from tests.e2e.pods.test_pods_abroad import product_image
from tests.e2e.workloads import Shop, pod, shell, spec

BUYERS = ("buyer-here", "buyer-there")
OFTEN = 24  # as good as certain to have met each of four
VOLUMES = 240  # seconds: kubelets look at the volumes of a pod about once a minute
PATIENCE = "--timeout=180s"


class Twin(Shop):
    """It has the same name in both clusters."""

    @property
    def there(self) -> tuple[str, str]:
        return self.here


@pytest.fixture
async def market(peered: dict[str, Site]) -> AsyncIterator[Shop]:
    rome, name = peered["rome"], f"market-{uuid4().hex[:6]}"
    await new_namespace(rome, name)
    await extend(rome, name, namespaceMappingStrategy="EnforceSameName")
    try:
        yield Twin(rome, peered["milan"], name)
    finally:
        await withdraw(rome, name, "--wait=false")
        await rome.kubectl("delete", "namespace", name, "--wait=false")


async def bought(market: Shop, buyer: str, where: str, times: int = OFTEN) -> list[JSON]:
    asking = ("exec", buyer, *market.here, "--", "python3", "-c", BUYS, where, str(times))
    return [json.loads(line) for line in (await market.rome.kubectl(*asking)).splitlines()]


async def pages(market: Shop) -> set[str]:
    found = await market.rome.kubectl("get", "pods", "-l", "part=pages", *market.here, "-o", "name")
    return {each.removeprefix("pod/") for each in found.split()}


def known(password: str) -> str:
    return hashlib.sha256(password.encode()).hexdigest()[:8]


@pytest.mark.part_of_row("G01", "G04", "E05")
async def test_its_parts_find_each_other_by_name_wherever_they_are(market: Shop) -> None:
    await opened(market)
    whole = f"pages.{market.name}.svc.cluster.local"
    everybody = await pages(market)
    assert len(everybody) == 4
    for buyer in BUYERS:
        for where in ("pages", f"pages.{market.name}", whole):
            await eventually(partial(met, market, buyer, where), is_=everybody)
        right = known("sesame")
        await eventually(partial(tills, market, buyer), is_={(right, right)})
    theirs = await eventually(partial(market.theirs, "ingress/pages"), bool)
    assert theirs["spec"]["rules"]


async def opened(market: Shop) -> None:
    await market.put(*everything(await product_image(), "sesame"))
    for thing in ("statefulset/till", "deployment/pages-here", "deployment/pages-there"):
        await market.rome.kubectl("rollout", "status", thing, *market.here, PATIENCE)
    for buyer in BUYERS:
        await market.is_ready(buyer)


async def met(market: Shop, buyer: str, where: str) -> set[str]:
    return {each["who"] for each in await bought(market, buyer, where)}


async def tills(market: Shop, buyer: str) -> set[tuple[str, str]]:
    """What the till said to all pages, under both of its names."""
    return {(each["till"], each["first"]) for each in await bought(market, buyer, "pages")}


async def test_its_configuration_its_password_and_its_version_change_while_it_runs(
    market: Shop,
) -> None:
    await opened(market)
    rome, here = market.rome, market.here
    words = '-p={"data":{"greeting":"hello"}}'
    await rome.kubectl("patch", "configmap/shop", *here, "--type=merge", words)
    await rome.kubectl("apply", *here, "-f", "-", text=json.dumps(secret("abracadabra")))
    wanted = ("hello", known("abracadabra"))
    await eventually(partial(told, market), is_={wanted}, within=VOLUMES)
    rollout = ("rollout", "status", "deployment/pages-there", *here, PATIENCE)
    await rome.kubectl("set", "env", "deployment/pages-there", "VERSION=2", *here)
    await rome.kubectl(*rollout)
    await eventually(partial(versions, market), is_={"here": {"1"}, "there": {"2"}})
    await rome.kubectl("rollout", "undo", "deployment/pages-there", *here)
    await rome.kubectl(*rollout)
    await eventually(partial(versions, market), is_={"here": {"1"}, "there": {"1"}})
    await eventually(partial(told, market), is_={wanted})


async def told(market: Shop) -> set[tuple[str, str]]:
    """What all pages say, to both buyers."""
    said = [each for buyer in BUYERS for each in await bought(market, buyer, "pages")]
    return {(each["greeting"], each["till"]) for each in said}


async def versions(market: Shop) -> dict[str, set[str]]:
    said = [each for buyer in BUYERS for each in await bought(market, buyer, "pages")]
    return {
        side: {each["version"] for each in said if each["who"].startswith(f"pages-{side}-")}
        for side in ("here", "there")
    }


@pytest.mark.part_of_row("L18")
async def test_what_goes_wrong_over_there_is_told_where_its_owner_looks(market: Shop) -> None:
    """No image, a probe that fails, too much memory: by Events, and in the status."""
    sick = {"exec": {"command": ["false"]}, "periodSeconds": 1, "failureThreshold": 1}
    small = {"limits": {"memory": "64Mi"}}
    command = {"image": await product_image(), "command": ["python3", "-c", TAKES]}
    greedy = {"name": "main", **command, "resources": small}
    await market.put(
        pod("faceless", spec({**shell(), "image": "localhost/nothing:1"})),
        pod("sick", spec({**shell(), "livenessProbe": sick})),
        pod("greedy", spec(greedy, restartPolicy="Never")),
    )
    for name, words in {
        "faceless": 'Failed to pull image "localhost/nothing:1"',
        "sick": "Liveness probe failed",
    }.items():
        for verb in (("describe", "pod", name), ("events", "--for", f"pod/{name}")):
            look = partial(market.rome.kubectl, *verb, *market.here)
            await eventually(look, lambda said, words=words: words in said)  # type: ignore[misc]
    [ended] = (await market.ends("greedy", "Failed"))["containerStatuses"]
    assert ended["state"]["terminated"]["reason"] == "OOMKilled"
    assert ended["state"]["terminated"]["exitCode"] == 137
