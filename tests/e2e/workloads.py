"""What Rome runs in Milan: manifests whose pods go there, and a look at both sides of them."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

import pytest

from liqo.api.meta import JSON
from liqo.playground import images
from liqo.playground.cluster import Site
from tests.e2e.eventually import eventually
from tests.e2e.installation import of
from tests.e2e.liqoctl import liqoctl
from tests.e2e.loans import at_once, done
from tests.e2e.offloaded import condition, read

TOLERATION: JSON = {"key": "virtual-node.liqo.io/not-allowed", "operator": "Exists"}
ABROAD: JSON = {
    "nodeSelector": {"liqo.io/remote-cluster-id": "milan"},
    "tolerations": [TOLERATION],
    "terminationGracePeriodSeconds": 0,
}
# Without a token, where no test asks for one: a ShadowPod would wait for it.
SILENT: JSON = {"automountServiceAccountToken": False}
FOREVER = "exec sleep infinity"
DEVICE = "example.com/gpu"
SERVE: JSON = {"name": "web", "image": images.DEMO}


def shell(script: str = FOREVER, name: str = "main", **fields: Any) -> JSON:
    """A container that runs this."""
    return {"name": name, "image": images.HELPER, "command": ["sh", "-c", script], **fields}


def spec(*containers: JSON, **fields: Any) -> JSON:
    return {**ABROAD, **SILENT, "containers": [*containers], **fields}


def pod(name: str, pod_spec: JSON) -> JSON:
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name}, "spec": pod_spec}


def at_home(wanted: JSON) -> JSON:
    """The same pod on a node of Rome's own."""
    local = {**wanted["spec"], "nodeSelector": {"kubernetes.io/hostname": "rome"}}
    named = {"name": f"{wanted['metadata']['name'][:200]}-at-home"}
    return {**wanted, "metadata": {**wanted["metadata"], **named}, "spec": local}


def controlled(kind: str, name: str, pod_spec: JSON, **fields: Any) -> JSON:
    """A Deployment, or another of its like, of pods with this spec."""
    marks = {"app": name}
    selector = {} if kind == "Job" else {"selector": {"matchLabels": marks}}
    template = {"metadata": {"labels": marks}, "spec": pod_spec}
    return {
        "apiVersion": "batch/v1" if kind == "Job" else "apps/v1",
        "kind": kind,
        "metadata": {"name": name},
        "spec": {**selector, "template": template, **fields},
    }


def a_budget(app: str) -> JSON:
    """None of its pods may be evicted while there is but one."""
    return {
        "apiVersion": "policy/v1",
        "kind": "PodDisruptionBudget",
        "metadata": {"name": app},
        "spec": {"minAvailable": 1, "selector": {"matchLabels": {"app": app}}},
    }


def last_words(status: JSON) -> str:
    [container] = status["containerStatuses"]
    said: str = container["state"]["terminated"]["message"]
    return said


@asynccontextmanager
async def pool(rome: Site) -> AsyncIterator[str]:
    """A node of its own with one device that Rome has not; nor Milan, if nobody announces it."""
    name, words = f"pool-{uuid4().hex[:6]}", ("--cpu=1", "--memory=512Mi", f"--resource={DEVICE}=1")
    where = ("--remote-cluster-id=milan", of(rome))
    done(await liqoctl("create", "resourceslice", name, *where, *words))
    try:
        await eventually(lambda: condition(rome, f"node/{name}", "Ready"), is_="True")
        yield name
    finally:
        done(await liqoctl("delete", "resourceslice", name, of(rome)))
    await eventually(lambda: rome.kubectl("get", "node", name, "--ignore-not-found"), is_="")


async def why_not_scheduled(site: Site, thing: str, *where: str) -> str:
    """In the words of a scheduler; empty until it says so."""
    conditions = (await read(site, thing, *where))["status"].get("conditions", ())
    said = (each.get("message", "") for each in conditions if each["type"] == "PodScheduled")
    return next(said, "")


@pytest.fixture
def trade(peered: dict[str, Site], shop: str) -> Shop:
    """A shop of the test's own."""
    return Shop(peered["rome"], peered["milan"], shop)


@dataclass(frozen=True)
class Shop:
    """A namespace of Rome that is extended to Milan, seen from both."""

    rome: Site
    milan: Site
    name: str

    @property
    def here(self) -> tuple[str, str]:
        return ("-n", self.name)

    @property
    def there(self) -> tuple[str, str]:
        return ("-n", f"{self.name}-rome")

    async def put(self, *objects: JSON) -> None:
        listed = {"apiVersion": "v1", "kind": "List", "items": [*objects]}
        await self.rome.kubectl("create", *self.here, "-f", "-", text=json.dumps(listed))

    async def ours(self, thing: str) -> JSON:
        return await read(self.rome, thing, *self.here)

    async def theirs(self, thing: str) -> JSON:
        return await read(self.milan, thing, *self.there)

    async def both(self, thing: str) -> tuple[JSON, JSON]:
        ours, theirs = await at_once(self.ours(thing), self.theirs(thing))
        return ours, theirs

    async def is_ready(self, name: str) -> None:
        await eventually(
            lambda: condition(self.rome, f"pod/{name}", "Ready", *self.here), is_="True"
        )

    async def ends(self, name: str, phase: str = "Succeeded") -> JSON:
        """The status of a pod that has come to its end."""
        seen = await eventually(
            lambda: self.ours(f"pod/{name}"), lambda found: found["status"].get("phase") == phase
        )
        status: JSON = seen["status"]
        return status

    async def waits(self, name: str, reason: str) -> str:
        """What a container that cannot start is waiting for, in the kubelet's words."""
        seen = await eventually(
            lambda: self.waiting(name), lambda found: found.get("reason") == reason
        )
        return seen["message"]

    async def waiting(self, name: str) -> Mapping[str, str]:
        states = (await self.ours(f"pod/{name}"))["status"].get("containerStatuses", ())
        return next((each["state"]["waiting"] for each in states if "waiting" in each["state"]), {})

    async def told(self, name: str) -> dict[str, str]:
        """The Events about a pod at home: each reason, and what was said last."""
        about = f"involvedObject.kind=Pod,involvedObject.name={name}"
        events = await read(self.rome, "events", *self.here, "--field-selector", about)
        return {each["reason"]: each["message"] for each in events["items"]}

    async def names(self, what: str = "pods") -> tuple[set[str], set[str]]:
        """Here, and there."""
        ours, theirs = await at_once(
            self.rome.kubectl("get", what, *self.here, "-o", "name"),
            self.milan.kubectl("get", what, *self.there, "-o", "name"),
        )
        return set(ours.split()), set(theirs.split())

    async def remove(self, *names: str) -> None:
        """And nothing of them stays on either side."""
        await self.rome.kubectl("delete", "pod", *names, *self.here)
        everything = ("get", "pods,shadowpods,secrets", *self.there, "-o", "name")
        await eventually(lambda: self.milan.kubectl(*everything), is_="")
