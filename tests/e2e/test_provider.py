"""The side that lends: who shows who it is gets exactly its rights, and everybody else nothing."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from functools import partial
from uuid import uuid4

import msgspec
import orjson
import pytest

from liqo.api.authentication import Renew, ResourceSlice, Tenant
from liqo.api.kubernetes import Node, Secret
from liqo.api.meta import JSON, Key, Kind
from liqo.api.offloading import Quota
from liqo.kube.cluster import Cluster
from liqo.kube.errors import Forbidden
from liqo.kube.http import Request
from liqo.kube.kubeconfig import from_kubeconfig
from liqo.kube.paths import Scope
from liqo.playground.cluster import Site
from liqo.rules import handshake, keys, names
from liqo.runtime.events import EVENT
from tests.e2e.borrower import Borrower
from tests.e2e.clusters import user_of
from tests.e2e.eventually import eventually
from tests.e2e.lending import CONTROL_PLANE_RULES, lending

MAY = Kind("authorization.k8s.io", "v1", "SelfSubjectRulesReview", "selfsubjectrulesreviews", False)
OURS = ("authentication.liqo.io", "offloading.liqo.io")


@pytest.fixture(scope="module")
async def lender(milan: Site, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Site]:
    logs = tmp_path_factory.mktemp("provider") / "controllers.log"
    async with lending(milan, f"liqo-{uuid4().hex[:8]}", logs):
        yield milan


@pytest.fixture
async def rome(lender: Site) -> AsyncIterator[Borrower]:
    """A consumer of the test's own."""
    async with Cluster(from_kubeconfig(str(lender.kubeconfig)), name="milan") as milan:
        borrower = Borrower(f"rome-{uuid4().hex[:8]}", keys.new_key(tls_compatible=False), milan)
        try:
            yield borrower
        finally:
            await borrower.leave()


def is_there(seen: object) -> bool:
    return seen is not None


async def rules(there: Cluster, namespace: str) -> list[JSON]:
    """What one may do there with objects of our kinds and of Kubernetes' core."""
    body = {"apiVersion": MAY.api_version, "kind": MAY.name, "spec": {"namespace": namespace}}
    answer = await there.create(body, kind=MAY)
    found = answer["status"]["resourceRules"]
    return [rule for rule in found if set(rule["apiGroups"]) & {*OURS, "", "*"}]


async def platform(rome: Borrower) -> dict[str, str]:
    """Of all nodes of the playground: they share one machine."""
    found = await rome.milan.list(Node, resource_version="")
    marks = found.items[0].metadata.labels
    return {name: marks[name] for name in ("kubernetes.io/arch", "kubernetes.io/os")}


async def events(rome: Borrower) -> set[str]:
    path = f"/api/v1/namespaces/{rome.home}/{EVENT.plural}"
    items = orjson.loads(await rome.milan.request(Request("GET", path)))["items"]
    return {item["reason"] for item in items}


async def test_who_has_signed_is_let_in_with_exactly_its_rights(rome: Borrower) -> None:
    await rome.ask_in()
    async with rome.at(await rome.admitted()) as there:
        assert await user_of(there) == rome.id
        assert await rules(there, rome.home) == CONTROL_PLANE_RULES
        assert await rules(there, "default") == []
        with pytest.raises(Forbidden):
            await there.list(Secret, scope=Scope(rome.home))


@pytest.mark.part_of_row("C11", "C12", "C13", "C20")
async def test_what_is_asked_for_is_granted_and_remembered_were_it_more_than_there_is(
    rome: Borrower,
) -> None:
    await rome.ask_in()
    admitted = await rome.admitted()
    async with rome.at(admitted) as there:
        await rome.replicate(there, "pool", resources={"cpu": "8000"})
        accepted = {"Authentication": "Accepted", "Resources": "Accepted"}
        await eventually(partial(rome.answers, "pool"), is_=accepted)
    granted = (await rome.get(ResourceSlice, "pool")).status
    user = names.user_of("pool", rome.id)
    quota = await eventually(partial(rome.find, Quota, user), is_there)
    assert quota is not None
    assert quota.spec.resources == granted.resources
    assert (quota.spec.limits_enforcement, quota.spec.cordoned) == ("None", False)
    assert granted.resources["cpu"] == "8000"
    assert granted.node_labels == {"region": "B", **await platform(rome)}
    assert granted.auth_params is not None
    async with rome.at(granted.auth_params) as there:
        assert await user_of(there) == user
        with pytest.raises(Forbidden):
            await there.list(ResourceSlice, scope=Scope(rome.home))
    renewed = partial(rome.get, Renew, "controlplane-milan")
    await eventually(renewed, lambda renew: renew.status.auth_params == admitted)


@pytest.mark.part_of_row("C07", "L02")
async def test_who_asks_for_nothing_in_particular_is_granted_the_defaults(rome: Borrower) -> None:
    await rome.ask_in()
    async with rome.at(await rome.admitted()) as there:
        await rome.replicate(there, "pool")
    answered = await eventually(partial(rome.get, ResourceSlice, "pool"), has_credentials)
    assert answered.status.resources == {
        "cpu": "4",
        "memory": "8Gi",
        "pods": "110",
        "ephemeral-storage": "20Gi",
    }


@pytest.mark.part_of_row("C16")
async def test_the_controller_of_another_class_decides_what_is_granted(rome: Borrower) -> None:
    await rome.ask_in()
    async with rome.at(await rome.admitted()) as there:
        await rome.replicate(there, "half", **{"class": "half", "resources": {"cpu": "8"}})
    asked = await eventually(partial(rome.get, ResourceSlice, "half"), has_credentials)
    assert [each.type for each in asked.status.conditions] == ["Authentication"]
    granted = {"type": "Resources", "status": "Accepted", "reason": "Half", "message": "half"}
    conditions = [*msgspec.to_builtins(asked.status.conditions), granted]
    change = {"status": {"resources": {"cpu": "4"}, "conditions": conditions}}
    await rome.milan.patch(ResourceSlice.KIND, asked.key, change, how="merge", subresource="status")
    user = names.user_of("half", rome.id)
    quota = await eventually(partial(rome.find, Quota, user), is_there)
    assert quota is not None
    assert quota.spec.resources == {"cpu": "4"}


async def test_S7_a_consumer_that_accepts_its_own_slice_while_cordoned_gains_nothing(
    rome: Borrower,
) -> None:
    await rome.ask_in()
    async with rome.at(await rome.admitted()) as there:
        await rome.become("Cordoned")
        await rome.replicate(there, "greedy", resources={"cpu": "1000"})
        denied = {"Authentication": "Accepted", "Resources": "Denied"}
        await eventually(partial(rome.answers, "greedy"), is_=denied)
        lie = {"type": "Resources", "status": "Accepted", "reason": "Mine", "message": "mine"}
        key = Key(rome.home, "greedy")
        change = {"status": {"conditions": [lie], "resources": {"cpu": "1000"}}}
        await there.patch(ResourceSlice.KIND, key, change, how="merge", subresource="status")
        await eventually(partial(rome.answers, "greedy"), is_=denied)
    assert await rome.find(Quota, names.user_of("greedy", rome.id)) is None


async def test_a_drained_tenant_loses_all_and_an_active_one_has_it_back(rome: Borrower) -> None:
    await rome.ask_in()
    async with rome.at(await rome.admitted()) as there:
        await rome.replicate(there, "pool")
        await eventually(partial(rome.find, Quota, names.user_of("pool", rome.id)), is_there)
        await rome.become("Cordoned")
        quota = partial(rome.get, Quota, names.user_of("pool", rome.id))
        await eventually(quota, lambda seen: seen.spec.cordoned)
        await rome.become("Drained")
        await eventually(partial(rules, there, rome.home), is_=[])
        await eventually(partial(rome.find, ResourceSlice, "pool"), is_=None)
        await rome.become("Active")
        await eventually(partial(rules, there, rome.home), bool)
        await rome.replicate(there, "pool")
        await eventually(quota, lambda seen: not seen.spec.cordoned)


async def test_a_tampered_signature_opens_nothing(rome: Borrower) -> None:
    await rome.ask_in(signature=b"x" * 64)
    await eventually(partial(events, rome), lambda seen: "SignatureVerificationFailed" in seen)
    assert (await rome.get(Tenant, rome.id)).status.auth_params is None


async def test_S2_a_signature_is_worth_nothing_once_its_tenant_is_deleted(rome: Borrower) -> None:
    used = handshake.sign(rome.pem, await rome.nonce())
    await rome.ask_in(signature=used)
    await rome.admitted()
    await rome.milan.delete(Tenant.KIND, Key(rome.home, rome.id))
    await eventually(partial(rome.find, Tenant, rome.id), is_=None)
    await rome.ask_in(signature=used)
    await eventually(partial(events, rome), lambda seen: "SignatureVerificationFailed" in seen)
    assert (await rome.get(Tenant, rome.id)).status.auth_params is None


async def test_R1_a_second_cluster_with_the_same_id_is_refused_and_a_reinstalled_one_is_not(
    rome: Borrower,
) -> None:
    await rome.ask_in()
    first = await rome.admitted()
    other = replace(rome, key=keys.new_key(tls_compatible=False))
    async with rome.at(first) as there:
        await rome.replicate(there, "pool")
        await eventually(partial(rome.find, ResourceSlice, "pool"), is_there)
        await other.ask_in()
        await eventually(partial(events, rome), lambda seen: "InvalidCSR" in seen)
        assert (await rome.get(Tenant, rome.id)).status.auth_params == first
        for kind, name in ((ResourceSlice, "pool"), (Renew, "controlplane-milan")):
            await there.delete(kind.KIND, Key(rome.home, name))
    assert other.is_ours(await other.admitted())


def has_credentials(seen: ResourceSlice) -> bool:
    return seen.status.auth_params is not None
