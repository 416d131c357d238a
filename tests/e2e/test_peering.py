"""From a handshake to a virtual node, and back, with everything in between broken once."""

from __future__ import annotations

from base64 import b64encode
from dataclasses import dataclass
from typing import Any

import pytest

from liqo.api import labels
from liqo.api.authentication import Identity, Renew, ResourceSlice, Tenant
from liqo.api.core import ForeignCluster
from liqo.api.kubernetes import Namespace, RoleBinding, Secret
from liqo.api.meta import JSON, Key
from liqo.api.offloading import Quota, VirtualNode
from liqo.rules import names
from liqo.rules.kubeconfig import Login, kubeconfig
from tests.e2e.account import may
from tests.e2e.controllers import Controllers, Pair, remove_tenants
from tests.e2e.eventually import eventually
from tests.e2e.peering import Peering, Side, ask, authenticate, gone, unpeer


@dataclass(frozen=True)
class World:
    """Rome borrows from Milan."""

    peering: Peering
    rome: Controllers
    milan: Controllers


@pytest.fixture
def world(strangers: Pair) -> World:
    return World(strangers.peering, strangers.rome[1], strangers.milan[1])


async def peered(peering: Peering) -> None:
    """To the end of the journey: the slice is accepted, and a virtual node is made of it."""
    await authenticate(peering)
    await ask(peering, "milan")
    await eventually(lambda: both_accepted(peering.consumer, peering.here))
    await eventually(lambda: both_accepted(peering.provider, peering.there))
    await eventually(lambda: exists(peering.consumer, VirtualNode, peering.here, "milan"))


async def both_accepted(side: Side, namespace: str) -> bool:
    found = await side.find(ResourceSlice, namespace, "milan")
    return found is not None and found.accepted("Authentication") and found.accepted("Resources")


async def exists(side: Side, kind: Any, namespace: str, name: str) -> bool:
    return await side.find(kind, namespace, name) is not None


async def secrets(side: Side, namespace: str) -> set[str]:
    listing = await side.cluster.list(Secret, resource_version="")
    return {each.metadata.name for each in listing.items if each.metadata.namespace == namespace}


async def role(side: Side, peer: str) -> str:
    found = await side.find(ForeignCluster, "", peer)
    return found.status.role if found is not None and found.status is not None else "none"


async def test_a_slice_goes_out_a_node_comes_of_it_and_nothing_stays(world: World) -> None:
    peering = world.peering
    consumer, provider = peering.consumer, peering.provider
    user = names.quota("milan", "rome")
    for _ in range(2):
        await peered(peering)
        await eventually(lambda: exists(provider, Quota, peering.there, user))
        await eventually(lambda: role(consumer, "milan"), is_="Provider")
        await eventually(lambda: role(provider, "rome"), is_="Consumer")
        await unpeer(peering)
        for kind in (ResourceSlice, Renew, Quota):
            await gone(provider, kind, peering.there)
        await eventually(lambda: secrets(consumer, peering.here), is_=set())
        await eventually(lambda: role(consumer, "milan"), is_="Unknown")
        await eventually(lambda: role(provider, "rome"), is_="Unknown")
    for side in (consumer, provider):
        await remove_tenants(side.cluster)
    await eventually(lambda: role(consumer, "milan"), is_="none")
    await eventually(lambda: role(provider, "rome"), is_="none")


async def test_r5_what_was_deleted_while_nobody_ran_leaves_no_copy(world: World) -> None:
    peering = world.peering
    await peered(peering)
    await world.rome.kill()
    await peering.consumer.delete(ResourceSlice, peering.here, "milan")
    await world.rome.start()
    await gone(peering.consumer, ResourceSlice, peering.here)
    assert not await exists(peering.provider, ResourceSlice, peering.there, "milan")


async def test_r6_a_provider_that_withdrew_our_rights_does_not_hold_us(world: World) -> None:
    peering = world.peering
    consumer, provider = peering.consumer, peering.provider
    await peered(peering)
    await world.milan.kill()
    binding = names.binding("liqo-remote-controlplane")
    await provider.cluster.delete(RoleBinding.KIND, Key(peering.there, binding))
    await eventually(lambda: may_delete_copies(peering), is_=False)
    await consumer.delete(ResourceSlice, peering.here, "milan")
    await gone(consumer, ResourceSlice, peering.here)
    await consumer.delete(Identity, peering.here, peering.identity)
    await gone(consumer, Renew, peering.here)
    secret = names.kubeconfig_secret(peering.identity)
    await eventually(lambda: exists(consumer, Secret, peering.here, secret), is_=False)
    assert await exists(provider, ResourceSlice, peering.there, "milan")


async def may_delete_copies(peering: Peering) -> bool:
    """The control plane of the consumer, on the provider."""
    where = {"namespace": peering.there, "verb": "delete", "resource": ResourceSlice.KIND.plural}
    asked = {**where, "group": ResourceSlice.KIND.group}
    return await may(peering.provider.cluster, {"user": "rome", "resourceAttributes": asked})


async def test_a_provider_that_never_answers_holds_up_no_other_and_can_be_declared_dead(
    world: World,
) -> None:
    peering, consumer = world.peering, world.peering.consumer
    lost = names.tenant_namespace("naples")
    for kind, body in ((Namespace, tenant_namespace("naples")), (Secret, unreachable(lost))):
        await consumer.apply(kind.KIND, body)
    await consumer.apply(ResourceSlice.KIND, a_request(lost))
    await peered(peering)
    await eventually(lambda: api_server_status(consumer, "naples"), is_="Error")
    await consumer.delete(ResourceSlice, lost, "naples")
    await consumer.delete(Secret, lost, "by-hand")
    dead: JSON = {"metadata": {"annotations": {labels.PERMANENTLY_UNREACHABLE: "true"}}}
    where = ForeignCluster.KIND, Key("", "naples")
    await consumer.cluster.patch(*where, dead, how="merge")
    await gone(consumer, ResourceSlice, lost)
    await eventually(lambda: secrets(consumer, lost), is_=set())
    assert await both_accepted(consumer, peering.here)


async def test_a_tenant_that_goes_first_takes_everything_with_it(world: World) -> None:
    """R7, from the other end."""
    peering = world.peering
    await peered(peering)
    await peering.provider.delete(Tenant, peering.there, "rome")
    await unpeer(peering)
    for kind in (Tenant, ResourceSlice, Renew, Quota):
        await gone(peering.provider, kind, peering.there)


async def api_server_status(side: Side, peer: str) -> str:
    found = await side.find(ForeignCluster, "", peer)
    conditions = found.status.conditions if found is not None and found.status is not None else ()
    return next((each.status for each in conditions if each.type == "APIServerStatus"), "")


def tenant_namespace(peer: str) -> JSON:
    marks = {labels.REMOTE_CLUSTER_ID: peer, labels.TENANT_NAMESPACE: "true"}
    return {"metadata": {"name": names.tenant_namespace(peer), "labels": marks}}


def unreachable(namespace: str) -> JSON:
    """A kubeconfig made by hand, of an API server where nobody listens."""
    login = Login("naples", "https://127.0.0.1:1", "rome", b"", b"")
    return {
        "metadata": {
            "name": "by-hand",
            "namespace": namespace,
            "labels": {labels.REMOTE_CLUSTER_ID: "naples", labels.IDENTITY_TYPE: "ControlPlane"},
            "annotations": {labels.REMOTE_TENANT_NAMESPACE: "liqo-tenant-rome"},
        },
        "data": {"kubeconfig": b64encode(kubeconfig(login)).decode()},
    }


def a_request(namespace: str) -> JSON:
    marks = {
        labels.REPLICATION: "true",
        labels.REMOTE_ID: "naples",
        labels.REMOTE_CLUSTER_ID: "naples",
    }
    metadata = {"name": "naples", "namespace": namespace, "labels": marks}
    return {"metadata": metadata, "spec": {"class": "default"}}
