"""Rome, which borrows from two: Milan in the north and Turin in the south. And its namespaces."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from functools import partial
from typing import Any
from uuid import uuid4

import msgspec
import pytest

from liqo.api import labels
from liqo.api.kubernetes import Event, Namespace, Pod, ServiceAccount
from liqo.api.meta import JSON, Key, Kind
from liqo.api.offloading import NamespaceMap, NamespaceOffloading
from liqo.kube.cluster import Cluster
from liqo.kube.errors import Conflict, NotFound
from liqo.kube.http import Request
from liqo.kube.paths import Scope, collection, query
from liqo.kube.reading import encode, metadata
from liqo.playground.cluster import Site
from tests.e2e.crowds import admin
from tests.e2e.eventually import ENDING, eventually
from tests.e2e.loans import Loan
from tests.e2e.offloaded import an_account, an_offloading, condition

FLOOR = "floor"  # a label that is a number
MARKS = {
    "milan": {labels.REGION: "north", FLOOR: "1"},
    "turin": {labels.REGION: "south", FLOOR: "2"},
}
SOUTH: JSON = {
    "nodeSelectorTerms": [
        {"matchExpressions": [{"key": labels.REGION, "operator": "In", "values": ["south"]}]}
    ]
}


@dataclass(frozen=True)
class Province:
    """The three of them, as their administrators see them."""

    sites: Mapping[str, Site]
    rome: Cluster
    milan: Cluster
    turin: Cluster

    async def twin(self, cluster: Cluster, name: str) -> JSON | None:
        """The labels and annotations of a namespace that is there, and stays."""
        try:
            found = (await cluster.get(metadata(Namespace), Key("", name))).metadata
        except NotFound:
            return None
        going = found.deletion_timestamp is not None
        return None if going else {"labels": found.labels, "annotations": found.annotations}

    async def is_there(self, cluster: Cluster, name: str) -> bool:
        return await self.twin(cluster, name) is not None

    @asynccontextmanager
    async def taken(self, provider: str, name: str) -> AsyncIterator[None]:
        """A namespace of that name that is not ours, as long as this lasts."""
        cluster: Cluster = getattr(self, provider)
        body: JSON = {"metadata": {"name": name}}
        await cluster.create(_whole(Namespace.KIND, body), kind=Namespace.KIND)
        try:
            yield
        finally:
            await cluster.delete(Namespace.KIND, Key("", name))

    async def map_of(self, provider: str) -> NamespaceMap:
        return await self.rome.get(NamespaceMap, Key(f"liqo-tenant-{provider}", provider))

    @asynccontextmanager
    async def namespace(self, *, marks: Mapping[str, str] | None = None) -> AsyncIterator[Town]:
        """One of Rome's own, until the test ends."""
        name = f"town-{uuid4().hex[:6]}"
        body: JSON = {"metadata": {"name": name, "labels": dict(marks or {})}}
        await self.rome.create(_whole(Namespace.KIND, body), kind=Namespace.KIND)
        with suppress(Conflict):  # Kubernetes makes it as well, a moment later; pods need it
            kind = ServiceAccount.KIND
            await self.rome.create(an_account(name), kind=kind, namespace=name)
        town = Town(self, name)
        try:
            yield town
        finally:
            await town.empty()
            with suppress(NotFound):
                await self.rome.delete(Namespace.KIND, Key("", name))


@dataclass(frozen=True)
class Town:
    """A namespace of Rome."""

    province: Province
    name: str

    @property
    def rome(self) -> Cluster:
        return self.province.rome

    @property
    def key(self) -> Key:
        return Key(self.name, "offloading")

    async def offload(self, *, until: str = "Ready", **spec: Any) -> None:
        body = an_offloading(self.name, **spec)
        await self.rome.create(body, kind=NamespaceOffloading.KIND, namespace=self.name)
        await eventually(self.phase, is_=until)

    async def change(self, **spec: Any) -> None:
        kind = NamespaceOffloading.KIND
        await self.rome.patch(kind, self.key, {"spec": spec}, how="merge")

    async def unoffload(self) -> None:
        await self.rome.delete(NamespaceOffloading.KIND, self.key)
        await eventually(self.offloading, is_=None, within=ENDING)

    async def offloading(self) -> NamespaceOffloading | None:
        try:
            return await self.rome.get(NamespaceOffloading, self.key)
        except NotFound:
            return None

    async def phase(self) -> str:
        found = await self.offloading()
        if found is None or found.status.observed_generation != found.metadata.generation:
            return ""
        return found.status.offloading_phase

    async def reasons(self) -> dict[str, list[str]]:
        """Of the conditions of each cluster."""
        found = await self.offloading()
        said = found.status.remote_namespaces_conditions if found is not None else {}
        return {cluster: [each.reason for each in every] for cluster, every in said.items()}

    async def marks(self) -> Mapping[str, str]:
        found = await self.rome.get(metadata(Namespace), Key("", self.name))
        return found.metadata.labels

    async def told(self, reason: str) -> list[str]:
        """What Events of that reason say, of whatever in this namespace."""
        events = await self.rome.list(Event, scope=Scope(self.name), resource_version="")
        return [each.message for each in events.items if each.reason == reason]

    async def create(self, name: str, pod_spec: JSON, **metadata_: Any) -> JSON:
        body = a_pod(name, pod_spec, **metadata_)
        return await self.rome.create(body, kind=Pod.KIND, namespace=self.name)

    async def dry_run(self, pod_spec: JSON) -> JSON:
        """The spec that would be stored."""
        path = query(collection(Pod.KIND, self.name), dryRun="All")
        body = encode(a_pod(f"dry-{uuid4().hex[:6]}", pod_spec))
        answer = await self.rome.request(Request("POST", path, body))
        spec: JSON = msgspec.json.decode(answer)["spec"]
        return spec

    async def pod(self, name: str) -> Pod:
        return await self.rome.get(Pod, Key(self.name, name))

    async def fate(self, name: str) -> tuple[str, str]:
        """Phase and reason."""
        status = (await self.pod(name)).status
        return status.get("phase", ""), status.get("reason", "")

    async def node_of(self, name: str) -> str:
        return (await self.pod(name)).spec.get("nodeName", "")

    async def pods(self) -> list[Pod]:
        found = await self.rome.list(Pod, scope=Scope(self.name), resource_version="")
        return list(found.items)

    async def empty(self) -> None:
        """Pods first: a namespace that is mapped no more would keep them for a while."""
        for pod in await self.pods():
            with suppress(NotFound):
                await self.rome.delete(Pod.KIND, pod.key, grace=0)


def a_pod(name: str, pod_spec: JSON, **metadata_: Any) -> JSON:
    quiet = {"terminationGracePeriodSeconds": 0, "automountServiceAccountToken": False}
    body = {"metadata": {"name": name, **metadata_}, "spec": {**quiet, **pod_spec}}
    return _whole(Pod.KIND, body)


def _whole(kind: Kind, body: JSON) -> JSON:
    return {"apiVersion": kind.api_version, "kind": kind.name, **body}


@pytest.fixture(scope="package")
async def province(installed: dict[str, Site]) -> AsyncIterator[Province]:
    """Rome borrows from both, and says where they are."""
    rome, milan, turin = (installed[name] for name in ("rome", "milan", "turin"))
    loans = [Loan(rome, milan), Loan(rome, turin)]
    try:
        for loan in loans:
            await loan.peer()
            await loan.appears()
            marks = json.dumps({"spec": {"labels": MARKS[loan.lender]}})
            where = (f"virtualnodes.offloading.liqo.io/{loan.lender}", "-n", loan.here)
            await rome.kubectl("patch", *where, "--type=merge", "-p", marks)
        for name in MARKS:
            await eventually(partial(condition, rome, f"node/{name}", "Ready"), is_="True")
        async with admin(rome) as here, admin(milan) as north, admin(turin) as south:
            yield Province(installed, here, north, south)
    finally:
        for loan in loans:
            await loan.unpeer("--delete-namespaces")
