"""What a provider's API server takes of a consumer's kubelets, once it asks our webhook."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from liqo.api.kubernetes import Namespace
from liqo.api.meta import JSON, Key
from liqo.api.offloading import ShadowPod
from liqo.kube.cluster import Cluster
from liqo.kube.errors import Forbidden
from liqo.kube.http import Request
from liqo.rules import names
from tests.e2e.asked import LIQO, Asked, asked, unique
from tests.e2e.control_plane import free_port

CREATOR = "liqo.io/creator-user"


@pytest.fixture(scope="module")
async def milan(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Asked]:
    async with asked(tmp_path_factory.mktemp("shadows")) as made:
        port = free_port()
        await made.start(port)
        await made.ask_at(port)
        await made.quota("admin", {})
        yield made


async def a_shop(milan: Asked) -> tuple[str, str, str]:
    """A consumer, its namespace, and its user, who may have any number of pods without a size."""
    rome = unique("rome")
    home, user = await milan.offloaded_namespace(rome), names.user_of("mypool", rome)
    await milan.quota(user, {})
    return rome, home, user


def a_shadow(namespace: str, origin: str, **labels: str) -> JSON:
    marks = {"offloading.liqo.io/origin": origin} if origin else {}
    return {
        "apiVersion": ShadowPod.KIND.api_version,
        "kind": "ShadowPod",
        "metadata": {"name": unique("web"), "namespace": namespace, "labels": {**marks, **labels}},
        "spec": {"pod": {"containers": [{"name": "web", "image": "web:1"}]}},
    }


async def create(cluster: Cluster, body: JSON) -> JSON:
    namespace = body["metadata"]["namespace"]
    return await cluster.create(body, kind=ShadowPod.KIND, namespace=namespace)


async def merge(cluster: Cluster, made: JSON, change: JSON) -> JSON:
    key = Key(made["metadata"]["namespace"], made["metadata"]["name"])
    return await cluster.patch(ShadowPod.KIND, key, change, how="merge")


async def test_a_shadow_pod_says_who_made_it(milan: Asked) -> None:
    rome, home, user = await a_shop(milan)
    async with milan.user(user, rome) as kubelet:
        for claimed in ({}, {CREATOR: "somebody-else"}, {CREATOR: user}):
            made = await create(kubelet, a_shadow(home, rome, **claimed))
            assert made["metadata"]["labels"][CREATOR] == user


async def questions(milan: Asked, webhook: str) -> int:
    """How often the API server has asked it so far."""
    told = (await milan.admin.request(Request("GET", "/metrics"))).decode().splitlines()
    counts = [line for line in told if line.startswith("apiserver_admission_webhook_request_total")]
    return sum(int(line.split()[-1]) for line in counts if f'name="{webhook}"' in line)


async def test_nobody_is_asked_who_made_a_shadow_pod_that_says_so(milan: Asked) -> None:
    """Each question costs the provider a millisecond, at every pod."""
    rome, home, user = await a_shop(milan)
    webhook = "shadowpod.mutate.liqo.io"
    async with milan.user(user, rome) as kubelet:
        before = await questions(milan, webhook)
        made = await create(kubelet, a_shadow(home, rome, **{CREATOR: user}))
        await merge(kubelet, made, {"metadata": {"labels": {"colour": "red"}}})
        assert await questions(milan, webhook) == before
        await merge(kubelet, made, {"metadata": {"labels": {CREATOR: None}}})
        assert await questions(milan, webhook) == before + 1


async def test_only_who_made_a_shadow_pod_may_change_it(milan: Asked) -> None:
    rome, home, user = await a_shop(milan)
    colour = {"metadata": {"labels": {"colour": "red"}}}
    async with milan.user(user, rome) as kubelet:
        made = await create(kubelet, a_shadow(home, rome))
        after = await merge(
            kubelet, made, {"metadata": {"labels": {"colour": "red", CREATOR: None}}}
        )
        assert after["metadata"]["labels"] == {**made["metadata"]["labels"], "colour": "red"}
    for other, groups in ((names.user_of("other", rome), (rome,)), ("jane", ("system:masters",))):
        async with milan.user(other, *groups) as stranger:
            with pytest.raises(Forbidden, match="creator name cannot be modified"):
                await merge(stranger, made, colour)


async def test_a_shadow_pod_comes_from_the_consumer_whose_namespace_it_is_in(milan: Asked) -> None:
    rome, venice = unique("rome"), unique("venice")
    home = await milan.offloaded_namespace(rome)
    async with milan.user(names.user_of("mypool", rome), rome) as kubelet:
        with pytest.raises(Forbidden, match="missing origin Cluster ID label"):
            await create(kubelet, a_shadow(home, ""))
        with pytest.raises(Forbidden, match=f'label mismatch: it comes from "{venice}"'):
            await create(kubelet, a_shadow(home, venice))
    with pytest.raises(Forbidden, match='the namespace "liqo" is open to no other cluster'):
        await create(milan.admin, a_shadow(LIQO, rome))


async def test_a_namespace_that_changes_hands_is_known_at_once(milan: Asked) -> None:
    rome, venice = unique("rome"), unique("venice")
    home = await milan.offloaded_namespace(rome)
    await create(milan.admin, a_shadow(home, rome))
    marks = {"liqo.io/remote-cluster-id": venice}
    await milan.put(Namespace.KIND, {"metadata": {"name": home, "labels": marks}})
    await create(milan.admin, a_shadow(home, venice))


async def test_the_pod_of_a_shadow_pod_stays_as_it_is(milan: Asked) -> None:
    rome, home, user = await a_shop(milan)
    async with milan.user(user, rome) as kubelet:
        made = await create(kubelet, a_shadow(home, rome))
        with pytest.raises(Forbidden, match=r"not spec\.pod\.hostNetwork"):
            await merge(kubelet, made, {"spec": {"pod": {"hostNetwork": True}}})
        with pytest.raises(Forbidden, match="Cluster ID label is changed"):
            await merge(kubelet, made, {"metadata": {"labels": {"offloading.liqo.io/origin": "x"}}})
        image = {"spec": {"pod": {"containers": [{"name": "web", "image": "web:2"}]}}}
        after = await merge(kubelet, made, image)
        assert after["spec"]["pod"]["containers"][0]["image"] == "web:2"
        await kubelet.delete(ShadowPod.KIND, Key(home, made["metadata"]["name"]))
