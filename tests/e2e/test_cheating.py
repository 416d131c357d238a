"""A consumer that cheats with the rights it has, where no webhook stops it: it keeps nothing.

The controllers have the rights of an installation, and no more.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from dataclasses import dataclass
from functools import partial
from uuid import uuid4

import pytest

from liqo.api import labels
from liqo.api.authentication import Renew, ResourceSlice, Tenant
from liqo.api.kubernetes import Namespace, Pod, RoleBinding
from liqo.api.meta import JSON, Key, Resource
from liqo.api.offloading import NamespaceMap, Quota, ShadowPod
from liqo.kube.cluster import Cluster
from liqo.kube.errors import NotFound
from liqo.kube.http import Request
from liqo.kube.paths import Scope
from liqo.playground.cluster import Site
from liqo.rules import keys, names
from tests.e2e import controllers
from tests.e2e.borrower import Borrower
from tests.e2e.eventually import ENDING, eventually
from tests.e2e.peering import Side

OWN = "rome.example/held"  # a finalizer that nobody but rome would take away
RENEW = names.controlplane_identity("milan")


@dataclass(frozen=True)
class Cheat:
    """Rome, with all that a consumer has: a slice, a Quota, a Renew, a namespace and rights."""

    rome: Borrower
    there: Cluster  # milan, as rome sees it
    shop: str

    @property
    def quota(self) -> str:
        return names.user_of("pool", self.rome.id)

    async def change(self, kind: type[Resource], name: str, metadata: JSON) -> None:
        key = Key(self.rome.home, name)
        await self.there.patch(kind.KIND, key, {"metadata": metadata}, how="merge")

    async def rights(self) -> list[str]:
        """Bindings that name it, wherever they are."""
        group = "/apis/rbac.authorization.k8s.io/v1"
        found: list[JSON] = []
        for kind in ("rolebindings", "clusterrolebindings"):
            answer = await self.rome.milan.request(Request("GET", f"{group}/{kind}"))
            found += json.loads(answer)["items"]
        return [
            each["metadata"]["name"]
            for each in found
            if any(subject["name"] == self.rome.id for subject in each.get("subjects", ()))
        ]

    async def left(self) -> list[str]:
        """Of what it asked for, and of the namespace that was made for it."""
        asked = ((ResourceSlice, "pool"), (Renew, RENEW), (NamespaceMap, "milan"))
        found = [name for kind, name in asked if await self.rome.find(kind, name) is not None]
        return [*found, *((self.shop,) if await self.has_shop() else ())]

    async def has_shop(self) -> bool:
        try:
            await self.rome.milan.get(Namespace, Key("", self.shop))
        except NotFound:
            return False
        return True


@pytest.fixture(scope="module")
async def lender(milan: Site) -> AsyncIterator[Side]:
    async with controllers.installed(milan, "milan") as (lender, _):
        yield lender


@pytest.fixture
async def cheat(lender: Side) -> AsyncIterator[Cheat]:
    """Another one for every test: what stays of it is in nobody's way, and goes in the end."""
    rome = Borrower(f"rome-{uuid4().hex[:8]}", keys.new_key(tls_compatible=False), lender.cluster)
    await rome.ask_in()
    async with rome.at(await rome.admitted()) as there:
        made = Cheat(rome, there, f"shop-{rome.id}")
        # An API server takes a moment to know of rights that were just given.
        await eventually(partial(rome.replicate, there, "pool"), is_=None)
        await eventually(partial(rome.find, Quota, made.quota), is_there)
        await a_map(made)
        yield made


def is_there(seen: object) -> bool:
    return seen is not None


async def a_map(cheat: Cheat) -> None:
    body = {
        "apiVersion": NamespaceMap.KIND.api_version,
        "kind": NamespaceMap.KIND.name,
        "metadata": {"name": "milan", "labels": cheat.rome.copied()},
        "spec": {"desiredMapping": {"shop": cheat.shop}},
    }
    await cheat.there.create(body, kind=NamespaceMap.KIND, namespace=cheat.rome.home)
    bound = Key(cheat.shop, cheat.rome.home)
    await eventually(partial(cheat.rome.milan.get, RoleBinding, bound), is_there)


async def test_what_it_holds_with_finalizers_is_closed_at_once_and_goes_with_its_tenant(
    cheat: Cheat,
) -> None:
    rome = cheat.rome
    for kind, name in ((ResourceSlice, "pool"), (Renew, RENEW), (NamespaceMap, "milan")):
        await cheat.change(kind, name, {"finalizers": [OWN]})
        await cheat.there.delete(kind.KIND, Key(rome.home, name))
    held = partial(rome.get, Quota, cheat.quota)
    await eventually(held, lambda seen: seen.spec.cordoned)
    await rome.milan.delete(Tenant.KIND, Key(rome.home, rome.id))
    await eventually(partial(rome.find, Tenant, rome.id), is_=None)
    await eventually(cheat.left, is_=[], within=ENDING)
    assert await cheat.rights() == []


async def test_what_a_drained_tenant_holds_with_finalizers_goes_too(cheat: Cheat) -> None:
    for kind, name in ((ResourceSlice, "pool"), (Renew, RENEW), (NamespaceMap, "milan")):
        await cheat.change(kind, name, {"finalizers": [OWN]})
    await cheat.rome.become("Drained")
    await eventually(cheat.left, is_=[], within=ENDING)
    assert await cheat.rights() == []


@pytest.mark.parametrize("gone", [True, False])
async def test_a_tenant_that_goes_without_us_leaves_no_rights_behind(
    cheat: Cheat, gone: bool
) -> None:
    """A peering user may change its Tenant, finalizers included, where no webhook looks."""
    rome = cheat.rome
    key, held = Key(rome.home, rome.id), [] if gone else [OWN]
    before = await rome.nonce()
    both = {"metadata": {"finalizers": [labels.TENANT_FINALIZER, OWN]}}  # it stays until we say
    await rome.milan.patch(Tenant.KIND, key, both, how="merge")
    await rome.milan.delete(Tenant.KIND, key)  # ours holds it, while there are copies
    await rome.milan.patch(Tenant.KIND, key, {"metadata": {"finalizers": held}}, how="merge")
    try:
        await eventually(cheat.rights, is_=[])
        await eventually(cheat.left, is_=[], within=ENDING)
        await eventually(rome.nonce, lambda seen: seen != before)
    finally:
        if not gone:
            await rome.milan.patch(Tenant.KIND, key, {"metadata": {"finalizers": []}}, how="merge")


async def test_a_map_that_goes_without_us_takes_its_namespace_and_rights_along(
    cheat: Cheat,
) -> None:
    await cheat.change(NamespaceMap, "milan", {"finalizers": []})
    await cheat.there.delete(NamespaceMap.KIND, Key(cheat.rome.home, "milan"))
    await eventually(cheat.has_shop, is_=False, within=ENDING)
    assert cheat.rome.home not in await cheat.rights()


async def test_a_map_that_says_it_is_no_copy_keeps_nothing(cheat: Cheat) -> None:
    await cheat.change(NamespaceMap, "milan", {"labels": {labels.REPLICATED: None}})
    await eventually(cheat.has_shop, is_=False, within=ENDING)


async def test_a_pod_that_asks_for_the_file_system_of_a_node_is_refused(cheat: Cheat) -> None:
    rome = cheat.rome
    asked = await eventually(partial(rome.get, ResourceSlice, "pool"), has_credentials)
    assert asked.status.auth_params is not None
    greedy = {
        "containers": [{"name": "it", "image": "pause"}],
        "volumes": [{"name": "all", "hostPath": {"path": "/"}}],
    }
    shadow = {
        "apiVersion": ShadowPod.KIND.api_version,
        "kind": ShadowPod.KIND.name,
        "metadata": {"name": "greedy", "labels": {labels.ORIGIN: rome.id}},
        "spec": {"pod": greedy},
    }
    async with rome.at(asked.status.auth_params) as kubelet:
        create = partial(kubelet.create, shadow, kind=ShadowPod.KIND, namespace=cheat.shop)
        await eventually(create, bool)  # of these rights, too, an API server hears later
    why = 'violates PodSecurity "baseline:latest": hostPath volumes'
    # At first it may be that the namespace has no ServiceAccount yet.
    await eventually(partial(complaints, cheat), lambda said: any(why in each for each in said))
    pods = await rome.milan.list(Pod, scope=Scope(cheat.shop), resource_version="")
    assert pods.items == []


def has_credentials(seen: ResourceSlice) -> bool:
    return seen.status.auth_params is not None


async def complaints(cheat: Cheat) -> list[str]:
    """What rome is told about its ShadowPods."""
    path = f"/api/v1/namespaces/{cheat.shop}/events"
    items = json.loads(await cheat.rome.milan.request(Request("GET", path)))["items"]
    return [item["message"] for item in items if item["reason"] == "FailedCreatePod"]
