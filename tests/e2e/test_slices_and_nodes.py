"""Slices and virtual nodes written by hand, as manifests, where the product is installed."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from uuid import uuid4

import pytest
import yaml

from liqo.api.meta import JSON
from liqo.playground.cluster import Site
from liqo.rules import names
from tests import seeds
from tests.e2e import loans
from tests.e2e.eventually import eventually
from tests.e2e.installation import of
from tests.e2e.liqoctl import Ended, liqoctl
from tests.e2e.loans import SLICES, Loan, refusal

NODES = "virtualnodes.offloading.liqo.io"
GRANTED = {"cpu": "1", "memory": "1Gi", "pods": "10"}
CLASS = f"""
from liqo.classes import parse, serve
serve("custom-class", grant=lambda _: {{name: parse(each) for name, each in {GRANTED}.items()}})
"""

loan = loans.loan


@pytest.fixture
def name() -> str:
    """Of a slice or node of the test's own."""
    return f"pool-{uuid4().hex[:8]}"


def of_milan(manifest: str) -> str:
    """What the seed writes about another provider."""
    return manifest.replace("cool-firefly", "milan")


async def found(site: Site, kind: str, namespace: str, name: str) -> JSON:
    """Empty until it is there."""
    words = ("get", kind, name, "-n", namespace, "--ignore-not-found", "-o", "json")
    seen: JSON = json.loads(await site.kubectl(*words) or "{}")
    return seen


def created(seen: JSON) -> str:
    return str(seen["metadata"]["creationTimestamp"])


def is_accepted(seen: JSON) -> bool:
    said = seen.get("status", {}).get("conditions", ())
    return [each["status"] for each in said] == ["Accepted", "Accepted"]


@asynccontextmanager
async def a_class(provider: Site) -> AsyncIterator[None]:
    """Somebody who answers for the class of the seed."""
    environment = {"KUBECONFIG": str(provider.kubeconfig)}
    process = await asyncio.create_subprocess_exec(sys.executable, "-c", CLASS, env=environment)
    try:
        yield
    finally:
        process.kill()
        await process.wait()


@pytest.mark.row("C18")
async def test_a_minimal_manifest_is_completed_and_accepted(loan: Loan) -> None:
    manifest = of_milan(seeds.MINIMAL_SLICE)
    async with a_class(loan.provider):
        await loan.consumer.kubectl("apply", "-f", "-", text=manifest)
        asked = await found(loan.consumer, SLICES, loan.here, "mypool")
        assert asked["metadata"]["labels"] == {
            "liqo.io/replication": "true",
            "liqo.io/remoteID": "milan",
            "liqo.io/remote-cluster-id": "milan",
        }
        seen = partial(found, loan.consumer, SLICES, loan.here, "mypool")
        accepted = await eventually(seen, is_accepted)
    assert accepted["status"]["resources"] == GRANTED
    await loan.appears("mypool")
    node = await found(loan.consumer, NODES, loan.here, "mypool")
    assert node["spec"]["resourceQuota"]["hard"] == GRANTED


@pytest.mark.row("C11")
async def test_what_is_granted_is_limited_by_a_quota_of_the_same(loan: Loan, name: str) -> None:
    """At the same time: it stands before the consumer has a node that could use any of it."""
    words = (name, "--remote-cluster-id=milan", "--cpu=3", "--memory=2Gi", of(loan.consumer))
    ended = await liqoctl("create", "resourceslice", *words)
    assert ended.told[-1] == "INFO: ResourceSlice resources: Accepted"
    quota, kind = names.quota(name, "rome"), "quotas.offloading.liqo.io"
    limit = await eventually(partial(found, loan.provider, kind, loan.there, quota), bool)
    granted = await found(loan.provider, SLICES, loan.there, name)
    assert limit["spec"]["resources"] == granted["status"]["resources"]
    assert limit["spec"]["resources"]["cpu"] == "3"
    assert limit["spec"]["user"] == quota
    assert quota in await loan.provider.kubectl("get", kind, "-A")
    node = await eventually(partial(found, loan.consumer, NODES, loan.here, name), bool)
    assert created(limit) <= created(node)  # by the one clock of all clusters here


@pytest.mark.row("C01")
async def test_a_virtual_node_is_added_in_two_ways(loan: Loan, name: str) -> None:
    await loan.ask(name)
    await loan.appears(name)
    assert (await new_node(loan, f"{name}-more", f"--resource-slice-name={name}")).code == 0
    first, second = [
        await found(loan.consumer, NODES, loan.here, each) for each in (name, f"{name}-more")
    ]
    for field in ("clusterID", "resourceQuota", "kubeconfigSecretRef"):
        assert first["spec"][field] == second["spec"][field]


async def new_node(loan: Loan, name: str, *words: str) -> Ended:
    """Without a Node of Kubernetes, which needs a kubelet."""
    where = ("--remote-cluster-id=milan", "--create-node=false", of(loan.consumer))
    return await liqoctl("create", "virtualnode", name, *where, *words)


@pytest.mark.row("D06")
async def test_a_virtual_node_needs_its_kubeconfig_beside_it(loan: Loan, name: str) -> None:
    """Both as a manifest and by the command; right is a Secret as S0 shows it."""
    consumer, mark = loan.consumer, "liqo.io/remote-cluster-id=milan"
    mine = partial(found, consumer, "secret", loan.here, "kubeconfig-resourceslice-milan")
    key = await eventually(mine, bool)
    kubeconfig = {"kubeconfig": key["data"]["kubeconfig"]}
    for namespace, secret, content in (
        ("default", f"{name}-elsewhere", kubeconfig),
        (loan.here, f"{name}-keyless", {"password": "eA=="}),
        (loan.here, name, kubeconfig),
    ):
        await put_secret(loan, namespace, secret, content)
    try:
        for secret, by_manifest, by_command in (
            (
                f"{name}-elsewhere",
                f'there is no Secret "{name}-elsewhere" in the namespace "{loan.here}"',
                f'there is no Secret "{name}-elsewhere" in the namespace "{loan.here}"',
            ),
            (f"{name}-keyless", 'has no field "kubeconfig"', "has no key kubeconfig"),
        ):
            assert by_manifest in await refusal(
                consumer, "create", "-f", "-", text=a_node(name, secret)
            )
            ended = await new_node(loan, name, f"--kubeconfig-secret-name={secret}")
            assert ended.code == 1
            assert by_command in ended.told[-1]
        assert await found(consumer, NODES, loan.here, name) == {}
        await consumer.kubectl("create", "-f", "-", text=a_node(f"{name}-a", name))
        assert (await new_node(loan, f"{name}-b", f"--kubeconfig-secret-name={name}")).code == 0
    finally:
        await consumer.kubectl("delete", "secret", "-n", "default", "-l", mark)


async def put_secret(loan: Loan, namespace: str, name: str, content: JSON) -> None:
    marks = {"liqo.io/remote-cluster-id": "milan"}
    metadata = {"name": name, "namespace": namespace, "labels": marks}
    body = {"apiVersion": "v1", "kind": "Secret", "type": "Opaque", "metadata": metadata}
    text = json.dumps({**body, "data": content})
    await loan.consumer.kubectl("create", "-f", "-", text=text)


def a_node(name: str, secret: str) -> str:
    """The manifest of the seed, with another name and Secret."""
    body = yaml.safe_load(of_milan(seeds.NODE_OF_SECRET))
    body["metadata"]["name"] = name
    body["spec"]["kubeconfigSecretRef"]["name"] = secret
    return json.dumps(body)
