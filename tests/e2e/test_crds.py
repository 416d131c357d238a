"""A real API server takes our CRDs, the objects of the wire, and quantities as we say it does."""

import asyncio
import json
import re
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from liqo.api.crds.files import CRDS
from liqo.api.meta import JSON
from liqo.playground.cluster import Site
from liqo.playground.command import CommandError
from tests import wire

SHIPPED = Path(__file__).parents[2] / "deploy" / "crds"
TABLES = {
    "resourceslices.authentication.liqo.io": "NAMESPACE, NAME, AUTHENTICATION, RESOURCES, AGE",
    "lrs": "NAMESPACE, NAME, AUTHENTICATION, RESOURCES, AGE",
    "quotas": "NAMESPACE, NAME, ENFORCEMENT, CORDONED, AGE",
    "virtualnodes": "NAMESPACE, NAME, CLUSTERID, CREATE NODE, AGE",
    "foreignclusters": (
        "NAME, TYPE, OUTGOING PEERING, INCOMING PEERING, NETWORKING, AUTHENTICATION, AGE"
    ),
}
KEPT = {"name", "labels", "annotations"}  # the rest of an object's metadata is its cluster's
AUTOSCALER = {
    "apiVersion": "autoscaling/v2",
    "kind": "HorizontalPodAutoscaler",
    "metadata": {"name": "quantities"},
    "spec": {
        "maxReplicas": 1,
        "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "none"},
    },
}


@pytest.fixture(scope="module")
async def kinds(rome: Site) -> list[JSON]:
    """Our CRDs, as the API server has them once it serves them."""
    await rome.kubectl("apply", "--server-side", "--warnings-as-errors", f"--filename={SHIPPED}")
    established = ("wait", "--for=condition=Established", "--timeout=180s")
    await rome.kubectl(*established, f"--filename={SHIPPED}")
    answer = await rome.kubectl("get", f"--filename={SHIPPED}", "--output=json")
    installed: list[JSON] = json.loads(answer)["items"]
    return installed


@pytest.fixture
def made(namespace: str) -> list[JSON]:
    """Every object of our kinds that was seen on the wire, under a name of its own."""
    seen = [each for crd in CRDS for each in wire.captured(crd.model)]
    return [
        {
            **each,
            "metadata": {
                **{field: value for field, value in each["metadata"].items() if field in KEPT},
                "name": f"{namespace}-{number}",
            },
        }
        for number, each in enumerate(seen)
    ]


@pytest.fixture
async def stored(
    rome: Site, kinds: list[JSON], namespace: str, made: list[JSON]
) -> AsyncIterator[list[JSON]]:
    """What the API server made of them, in the same order."""
    assert kinds
    text = json.dumps({"apiVersion": "v1", "kind": "List", "items": made})
    where = ("-n", namespace, "--filename=-")
    try:
        strictly = ("--validate=strict", "--warnings-as-errors")
        await rome.kubectl("create", *where, *strictly, text=text)
        yield json.loads(await rome.kubectl("get", *where, "--output=json", text=text))["items"]
    finally:
        await rome.kubectl("delete", *where, "--ignore-not-found", text=text)


@pytest.fixture
async def autoscaler(rome: Site, namespace: str) -> AsyncIterator[str]:
    """Its status takes every quantity, negative ones included."""
    await rome.kubectl("create", "-n", namespace, "--filename=-", text=json.dumps(AUTOSCALER))
    yield "hpa/quantities"
    await rome.kubectl("delete", "-n", namespace, "hpa/quantities")


def test_every_kind_is_served_with_a_whole_schema(kinds: list[JSON]) -> None:
    assert len(kinds) == len(CRDS)
    conditions = {
        (condition["type"], condition["status"])
        for kind in kinds
        for condition in kind["status"]["conditions"]
    }
    assert conditions == {("Established", "True"), ("NamesAccepted", "True")}


async def test_every_object_that_was_seen_is_stored_as_it_was(
    made: list[JSON], stored: list[JSON]
) -> None:
    assert [each["spec"] for each in stored] == [each["spec"] for each in made]


@pytest.mark.part_of_row("K01", "K02", "K03", "K06")
@pytest.mark.usefixtures("stored")
async def test_tables_have_the_columns_that_were_promised(rome: Site) -> None:
    for kind, promised in TABLES.items():
        table = await rome.kubectl("get", kind, "--all-namespaces")
        assert re.split(r"\s{2,}", table.splitlines()[0].strip()) == promised.split(", ")


@pytest.mark.usefixtures("kinds")
async def test_a_pod_of_a_newer_kubernetes_keeps_its_fields(rome: Site, namespace: str) -> None:
    pod = {"containers": [{"name": "web", "newer": {"deep": [1]}}], "alsoNewer": True}
    template = {"selector": {"matchLabels": {"a": "b"}}, "template": {"spec": pod}}
    node = {
        "apiVersion": "offloading.liqo.io/v1beta1",
        "kind": "VirtualNode",
        "metadata": {"name": "newer"},
        "spec": {"template": {"spec": template}},
    }
    answer = await rome.kubectl(
        "create", "-n", namespace, "--filename=-", "--output=json", text=json.dumps(node)
    )
    assert json.loads(answer)["spec"]["template"]["spec"]["template"]["spec"] == pod


async def test_quantities_are_read_back_as_the_table_says(
    rome: Site, namespace: str, autoscaler: str
) -> None:
    accepted = {written: read for written, read in wire.quantities().items() if read is not None}
    answer = await set_quantities(rome, namespace, autoscaler, *accepted)
    metrics = json.loads(answer)["status"]["currentMetrics"]
    stored = [metric["external"]["current"]["value"] for metric in metrics]
    assert dict(zip(accepted, stored, strict=True)) == accepted


async def test_spellings_that_the_table_calls_refused_are_refused(
    rome: Site, namespace: str, autoscaler: str
) -> None:
    limit = asyncio.Semaphore(2)

    async def refuses(written: str) -> None:
        async with limit:
            with pytest.raises(CommandError, match=r"quantities must match|unable to parse"):
                await set_quantities(rome, namespace, autoscaler, written)

    async with asyncio.TaskGroup() as tasks:
        for written, read in wire.quantities().items():
            if read is None:
                tasks.create_task(refuses(written))


async def set_quantities(site: Site, namespace: str, autoscaler: str, *written: str) -> str:
    metrics = [
        {"type": "External", "external": {"metric": {"name": "any"}, "current": {"value": each}}}
        for each in written
    ]
    patch = {"status": {"currentMetrics": metrics, "desiredReplicas": 0}}
    return await site.kubectl(
        "patch",
        *("-n", namespace, autoscaler, "--subresource=status", "--type=merge", "--output=json"),
        f"--patch={json.dumps(patch)}",
    )
