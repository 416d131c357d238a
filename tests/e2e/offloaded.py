"""Pods of Rome that run in Milan: the clusters peered, a namespace extended, a pod to put there."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any
from uuid import uuid4

import pytest

from liqo.api.meta import JSON
from liqo.playground import images
from liqo.playground.cluster import Site
from tests.e2e.eventually import eventually
from tests.e2e.installation import of
from tests.e2e.liqoctl import liqoctl

TENANT = "liqo-tenant-milan"
OFFLOADING = "namespaceoffloadings.offloading.liqo.io/offloading"


@pytest.fixture(scope="package")
async def peered(installed: dict[str, Site]) -> AsyncIterator[dict[str, Site]]:
    async with borrowing(installed["rome"], installed["milan"], "--delete-namespaces"):
        yield installed


@asynccontextmanager
async def borrowing(consumer: Site, provider: Site, *afterwards: str) -> AsyncIterator[None]:
    """The one is a consumer of the other, and the Node is ready."""
    both = (of(consumer), f"--remote-kubeconfig={provider.kubeconfig}")
    ended = await liqoctl("peer", "--networking-disabled", *both)
    assert ended.code == 0, ended.stderr
    try:
        node = f"node/{provider.cluster.name}"
        await eventually(lambda: condition(consumer, node, "Ready"), is_="True")
        yield
    finally:
        ended = await liqoctl("unpeer", *afterwards, *both)
        assert ended.code == 0, ended.stderr


@pytest.fixture
async def shop(peered: dict[str, Site]) -> AsyncIterator[str]:
    """A namespace of the test's own that is extended to Milan."""
    async with extended(peered["rome"]) as name:
        yield name


@asynccontextmanager
async def extended(rome: Site) -> AsyncIterator[str]:
    name = f"shop-{uuid4().hex[:6]}"
    async with mapped(rome, name):
        yield name


@asynccontextmanager
async def mapped(rome: Site, name: str) -> AsyncIterator[None]:
    """A namespace that is extended to Milan as long as this lasts."""
    await new_namespace(rome, name)
    await extend(rome, name)
    try:
        yield
    finally:
        await withdraw(rome, name, "--wait=false")
        await rome.kubectl("delete", "namespace", name, "--wait=false")


async def new_namespace(site: Site, name: str) -> None:
    """With the account that Kubernetes makes a moment later, and no pod comes in without."""
    namespace = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}
    listed = {"apiVersion": "v1", "kind": "List", "items": [namespace, an_account(name)]}
    await site.kubectl("apply", "--server-side", "-f", "-", text=json.dumps(listed))


def an_account(namespace: str) -> JSON:
    """The one that pods have which name none."""
    return {
        "apiVersion": "v1",
        "kind": "ServiceAccount",
        "metadata": {"name": "default", "namespace": namespace},
    }


async def extend(rome: Site, name: str, **spec: Any) -> None:
    """It is on every cluster that it should be on when this ends."""
    await rome.kubectl("create", "-f", "-", text=json.dumps(an_offloading(name, **spec)))
    await eventually(lambda: phase(rome, name), is_="Ready")


async def withdraw(rome: Site, name: str, *how: str) -> None:
    await rome.kubectl("delete", OFFLOADING, "-n", name, "--ignore-not-found", *how)


async def phase(rome: Site, name: str) -> str:
    path = "jsonpath={.status.offloadingPhase}"
    return await rome.kubectl("get", OFFLOADING, "-n", name, "-o", path)


def an_offloading(namespace: str, name: str = "offloading", **spec: Any) -> JSON:
    return {
        "apiVersion": "offloading.liqo.io/v1beta1",
        "kind": "NamespaceOffloading",
        "metadata": {"name": name, "namespace": namespace},
        "spec": spec,
    }


async def condition(site: Site, thing: str, kind: str, *where: str) -> str:
    path = f'jsonpath={{.status.conditions[?(@.type=="{kind}")].status}}'
    return await site.kubectl("get", thing, *where, "-o", path)


async def read(site: Site, *what: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(await site.kubectl("get", *what, "-o", "json"))
    return found


def a_pod(name: str, namespace: str) -> str:
    return json.dumps(
        {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {"name": name, "namespace": namespace},
            "spec": {
                "nodeSelector": {"liqo.io/type": "virtual-node"},
                "tolerations": [{"key": "virtual-node.liqo.io/not-allowed", "operator": "Exists"}],
                "terminationGracePeriodSeconds": 1,  # it hears no SIGTERM
                "containers": [{"name": "web", "image": images.DEMO}],
            },
        }
    )
