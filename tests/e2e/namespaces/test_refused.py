"""A namespace that a provider's own policy refuses: it says so at home, and holds up no other."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial

import pytest

from liqo.api.meta import JSON
from liqo.errors import LiqoError
from liqo.playground.cluster import Site
from tests.e2e.eventually import eventually
from tests.e2e.provinces import SOUTH, Province

WORDS = "no such namespace here"
AGAIN = 150  # seconds: what is refused is tried once a minute in the end


@pytest.mark.part_of_row("L13")
async def test_a_namespace_that_is_refused_holds_up_no_other(province: Province) -> None:
    turin = province.sites["turin"]
    async with province.namespace() as one, province.namespace() as other:
        refused, welcome = sorted((one, other), key=lambda town: town.name)  # it comes first
        async with refusing(turin, f"{refused.name}-rome"):
            await refused.offload(clusterSelector=SOUTH, until="AllFailed")
            found = await refused.offloading()
            assert found is not None
            [_, failed] = found.status.remote_namespaces_conditions["turin"]
            assert failed.reason == "CreationLoopBackOff"
            assert WORDS in failed.message
            await welcome.offload(clusterSelector=SOUTH)
        await eventually(refused.phase, is_="Ready", within=AGAIN)


@asynccontextmanager
async def refusing(site: Site, name: str) -> AsyncIterator[None]:
    """While this lasts, that cluster has no room for a namespace of that name."""
    chosen = {
        "apiGroups": [""],
        "apiVersions": ["v1"],
        "operations": ["CREATE"],
        "resources": ["namespaces"],
    }
    rule = {"expression": f"object.metadata.name != '{name}'", "message": WORDS}
    specs: dict[str, JSON] = {
        "ValidatingAdmissionPolicy": {
            "matchConstraints": {"resourceRules": [chosen]},
            "validations": [rule],
        },
        "ValidatingAdmissionPolicyBinding": {"policyName": name, "validationActions": ["Deny"]},
    }
    items = [
        {
            "apiVersion": "admissionregistration.k8s.io/v1",
            "kind": kind,
            "metadata": {"name": name},
            "spec": spec,
        }
        for kind, spec in specs.items()
    ]
    text = json.dumps({"apiVersion": "v1", "kind": "List", "items": items})
    await site.kubectl("create", "-f", "-", text=text)
    try:
        await eventually(partial(is_refused, site, name))
        yield
    finally:
        await site.kubectl("delete", "-f", "-", text=text)


async def is_refused(site: Site, name: str) -> bool:
    """A policy counts a moment after it was made."""
    try:
        await site.kubectl("create", "namespace", name, "--dry-run=server")
    except LiqoError as error:
        return WORDS in str(error)
    return False
