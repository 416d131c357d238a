"""The client, on a real API server: every verb, every refusal, every credential."""

from __future__ import annotations

import asyncio
import json
import stat
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest
import pytest_asyncio
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from liqo.api.kubernetes import ConfigMap, Namespace, Pod, ServiceAccount
from liqo.api.meta import JSON, Key, Kind, OwnerReference
from liqo.kube import discovery, signing
from liqo.kube.access import Access, Material, Plugin, User
from liqo.kube.cluster import Cluster
from liqo.kube.errors import (
    Conflict,
    Forbidden,
    Invalid,
    KubeError,
    NotFound,
    Unauthorized,
    Unreachable,
)
from liqo.kube.http import Limits, Request
from liqo.kube.kubeconfig import from_kubeconfig
from liqo.kube.paths import Scope, instance, query
from liqo.kube.reading import metadata
from liqo.kube.waiting import until
from liqo.playground.cluster import Site
from liqo.playground.images import HELPER
from tests.e2e.clusters import a_config, a_namespace, put, user_of
from tests.e2e.eventually import eventually


@pytest_asyncio.fixture
async def cluster(rome: Site) -> AsyncIterator[Cluster]:
    async with Cluster(
        from_kubeconfig(str(rome.kubeconfig)), name="rome", agent="liqo/test"
    ) as opened:
        yield opened


@pytest_asyncio.fixture
async def shop(cluster: Cluster) -> AsyncIterator[str]:
    async with a_namespace(cluster) as name:
        # Kubernetes makes it, and no pod comes in before.
        await eventually(lambda: cluster.get(ServiceAccount, Key(name, "default")), bool)
        yield name


def as_user(cluster: Cluster, user: User) -> Cluster:
    access = replace(cluster.access, user=user, source="the test")
    return Cluster(access, name="rome", agent="liqo/test", limits=Limits(look_again=0))


async def test_the_life_of_an_object(cluster: Cluster, shop: str) -> None:
    key = Key(shop, "settings")
    made = await put(cluster, key, a="1", b="1")
    found = await cluster.get(ConfigMap, key)
    assert (found.metadata.uid, found.data) == (made["metadata"]["uid"], {"a": "1", "b": "1"})

    await cluster.patch(ConfigMap.KIND, key, {"data": {"a": None}}, how="merge")
    await cluster.patch(ConfigMap.KIND, key, {"data": {"c": "3"}}, how="strategic")
    change = {"op": "replace", "path": "/data/b", "value": "2"}
    answer = await cluster.patch(ConfigMap.KIND, key, [change], how="json", answer="metadata")
    assert "data" not in answer
    assert (await cluster.get(ConfigMap, key)).data == {"b": "2", "c": "3"}

    version = found.metadata.resource_version
    with pytest.raises(Conflict):
        await cluster.delete(ConfigMap.KIND, key, resource_version=version)
    with pytest.raises(Conflict):
        await cluster.delete(ConfigMap.KIND, key, uid="another")
    await cluster.delete(ConfigMap.KIND, key, uid=found.metadata.uid, propagation="Background")
    with pytest.raises(NotFound, match='rome: configmaps "settings" not found'):
        await cluster.get(ConfigMap, key)


async def test_a_name_is_given_once(cluster: Cluster, shop: str) -> None:
    await cluster.create(a_config("one"), kind=ConfigMap.KIND, namespace=shop, manager="me")
    with pytest.raises(Conflict) as taken:
        await cluster.create(a_config("one"), kind=ConfigMap.KIND, namespace=shop)
    assert taken.value.reason == "AlreadyExists"


async def test_a_status_is_written_beside_the_object(cluster: Cluster, shop: str) -> None:
    key = Key(shop, "web")
    await cluster.create(a_pod("web"), kind=Pod.KIND, namespace=shop)
    body: JSON = {"status": {"phase": "Running", "message": "so they say"}}
    await cluster.patch(Pod.KIND, key, body, how="strategic", subresource="status")
    pod = await cluster.get(Pod, key)
    assert (pod.status["phase"], pod.spec["containers"][0]["image"]) == ("Running", "web")


def a_pod(name: str, account: str = "default") -> JSON:
    spec = {
        "schedulerName": "nobody",
        "containers": [{"name": "web", "image": "web"}],
        "serviceAccountName": account,
        "automountServiceAccountToken": False,
    }
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name}, "spec": spec}


async def test_a_list_is_chosen_by_namespace_label_and_field(cluster: Cluster, shop: str) -> None:
    for name in ("a", "b"):
        body = a_config(name)
        body["metadata"]["labels"] = {"name": name}
        await cluster.create(body, kind=ConfigMap.KIND, namespace=shop)

    async def names(**scope: str) -> list[str]:
        chosen = Scope(namespace=shop, **scope)
        listing = await cluster.list(metadata(ConfigMap), scope=chosen, resource_version="")
        return [each.key.name for each in listing.items if each.key.name in {"a", "b"}]

    assert await names() == ["a", "b"]
    assert await names(labels="name in (b,c)") == ["b"]
    assert await names(fields="metadata.name=a") == ["a"]


async def test_a_wrong_object_is_refused_with_its_reason(cluster: Cluster, shop: str) -> None:
    with pytest.raises(Invalid, match=r"rome: .*Invalid value: \"NO CAPITALS\""):
        await cluster.create(a_config("NO CAPITALS"), kind=ConfigMap.KIND, namespace=shop)


async def test_an_unknown_kind_is_not_found(cluster: Cluster) -> None:
    unheard = Kind("unheard.of", "v1", "Thing", "things")
    assert not await discovery.serves(cluster, unheard)
    with pytest.raises(NotFound):
        await cluster.create({}, kind=unheard, namespace="default")


async def test_what_is_served_is_known(cluster: Cluster) -> None:
    assert (await discovery.version(cluster)).startswith("v1.")
    assert await discovery.serves(cluster, Pod.KIND)


async def test_any_other_path_can_be_read(cluster: Cluster) -> None:
    await eventually(lambda: cluster.request(Request("GET", "/readyz")), is_=b"ok")
    async with cluster.stream("/metrics", silence=10) as chunks:
        text = b"".join([chunk async for chunk in chunks])
    assert b"apiserver_request_total" in text


async def test_a_pod_is_evicted(cluster: Cluster, shop: str) -> None:
    key = Key(shop, "web")
    made = await cluster.create(a_pod("web"), kind=Pod.KIND, namespace=shop)
    await cluster.evict(key, uid=made["metadata"]["uid"], grace=0)
    with pytest.raises(NotFound):
        await cluster.get(Pod, key)


def a_talker(site: Site) -> JSON:
    """A pod that really runs."""
    command = ["sh", "-c", "echo started; sleep 3600"]
    spec = {
        "nodeName": site.cluster.nodes[0].name,
        "terminationGracePeriodSeconds": 0,
        "containers": [{"name": "only", "image": HELPER, "command": command}],
    }
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "talker"}, "spec": spec}


def is_running(pod: Pod) -> bool:
    return pod.status.get("phase") == "Running"


async def logged(cluster: Cluster, key: Key) -> list[bytes]:
    async with cluster.stream(instance(Pod.KIND, key, "log"), silence=10) as chunks:
        return [chunk async for chunk in chunks]


async def test_logs_are_streamed_and_commands_spliced(
    rome: Site, cluster: Cluster, shop: str
) -> None:
    await cluster.create(a_talker(rome), kind=Pod.KIND, namespace=shop)
    key = Key(shop, "talker")
    async with asyncio.timeout(180):
        await until(cluster, Pod, key, is_running)
    # It says so a moment after it runs.
    await eventually(lambda: logged(cluster, key), is_=[b"started\n"])

    path = query(instance(Pod.KIND, key, "exec"), command="hostname", stdout=True)
    headers = [
        ("Sec-WebSocket-Version", "13"),
        ("Sec-WebSocket-Key", "AAAAAAAAAAAAAAAAAAAAAA=="),
        ("Sec-WebSocket-Protocol", "v4.channel.k8s.io"),
    ]
    spoken = await cluster.upgrade(path, protocol="websocket", headers=headers, method="GET")
    async with asyncio.timeout(60):
        said = await spoken.reader.readuntil(b"talker\n")
    spoken.writer.close()
    assert spoken.headers["sec-websocket-protocol"] == "v4.channel.k8s.io"
    assert said.endswith(b"talker\n")


async def test_a_token_is_the_service_account(cluster: Cluster, shop: str) -> None:
    account: JSON = {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "robot"}}
    await cluster.create(account, kind=ServiceAccount.KIND, namespace=shop)
    pod = await cluster.create(a_pod("web", "robot"), kind=Pod.KIND, namespace=shop)
    owner = OwnerReference(api_version="v1", kind="Pod", name="web", uid=pod["metadata"]["uid"])
    token = await cluster.token(Key(shop, "robot"), expiration_seconds=600, bound_to=owner)
    assert token.expires.endswith("Z")
    async with as_user(cluster, User(token=Material(token.value))) as robot:
        assert await user_of(robot) == f"system:serviceaccount:{shop}:robot"
        with pytest.raises(Forbidden, match=f"system:serviceaccount:{shop}:robot"):
            await robot.get(ConfigMap, Key(shop, "settings"))


async def test_a_token_file_that_rotates_is_read_again(
    cluster: Cluster, shop: str, tmp_path: Path
) -> None:
    for name in ("first", "second"):
        account: JSON = {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": name}}
        await cluster.create(account, kind=ServiceAccount.KIND, namespace=shop)
    file = tmp_path / "token"
    file.write_text("nonsense")
    async with as_user(cluster, User(token=Material(file=str(file)))) as robot:
        with pytest.raises(Unauthorized, match="does not accept the credentials of the test"):
            await user_of(robot)
        for name in ("first", "second"):
            file.write_text((await cluster.token(Key(shop, name))).value)
            assert await user_of(robot) == f"system:serviceaccount:{shop}:{name}"


async def a_certificate(cluster: Cluster, name: str) -> tuple[str, str]:
    """Signed by the cluster itself: the certificate and its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    wanted = x509.CertificateSigningRequestBuilder().subject_name(subject)
    pem = wanted.sign(key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM).decode()
    body = signing.request(name, pem)
    await cluster.create(body, kind=signing.KIND)
    try:
        await signing.approve(cluster, name, reason="Test", message="a test wants it")
        certificate = await signing.issued(cluster, name)
    finally:
        await cluster.delete(signing.KIND, Key("", name))
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    return certificate, private.decode()


async def test_a_certificate_that_rotates_is_read_again(
    cluster: Cluster, shop: str, tmp_path: Path
) -> None:
    certificate, key = tmp_path / "me.crt", tmp_path / "me.key"

    async def become(name: str) -> None:
        issued, private = await a_certificate(cluster, f"{shop}-{name}")
        certificate.write_text(issued)
        key.write_text(private)

    await become("first")
    user = User(certificate=Material(file=str(certificate)), key=Material(file=str(key)))
    async with as_user(cluster, user) as me:
        assert await user_of(me) == f"{shop}-first"
        await become("second")
        assert await user_of(me) == f"{shop}-second"


async def test_a_plugin_of_the_kubeconfig_says_who_we_are(
    cluster: Cluster, shop: str, tmp_path: Path
) -> None:
    account: JSON = {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "robot"}}
    await cluster.create(account, kind=ServiceAccount.KIND, namespace=shop)
    token = await cluster.token(Key(shop, "robot"))
    status = {"token": token.value, "expirationTimestamp": token.expires}
    script = tmp_path / "login"
    script.write_text(f"#!/bin/sh\necho '{json.dumps({'status': status})}'\n")
    script.chmod(script.stat().st_mode | stat.S_IXUSR)
    async with as_user(cluster, User(plugin=Plugin(str(script)))) as robot:
        assert await user_of(robot) == f"system:serviceaccount:{shop}:robot"


async def test_we_can_act_as_somebody_else(cluster: Cluster) -> None:
    boss = replace(cluster.access.user, headers=(("Impersonate-User", "boss"),))
    async with as_user(cluster, boss) as me:
        assert await user_of(me) == "boss"


@pytest.mark.parametrize(
    ("change", "error", "sentence"),
    [
        ({"server_name": "other.example.com"}, Unreachable, "for other names than other.example"),
        ({"authority": Material()}, Unreachable, "no reason to trust"),
        ({"user": User()}, (Unauthorized, Forbidden), "credentials|system:anonymous"),
        ({"server": "https://127.0.0.1:1"}, Unreachable, "refused the connection"),
    ],
)
async def test_each_way_not_to_get_in_has_its_sentence(
    cluster: Cluster, change: JSON, error: type[KubeError], sentence: str
) -> None:
    access: Access = replace(cluster.access, **change)
    async with Cluster(access, name="rome") as stranger:
        with pytest.raises(error, match=sentence):
            await stranger.get(Namespace, Key("", "default"))


async def test_trust_can_be_waived(cluster: Cluster) -> None:
    access = replace(cluster.access, authority=Material(), insecure=True)
    async with Cluster(access) as trusting:
        assert (await trusting.get(Namespace, Key("", "default"))).key.name == "default"
