"""Milan lends shares of simulated nodes to Rome. Its own node is closed: the numbers are round."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from uuid import uuid4

from liqo.api.meta import JSON
from liqo.playground.cluster import Site
from tests.e2e.eventually import eventually
from tests.e2e.loans import SLICES, Loan
from tests.e2e.offloaded import read

CPU, GPU = "cpu", "nvidia.com/gpu"
# For pods of Rome that go out.
ABROAD: JSON = {
    "nodeSelector": {"liqo.io/type": "virtual-node"},
    "tolerations": [{"key": "virtual-node.liqo.io/not-allowed", "operator": "Exists"}],
}
SHARING = ("configmap/liqo-sharing", "-n", "liqo")
# Seconds, on a machine that is busy; how fast it is has a test of its own. What a plugin did not
# tell is read again after half a minute.
SOON = 90.0


@dataclass(frozen=True)
class Market:
    loan: Loan

    @property
    def rome(self) -> Site:
        return self.loan.consumer

    @property
    def milan(self) -> Site:
        return self.loan.provider

    async def room(self) -> dict[str, str]:
        """What the virtual node says that it has."""
        status = (await read(self.rome, "node/milan"))["status"]
        assert status["allocatable"] == status["capacity"]
        room: dict[str, str] = status["allocatable"]
        return room

    async def becomes(self, resource: str, amount: str | None) -> None:
        """None: the node does not know of it."""

        async def shown() -> str | None:
            return (await self.room()).get(resource)

        await eventually(shown, is_=amount, within=SOON)

    async def told(self, site: Site) -> str:
        """What is said about resources, in the slice of that cluster."""
        home = self.loan.here if site is self.rome else self.loan.there
        asked = await read(site, f"{SLICES}/milan", "-n", home)
        [said] = [each for each in asked["status"]["conditions"] if each["type"] == "Resources"]
        return str(said["message"])

    async def decide(self, **settings: str | None) -> None:
        """As an administrator does it by hand; None takes a setting away."""
        written = {name.replace("_", "."): value for name, value in settings.items()}
        change = json.dumps({"data": written})
        await self.milan.kubectl("patch", *SHARING, "--type=merge", "-p", change)

    @asynccontextmanager
    async def deciding(self, **settings: str) -> AsyncIterator[None]:
        """The usual again, in the end."""
        await self.decide(**settings)
        try:
            yield
        finally:
            usual = {"percentage": "90", "rounding": "floor"}
            await self.decide(**{**dict.fromkeys(settings), **usual})

    @asynccontextmanager
    async def with_nodes(self, count: int = 1, /, **room: str) -> AsyncIterator[None]:
        """More of them on the provider; `gpu` is that of a well-known maker."""
        names = [f"more-{uuid4().hex[:6]}" for _ in range(count)]
        amounts = {GPU if name == "gpu" else name: amount for name, amount in room.items()}
        for name in names:
            await self.milan.kubectl("create", "-f", "-", text=json.dumps(a_node(name, amounts)))
        try:
            yield
        finally:
            await self.milan.kubectl("delete", "node", *names)

    @asynccontextmanager
    async def with_pod(self, cpu: int) -> AsyncIterator[None]:
        """Of the provider's own, on whichever node."""
        name = f"busy-{uuid4().hex[:6]}"
        pod = json.dumps(a_pod(name, "default", cpu))
        await self.milan.kubectl("create", "-f", "-", text=pod)
        try:
            yield
        finally:
            await self.milan.kubectl("delete", "pod", name, "--wait=false")

    async def events(self, site: Site, namespace: str, reason: str) -> list[str]:
        found = await read(site, "events", "-n", namespace, f"--field-selector=reason={reason}")
        return [each["message"] for each in found["items"]]

    async def is_told(self, site: Site, namespace: str, reason: str, message: str) -> None:
        seen = partial(self.events, site, namespace, reason)
        await eventually(seen, lambda messages: any(message in each for each in messages))


def a_node(name: str, room: dict[str, str]) -> JSON:
    """That KWOK plays."""
    marks = {"type": "kwok", "kubernetes.io/hostname": name}
    amounts = {"pods": "100", **room}
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "labels": marks},
        "status": {"allocatable": amounts, "capacity": amounts},
    }


def a_pod(name: str, namespace: str, cpu: int | str, **spec: object) -> JSON:
    size = {"requests": {"cpu": str(cpu)}}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "namespace": namespace},
        "spec": {
            "terminationGracePeriodSeconds": 0,
            "containers": [{"name": "busy", "image": "nobody-runs-it", "resources": size}],
            **spec,
        },
    }
