"""Two clusters that borrow from each other share a namespace: what a peer may write there."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest

from liqo.api.authentication import Renew, ResourceSlice, Tenant
from liqo.api.kubernetes import Secret
from liqo.api.meta import JSON, Key
from liqo.api.offloading import NamespaceMap
from liqo.kube.cluster import Cluster
from liqo.kube.errors import Forbidden, KubeError, ServerFault
from liqo.kube.http import Request
from liqo.kube.paths import Scope, collection
from liqo.webhooks.configuration import Choices
from tests.e2e.asked import Asked, a_slice, asked, unique
from tests.e2e.control_plane import free_port
from tests.e2e.eventually import eventually

SHARED = (ResourceSlice, Renew, NamespaceMap)
every_kind = pytest.mark.parametrize("model", SHARED)


@pytest.fixture(scope="module")
async def milan(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Asked]:
    async with asked(tmp_path_factory.mktemp("trespass")) as made:
        port = free_port()
        await made.start(port)
        await made.ask_at(port)
        yield made


def a_thing(model: Any, namespace: str, name: str, labels: JSON) -> JSON:
    return {
        "apiVersion": model.KIND.api_version,
        "kind": model.KIND.name,
        "metadata": {"name": name, "namespace": namespace, "labels": labels},
        "spec": {"class": "default"} if model is ResourceSlice else {},
    }


def ours_for(rome: str) -> JSON:
    marks = ("liqo.io/remoteID", "liqo.io/remote-cluster-id")
    return {"liqo.io/replication": "true", **dict.fromkeys(marks, rome)}


def copy_of(rome: str) -> JSON:
    marks = {"liqo.io/replicated": "true", "liqo.io/replication": "false"}
    return {**marks, "liqo.io/originID": rome, "liqo.io/remoteID": "milan"}


async def create(cluster: Cluster, model: Any, body: JSON) -> JSON:
    return await cluster.create(body, kind=model.KIND, namespace=body["metadata"]["namespace"])


async def merge(cluster: Cluster, model: Any, key: Key, change: JSON, part: str = "") -> JSON:
    return await cluster.patch(model.KIND, key, change, how="merge", subresource=part)


async def names(milan: Asked, model: Any, namespace: str) -> set[str]:
    found = await milan.admin.list(model, scope=Scope(namespace), resource_version="")
    return {each.metadata.name for each in found.items}


@every_kind
async def test_a_peer_leaves_what_we_ask_of_it_alone(milan: Asked, model: Any) -> None:
    rome = unique("rome")
    home, key = await milan.tenant_namespace(rome), Key(f"liqo-tenant-{rome}", unique("ours"))
    await create(milan.admin, model, a_thing(model, home, key.name, ours_for(rome)))
    own = "copies of their own objects"
    async with milan.user(rome, "liqo.io") as peer:
        for change in ({"spec": {"x": "y"}}, {"metadata": {"labels": copy_of(rome)}}):
            with pytest.raises(Forbidden, match=own):
                await merge(peer, model, key, change)
        with pytest.raises(Forbidden, match=own):
            await peer.delete(model.KIND, key)
        with pytest.raises(Forbidden, match=own):
            await peer.request(Request("DELETE", collection(model.KIND, home)))
        with pytest.raises(Forbidden, match="can't write the status"):
            await merge(
                peer, model, key, {"status": {}, "metadata": {"labels": {"x": "y"}}}, "status"
            )
    assert await names(milan, model, home) == {key.name}


@every_kind
async def test_a_peer_writes_its_own_copies_but_neither_status_nor_finalizers(
    milan: Asked, model: Any
) -> None:
    rome = unique("rome")
    home = await milan.tenant_namespace(rome)
    key = Key(home, unique("copy"))
    async with milan.user(rome, "liqo.io") as peer:
        await create(peer, model, a_thing(model, home, key.name, copy_of(rome)))
        await merge(peer, model, key, {"metadata": {"annotations": {"colour": "red"}}})
        with pytest.raises(Forbidden, match="can't write the status"):
            await merge(peer, model, key, {"metadata": {"labels": {"x": "y"}}}, "status")
        await merge(milan.admin, model, key, {"metadata": {"finalizers": ["milan/holds"]}})
        with pytest.raises(Forbidden, match="can't change the finalizers"):
            await merge(peer, model, key, {"metadata": {"finalizers": []}})
        await peer.delete(model.KIND, key)
        with pytest.raises(Forbidden, match="can't change the finalizers"):
            await merge(peer, model, key, {"metadata": {"finalizers": []}})
    await merge(milan.admin, model, key, {"metadata": {"finalizers": []}})
    assert await names(milan, model, home) == set()


@every_kind
async def test_a_peer_makes_no_copy_in_the_name_of_another(milan: Asked, model: Any) -> None:
    rome = unique("rome")
    home = await milan.tenant_namespace(rome)
    async with milan.user(rome, "liqo.io") as peer:
        for labels in (copy_of("venice"), ours_for(rome), {}):
            with pytest.raises(Forbidden, match="can only make copies"):
                await create(peer, model, a_thing(model, home, unique("x"), labels))


def a_secret(namespace: str, name: str, kind: str = "Opaque", **labels: str) -> JSON:
    return {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {"name": name, "namespace": namespace, "labels": labels},
        "type": kind,
    }


async def test_a_peering_user_asks_for_a_nonce_and_plants_no_credential(milan: Asked) -> None:
    rome = unique("rome")
    home = await milan.tenant_namespace(rome)
    whose = {"liqo.io/remote-cluster-id": rome}
    nonce = a_secret(home, "liqo-nonce", **whose, **{"liqo.io/nonce": "true"})
    identity = {"liqo.io/identity-type": "ControlPlane", **whose}
    token = a_secret(home, "token", "kubernetes.io/service-account-token")
    token["metadata"]["annotations"] = {"kubernetes.io/service-account.name": "vk-rome"}
    planted = [
        a_secret(home, "kubeconfig", **identity),
        a_secret(home, "liqo-nonce", **identity),
        a_secret(home, "liqo-remote-certificate", **whose),
        a_secret(home, "liqo-signed-nonce", **whose, **{"liqo.io/signed-nonce": "true"}),
        {**nonce, "stringData": {"nonce": "mine"}},
        token,
    ]
    ours = a_secret(home, "ours", **identity)
    await create(milan.admin, Secret, ours)
    async with milan.user(f"liqo-peer-user-{rome}-0123", "liqo.io") as peer:
        for body in planted:
            with pytest.raises(Forbidden, match="no other Secret is its to write"):
                await create(peer, Secret, body)
        with pytest.raises(Forbidden, match="no other Secret is its to write"):
            await peer.delete(Secret.KIND, Key(home, "ours"))
        await create(peer, Secret, nonce)
        with pytest.raises(Forbidden, match="no other Secret is its to write"):
            await merge(peer, Secret, Key(home, "liqo-nonce"), {"metadata": {"labels": identity}})
        await peer.delete(Secret.KIND, Key(home, "liqo-nonce"))
    assert await names(milan, Secret, home) == {"ours"}


async def test_a_silent_webhook_opens_nothing_to_peers(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    """Where the installation chose that silence is consent; what is a peer's own it may delete."""
    async with asked(tmp_path_factory.mktemp("silence")) as milan:
        rome = unique("rome")
        home = await milan.tenant_namespace(rome)
        ours, copy = Key(home, "ours"), Key(home, "copy")
        await create(milan.admin, Renew, a_thing(Renew, home, ours.name, ours_for(rome)))
        await create(milan.admin, Renew, a_thing(Renew, home, copy.name, copy_of(rome)))
        await create(milan.admin, ResourceSlice, a_thing(ResourceSlice, home, "a", copy_of(rome)))
        await milan.configure(free_port(), Choices("Ignore"))

        async with milan.user(rome, "liqo.io") as peer:

            async def is_asked() -> bool:
                try:
                    await merge(peer, Renew, ours, {"metadata": {"annotations": {"x": "y"}}})
                except KubeError:
                    return True
                return False

            await eventually(is_asked)
            cordon = {"metadata": {"annotations": {"liqo.io/cordon": "false"}}}
            tenant = a_thing(Tenant, home, rome, {})
            tenant["spec"] = {"clusterID": rome}
            for write in (
                peer.delete(Renew.KIND, ours),
                merge(peer, Renew, ours, {"spec": {}}),
                merge(peer, ResourceSlice, Key(home, "a"), cordon),
                merge(peer, ResourceSlice, Key(home, "a"), {"status": {}}, "status"),
                create(peer, Secret, a_secret(home, "x", **{"liqo.io/identity-type": "x"})),
                create(peer, Tenant, tenant),
            ):
                with pytest.raises(ServerFault, match="failed calling webhook"):
                    await write
            await peer.delete(Renew.KIND, copy)
        assert await names(milan, Renew, home) == {"ours"}
        # Everybody else goes on.
        await create(milan.admin, Tenant, tenant)
        await create(milan.admin, Secret, a_secret(home, "x"))
        await create(milan.admin, ResourceSlice, a_slice(home, unique("pool")))
