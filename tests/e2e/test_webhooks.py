"""What a real API server stores, changes or refuses once it asks our webhook."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import AsyncIterator
from typing import Any

import pytest

from liqo.api.authentication import ResourceSlice, Tenant
from liqo.api.core import ForeignCluster
from liqo.api.kubernetes import Node, Pod, Secret
from liqo.api.meta import JSON, Key
from liqo.api.offloading import VirtualNode, VkOptionsTemplate
from liqo.kube.cluster import Cluster
from liqo.kube.errors import Forbidden, Invalid, Refused
from tests.e2e.asked import LIQO, Asked, a_slice, asked, unique
from tests.e2e.control_plane import free_port

STATUS = {"conditions": [{"type": "Resources", "status": "Accepted"}]}


@pytest.fixture(scope="module")
async def milan(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Asked]:
    async with asked(tmp_path_factory.mktemp("webhooks")) as made:
        port = free_port()
        await made.start(port)
        await made.ask_at(port)
        yield made


def a_tenant(namespace: str, cluster_id: str, **spec: str) -> JSON:
    return {
        "apiVersion": Tenant.KIND.api_version,
        "kind": "Tenant",
        "metadata": {"name": cluster_id, "namespace": namespace},
        "spec": {"clusterID": cluster_id, **spec},
    }


def a_copy(namespace: str, name: str, origin: str, **spec: Any) -> JSON:
    """What a consumer's replicator makes here."""
    marks = {
        "liqo.io/replicated": "true",
        "liqo.io/replication": "false",
        "liqo.io/originID": origin,
        "liqo.io/remoteID": "milan",
        "liqo.io/remote-cluster-id": "milan",
    }
    body = a_slice(namespace, name, {"class": "default", "consumerClusterID": origin, **spec})
    return {**body, "metadata": {**body["metadata"], "labels": marks}}


async def create(cluster: Cluster, model: Any, body: JSON) -> JSON:
    namespace = body["metadata"].get("namespace", "")
    return await cluster.create(body, kind=model.KIND, namespace=namespace)


async def merge(cluster: Cluster, model: Any, key: Key, change: JSON) -> JSON:
    """A change of the status goes where that is written."""
    part = "status" if "status" in change else ""
    return await cluster.patch(model.KIND, key, change, how="merge", subresource=part)


async def test_S4_a_peering_user_cannot_lift_its_own_cordon(milan: Asked) -> None:
    rome = unique("rome")
    home = await milan.tenant_namespace(rome)
    key = Key(home, rome)
    async with milan.user(f"liqo-peer-user-{rome}-0123", "liqo.io") as peer:
        made = await create(peer, Tenant, a_tenant(home, rome, authzPolicy="TolerateNoHandshake"))
        assert made["spec"]["authzPolicy"] == "KeysExchange"
        assert made["metadata"]["labels"] == {"liqo.io/remote-cluster-id": rome}
        await merge(milan.admin, Tenant, key, {"spec": {"tenantCondition": "Cordoned"}})
        again = {"spec": {"tenantCondition": "Active", "csr": b64encode(b"new").decode()}}
        after = await merge(peer, Tenant, key, again)
        assert after["spec"]["tenantCondition"] == "Cordoned"
        assert after["spec"]["csr"] == again["spec"]["csr"]
    freed = await merge(milan.admin, Tenant, key, {"spec": {"tenantCondition": "Active"}})
    assert freed["spec"]["tenantCondition"] == "Active"


async def test_S4_a_peer_cannot_exempt_its_tenant_from_review(milan: Asked) -> None:
    rome = unique("rome")
    home = await milan.tenant_namespace(rome)
    body = a_tenant(home, rome, authzPolicy="TolerateNoHandshake")
    body["metadata"]["labels"] = {"liqo.io/webhook-skip": "true"}
    body["metadata"]["deletionTimestamp"] = "2020-01-01T00:00:00Z"
    async with milan.user(f"liqo-peer-user-{rome}-0123", "liqo.io") as peer:
        made = await create(peer, Tenant, body)
    assert made["spec"]["authzPolicy"] == "KeysExchange"


async def test_a_tenant_outside_of_its_namespace_is_refused_in_the_words_of_the_wire(
    milan: Asked,
) -> None:
    rome, turin = unique("rome"), unique("turin")
    home = await milan.tenant_namespace(rome)
    with pytest.raises(Invalid, match="must be created in a tenant namespace"):
        await create(milan.admin, Tenant, a_tenant(LIQO, rome))
    with pytest.raises(Forbidden, match="the same cluster ID of its tenant namespace"):
        await create(milan.admin, Tenant, a_tenant(home, turin))
    await create(milan.admin, Tenant, a_tenant(home, rome))
    second = a_tenant(home, rome)
    second["metadata"]["name"] = turin
    with pytest.raises(Forbidden, match="a Tenant already exists in the tenant namespace"):
        await create(milan.admin, Tenant, second)


async def test_S7_a_consumer_cannot_accept_its_own_slice(milan: Asked) -> None:
    rome = unique("rome")
    home = await milan.tenant_namespace(rome)
    name = unique("pool")
    async with milan.user(rome, "liqo.io") as consumer:
        await create(consumer, ResourceSlice, a_copy(home, name, rome))
        with pytest.raises(Forbidden, match="can't write the status"):
            await merge(consumer, ResourceSlice, Key(home, name), {"status": STATUS})
    stored = await milan.admin.get(ResourceSlice, Key(home, name))
    assert stored.status.conditions == ()
    await merge(milan.admin, ResourceSlice, Key(home, name), {"status": STATUS})


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (
            {"metadata": {"annotations": {"liqo.io/cordon-tenant": None}}},
            "can't delete the liqo.io/cordon-tenant annotation",
        ),
        (
            {"metadata": {"annotations": {"liqo.io/cordon": "false"}}},
            "control plane users can't add the liqo.io/cordon annotation",
        ),
        ({"spec": {"class": "gold"}}, "can't change spec.class"),
        ({"spec": {"consumerClusterID": "venice"}}, "can't change spec.consumerClusterID"),
        (
            {"metadata": {"labels": {"liqo.io/remote-cluster-id": None}}},
            "can't delete the remoteClusterID label",
        ),
    ],
)
async def test_S9_a_consumer_cannot_change_what_its_provider_decided(
    milan: Asked, change: JSON, words: str
) -> None:
    rome = unique("rome")
    home = await milan.tenant_namespace(rome)
    key = Key(home, unique("pool"))
    async with milan.user(rome, "liqo.io") as consumer:
        await create(consumer, ResourceSlice, a_copy(home, key.name, rome))
        cordoned = {"metadata": {"annotations": {"liqo.io/cordon-tenant": "true"}}}
        await merge(milan.admin, ResourceSlice, key, cordoned)
        await merge(milan.admin, ResourceSlice, key, {"status": STATUS})
        with pytest.raises(Forbidden, match=words):
            await merge(consumer, ResourceSlice, key, change)
        more = {"spec": {"resources": {"cpu": "8"}}}
        assert (await merge(consumer, ResourceSlice, key, more))["spec"]["class"] == "default"


async def test_a_consumer_can_only_make_copies(milan: Asked) -> None:
    """Any other would be a request of ours, and the node made of it would be the consumer's."""
    rome = unique("rome")
    home = await milan.tenant_namespace(rome)
    async with milan.user(rome, "liqo.io") as consumer:
        with pytest.raises(Forbidden, match="can only make copies"):
            await create(consumer, ResourceSlice, a_slice(home, unique("pool")))


@pytest.mark.part_of_row("C18")
async def test_C18_a_minimal_manifest_is_completed(milan: Asked) -> None:
    turin = unique("turin")
    home = await milan.tenant_namespace(turin)
    body = a_slice(home, unique("pool"), {"class": "custom-class", "providerClusterID": turin})
    made = await create(milan.admin, ResourceSlice, body)
    assert made["metadata"]["labels"] == {
        "liqo.io/replication": "true",
        "liqo.io/remoteID": turin,
        "liqo.io/remote-cluster-id": turin,
    }
    assert made["metadata"]["annotations"] == {"liqo.io/create-virtual-node": "true"}
    assert made["spec"] == {"class": "custom-class", "providerClusterID": turin}
    least = await create(milan.admin, ResourceSlice, a_slice(home, unique("pool")))
    assert least["spec"] == {"class": "default", "providerClusterID": turin}


async def test_a_slice_of_a_name_that_is_taken_is_refused(milan: Asked) -> None:
    name = unique("pool")
    here, there = [await milan.tenant_namespace(unique("turin")) for _ in range(2)]
    await create(milan.admin, ResourceSlice, a_slice(here, name))
    with pytest.raises(Forbidden, match="a resourceslice with the same name already exists"):
        await create(milan.admin, ResourceSlice, a_slice(there, name))


@pytest.mark.parametrize("amount", ["1e99999999999", "-1", "9" * 5000, "9Ei", "1e999"])
async def test_an_amount_that_does_not_exist_is_refused(milan: Asked, amount: str) -> None:
    home = await milan.tenant_namespace(unique("turin"))
    body = a_slice(home, unique("pool"), {"resources": {"cpu": amount}})
    with pytest.raises(Refused) as refusal:
        await create(milan.admin, ResourceSlice, body)
    assert "spec.resources" in str(refusal.value)
    assert len(str(refusal.value)) < 1000


async def test_a_slice_that_belongs_nowhere_is_refused(milan: Asked) -> None:
    with pytest.raises(Invalid, match='"liqo" is none'):
        await create(milan.admin, ResourceSlice, a_slice(LIQO, unique("pool")))
    turin = unique("turin")
    home = await milan.tenant_namespace(turin)
    body = a_slice(home, unique("pool"), {"providerClusterID": "venice"})
    with pytest.raises(Invalid, match=f'belongs to "{turin}"'):
        await create(milan.admin, ResourceSlice, body)


async def test_a_foreign_cluster_is_found_by_its_label(milan: Asked) -> None:
    name = unique("turin")
    metadata = {"name": name, "labels": {"liqo.io/remote-cluster-id": "venice"}}
    body = {
        "apiVersion": ForeignCluster.KIND.api_version,
        "kind": "ForeignCluster",
        "metadata": metadata,
        "spec": {"clusterID": name},
    }
    made = await create(milan.admin, ForeignCluster, body)
    assert made["metadata"]["labels"] == {"liqo.io/remote-cluster-id": name}


def a_virtual_node(namespace: str, name: str, secret: str) -> JSON:
    return {
        "apiVersion": VirtualNode.KIND.api_version,
        "kind": "VirtualNode",
        "metadata": {"name": name, "namespace": namespace},
        "spec": {"clusterID": "turin", "kubeconfigSecretRef": {"name": secret}},
    }


async def put_options(milan: Asked) -> None:
    spec = {
        "containerImage": "liqo",
        "createNode": True,
        "disableNetworkCheck": False,
        "metricsEnabled": False,
        "replicas": 1,
    }
    metadata = {"name": "virtual-kubelet-default", "namespace": LIQO}
    await milan.put(VkOptionsTemplate.KIND, {"metadata": metadata, "spec": spec})


async def put_secret(milan: Asked, namespace: str, name: str, **content: str) -> None:
    encoded = {field: b64encode(value.encode()).decode() for field, value in content.items()}
    metadata = {"name": name, "namespace": namespace}
    await milan.put(Secret.KIND, {"metadata": metadata, "data": encoded})


@pytest.mark.part_of_row("D06")
async def test_D06_a_virtual_node_needs_a_kubeconfig_in_its_own_namespace(milan: Asked) -> None:
    await put_options(milan)
    home, other = [await milan.tenant_namespace(unique("turin")) for _ in range(2)]
    await put_secret(milan, other, "elsewhere", kubeconfig="x")
    await put_secret(milan, home, "empty", password="x")
    await put_secret(milan, home, "good", kubeconfig="x")
    for secret, words in (
        ("elsewhere", f'no Secret "elsewhere" in the namespace "{home}"'),
        ("empty", 'has no field "kubeconfig"'),
        ("", "must name the Secret"),
    ):
        with pytest.raises(Invalid, match=words):
            await create(milan.admin, VirtualNode, a_virtual_node(home, unique("n"), secret))
    with pytest.raises(Invalid, match="must be created in a tenant namespace"):
        await create(milan.admin, VirtualNode, a_virtual_node(LIQO, unique("n"), "good"))
    name = unique("n")
    made = await create(milan.admin, VirtualNode, a_virtual_node(home, name, "good"))
    [container] = made["spec"]["template"]["spec"]["template"]["spec"]["containers"]
    assert "--foreign-kubeconfig-secret-name=good" in container["args"]
    assert made["spec"]["createNode"] is True


async def test_a_virtual_node_keeps_its_deployment_when_it_is_applied_again(milan: Asked) -> None:
    """As our controller does: without the template, which is somebody else's."""
    await put_options(milan)
    home = await milan.tenant_namespace(unique("turin"))
    await put_secret(milan, home, "good", kubeconfig="x")
    await put_secret(milan, home, "better", kubeconfig="x")
    name = unique("n")
    first = await milan.put(VirtualNode.KIND, a_virtual_node(home, name, "good"))
    again = a_virtual_node(home, name, "better")
    again["spec"]["createNode"] = False
    second = await milan.put(VirtualNode.KIND, again)
    wanted = {
        "--foreign-kubeconfig-secret-name=good": "--foreign-kubeconfig-secret-name=better",
        "--create-node=true": "--create-node=false",
    }
    before, after = (
        each["spec"]["template"]["spec"]["template"]["spec"]["containers"][0]["args"]
        for each in (first, second)
    )
    assert after == [wanted.get(argument, argument) for argument in before]


async def test_a_virtual_node_never_takes_the_name_of_a_node(milan: Asked) -> None:
    await put_options(milan)
    home = await milan.tenant_namespace(unique("turin"))
    await put_secret(milan, home, "good", kubeconfig="x")
    name = unique("n")
    await milan.put(Node.KIND, {"metadata": {"name": name}})
    with pytest.raises(Forbidden, match=f"node {name} already exists"):
        await create(milan.admin, VirtualNode, a_virtual_node(home, name, "good"))


def a_pod(name: str, **labels: str) -> JSON:
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "namespace": LIQO, "labels": labels},
        "spec": {"containers": [{"name": "web", "image": "web"}]},
    }


async def test_nobody_keeps_track_of_who_writes_a_remote_pod(milan: Asked) -> None:
    name = unique("web")
    made = await create(milan.admin, Pod, a_pod(name, **{"liqo.io/managed-by": "shadowpod"}))
    assert "managedFields" not in made["metadata"]
    running = await merge(milan.admin, Pod, Key(LIQO, name), {"status": {"phase": "Running"}})
    assert running["status"]["phase"] == "Running"
    assert "managedFields" not in running["metadata"]


async def test_pods_of_this_cluster_are_left_alone(milan: Asked) -> None:
    made = await create(milan.admin, Pod, a_pod(unique("web")))
    assert made["metadata"]["managedFields"]


async def test_where_secrets_may_not_be_read_a_virtual_node_is_believed(milan: Asked) -> None:
    await put_options(milan)
    home = await milan.tenant_namespace(unique("turin"), bound=False)
    name = unique("n")
    made = await create(milan.admin, VirtualNode, a_virtual_node(home, name, "unseen"))
    assert made["spec"]["template"]["metadata"]["name"] == f"vk-{name}"
