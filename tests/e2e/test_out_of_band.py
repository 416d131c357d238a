"""What the token of a printed peering command may do, who is denied, and what expires."""

from __future__ import annotations

from functools import partial
from uuid import uuid4

import pytest

from liqo.api import labels
from liqo.api.authentication import PeeringClaim, Tenant
from liqo.api.kubernetes import ClusterRoleBinding, Namespace, ServiceAccount
from liqo.api.meta import Key
from liqo.cli.objects import body
from liqo.kube.errors import Forbidden
from liqo.kube.paths import Scope
from liqo.rules import tenancy
from liqo.runtime.plan import Manifest
from tests.e2e.claiming import claim, holding, print_command
from tests.e2e.controllers import Pair
from tests.e2e.eventually import ENDING, eventually
from tests.e2e.peering import Peering, Side, authenticate, gone

ANOTHER = body(Manifest(PeeringClaim.KIND, {"metadata": {"name": "x", "namespace": "liqo"}}))


@pytest.fixture
def peering(strangers: Pair) -> Peering:
    return strangers.peering


async def test_a_token_may_claim_once_and_nothing_else(peering: Peering) -> None:
    consumer, provider = peering.consumer, peering.provider
    command = await print_command(provider)
    async with holding(command, provider) as there:
        with pytest.raises(Forbidden):
            await there.get(Tenant, Key("liqo", "rome"))
        with pytest.raises(Forbidden):
            await there.list(PeeringClaim, scope=Scope("liqo"))
        assert (await claim(command, consumer, there)).status.phase == "Ready"
        own = Scope("liqo", fields=f"metadata.name={command.name}")  # as who watches it asks
        assert len((await there.list(PeeringClaim, scope=own)).items) == 1
        with pytest.raises(Forbidden):
            await there.create(ANOTHER, kind=PeeringClaim.KIND, namespace="liqo")
    await provider.delete(ServiceAccount, "liqo", command.name)
    await gone(provider, PeeringClaim, "liqo")


async def test_an_id_that_is_known_with_another_key_is_denied(peering: Peering) -> None:
    consumer, provider = peering.consumer, peering.provider
    await authenticate(peering)
    command = await print_command(provider)
    impostor = Side(consumer.id, provider.cluster)  # has another key pair than rome
    async with holding(command, provider) as there:
        denied = await claim(command, impostor, there)
        assert denied.status.phase == "Denied"
        assert "another cluster with the ID rome" in denied.status.message
        with pytest.raises(Forbidden):
            await there.get(Tenant, Key(peering.there, "rome"))
    again = await print_command(provider)
    async with holding(again, provider) as there:
        assert (await claim(again, consumer, there)).status.phase == "Ready"


async def test_an_id_that_has_rights_on_the_provider_already_is_denied(peering: Peering) -> None:
    """It would be a user and a group there, and have them."""
    consumer, provider = peering.consumer, peering.provider
    role = {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "view"}
    group = {"apiGroup": role["apiGroup"], "kind": "Group", "name": consumer.id}
    name = f"held-{uuid4().hex[:8]}"
    given = {"metadata": {"name": name}, "roleRef": role, "subjects": [group]}
    await provider.apply(ClusterRoleBinding.KIND, given)
    try:
        command = await print_command(provider)
        async with holding(command, provider) as there:
            denied = await claim(command, consumer, there)
            assert denied.status.phase == "Denied"
            assert "rome is a user or a group of the provider already" in denied.status.message
            with pytest.raises(Forbidden):
                await there.get(Tenant, Key(peering.there, "rome"))
    finally:
        await provider.delete(ClusterRoleBinding, "", name)
    again = await print_command(provider)
    async with holding(again, provider) as there:
        assert (await claim(again, consumer, there)).status.phase == "Ready"


async def test_a_namespace_that_is_in_the_way_is_named_and_labelled_it_is_the_one(
    peering: Peering,
) -> None:
    consumer, provider = peering.consumer, peering.provider
    home = Key("", peering.there)
    await eventually(partial(provider.find, Namespace, "", home.name), is_=None, within=ENDING)
    await provider.apply(Namespace.KIND, {"metadata": {"name": home.name}})
    try:
        command = await print_command(provider)
        async with holding(command, provider) as there:
            denied = await claim(command, consumer, there)
            assert denied.status.phase == "Denied"
            assert f"a namespace {home.name} that is not labelled" in denied.status.message
            marks = {"metadata": {"labels": tenancy.namespace_labels(consumer.id)}}
            await provider.cluster.patch(Namespace.KIND, home, marks, how="merge")

            async def phase() -> object:
                return (await there.get(PeeringClaim, command.account)).status.phase

            await eventually(phase, is_="Ready")
    finally:
        await provider.delete(Namespace, "", home.name)


async def test_what_expires_unused_goes_with_all_that_was_made_for_it(peering: Peering) -> None:
    consumer, provider = peering.consumer, peering.provider
    command = await print_command(provider)
    async with holding(command, provider) as there:
        assert (await claim(command, consumer, there)).status.phase == "Ready"
    past = {"metadata": {"annotations": {labels.EXPIRES_AT: "2026-01-01T00:00:00Z"}}}
    await provider.cluster.patch(ServiceAccount.KIND, command.account, past, how="merge")
    home = partial(provider.find, Namespace, "", peering.there)
    await eventually(home, is_=None, within=ENDING)
    for kind in (PeeringClaim, ServiceAccount):
        await eventually(partial(provider.find, kind, "liqo", command.name), is_=None)
