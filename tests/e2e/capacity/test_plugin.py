"""Resource plugins: the example says what Rome gets, by either protocol; it lies, it is gone."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from dataclasses import dataclass
from functools import partial

import pytest

from liqo.api.authentication import ResourceSlice
from liqo.cli.playground.installing import CHECKOUT, fingerprint, product
from liqo.kube.cluster import Cluster
from liqo.kube.kubeconfig import from_kubeconfig
from liqo.playground.cluster import Site
from liqo.rules import keys
from liqo.rules.conditions import find
from tests.e2e.borrower import Borrower
from tests.e2e.capacity.market import CPU, SOON, Market
from tests.e2e.eventually import eventually
from tests.e2e.installation import of
from tests.e2e.liqoctl import liqoctl
from tests.e2e.loans import done

EXAMPLE = str(CHECKOUT / "examples/resource-plugin")
IN_LIQO = ("-n", "liqo")
PLUGIN = "deployment/fixed-resources"
CONTROLLERS = "deployment/liqo-controller-manager"
GRPC, HTTP = "fixed-resources.liqo:6001", "http://fixed-resources.liqo:8080"
SETTING = "controllerManager.config.resourcePluginAddress"
SILENT = "ResourcePluginSilent"


@dataclass(frozen=True)
class Oracle:
    """The example, as its README says, and the provider that asks it."""

    market: Market
    tag: str

    @property
    def milan(self) -> Site:
        return self.market.milan

    async def is_asked_at(self, address: str) -> None:
        """Empty: nobody is asked."""
        same = ("--set", f"tag={self.tag}", "--set", "webhook.replicas=1")
        upgrade = ("upgrade", "playground", of(self.milan), *same, "--set", f"{SETTING}={address}")
        done(await liqoctl(*upgrade))

    async def says(self, cpu: str) -> None:
        changes = [
            {
                "op": "replace",
                "path": f"/spec/template/spec/containers/{container}/args/0",
                "value": f"--resource=cpu={cpu}",
            }
            for container in (0, 1)
        ]
        change = json.dumps(changes)
        await self.milan.kubectl("patch", PLUGIN, *IN_LIQO, "--type=json", "-p", change)
        await self.runs(PLUGIN)

    async def has(self, replicas: int) -> None:
        await self.milan.kubectl("scale", PLUGIN, *IN_LIQO, f"--replicas={replicas}")
        await self.runs(PLUGIN)

    async def runs(self, deployment: str) -> None:
        await self.milan.kubectl("rollout", "status", deployment, *IN_LIQO, "--timeout=120s")


@pytest.fixture(scope="module")
async def oracle(market: Market) -> AsyncIterator[Oracle]:
    """What really runs needs the real node; the simulated one is closed meanwhile."""
    milan, archive = market.milan, await product(print)
    await milan.load(archive)
    await milan.kubectl("cordon", "milan-kwok-0")
    await milan.kubectl("uncordon", "milan")
    await milan.kubectl("apply", "--kustomize", EXAMPLE)
    asked = Oracle(market, fingerprint(archive))
    try:
        await asked.runs(PLUGIN)
        yield asked
    finally:
        await asked.is_asked_at("")
        await milan.kubectl("delete", "--ignore-not-found", "--kustomize", EXAMPLE)
        await milan.kubectl("cordon", "milan")
        await milan.kubectl("uncordon", "milan-kwok-0")
    await market.becomes(CPU, "90")


@pytest.mark.row("B09")
@pytest.mark.parametrize("address", [GRPC, HTTP])
async def test_the_node_follows_what_the_plugin_says(oracle: Oracle, address: str) -> None:
    market = oracle.market
    await oracle.says(cpu="2000m")
    await oracle.is_asked_at(address)
    shown = address if address == HTTP else f"grpc://{address}"
    why = f"cpu 2 = what the resource plugin {shown} says"
    for site in (market.rome, market.milan):
        await eventually(partial(market.told, site), lambda text: why in text)
    await market.becomes(CPU, "2")
    assert await market.room() == {CPU: "2", "memory": "2Gi", "pods": "10"}
    await oracle.says(cpu="3")
    await market.becomes(CPU, "3")


async def test_what_it_said_stays_while_it_is_gone_and_while_it_lies(oracle: Oracle) -> None:
    market, home = oracle.market, oracle.market.loan.there
    await oracle.is_asked_at(GRPC)
    await oracle.says(cpu="2")
    await market.becomes(CPU, "2")
    await oracle.has(replicas=0)
    await market.is_told(market.milan, home, SILENT, "and what was granted stays: it cannot be")
    await oracle.milan.kubectl("rollout", "restart", CONTROLLERS, *IN_LIQO)
    await oracle.runs(CONTROLLERS)
    await a_newcomer_waits_for_it(oracle)
    await oracle.says(cpu="-1")
    await market.is_told(market.milan, home, SILENT, "it says -1 of cpu, and nobody can have less")
    assert (await market.room())[CPU] == "2"
    await oracle.says(cpu="4")
    await market.becomes(CPU, "4")


async def a_newcomer_waits_for_it(oracle: Oracle) -> None:
    """Who was never granted anything is denied, and granted as soon as the plugin is back."""
    async with Cluster(from_kubeconfig(str(oracle.milan.kubeconfig))) as milan:
        turin = Borrower("turin", keys.new_key(tls_compatible=False), milan)

        async def answer() -> tuple[str, str, object] | None:
            asked = await turin.get(ResourceSlice, "other")
            said = find(asked.status.conditions, "Resources")
            return (said.status, said.reason, asked.status.resources.get(CPU)) if said else None

        try:
            await turin.ask_in()
            async with turin.at(await turin.admitted()) as there:
                await turin.replicate(there, "other", **{"class": "share"})
            await eventually(answer, is_=("Denied", SILENT, None))
            assert (await oracle.market.room())[CPU] == "2"  # of one who was: in the Quota
            await oracle.has(replicas=1)
            accepted = ("Accepted", "ResourceSliceResourcesAccepted", "2")
            await eventually(answer, is_=accepted, within=SOON)
        finally:
            await turin.leave()
