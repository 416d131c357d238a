"""What pods use, summed up."""

from __future__ import annotations

from datetime import UTC, datetime

import msgspec

from liqo.api.meta import JSON
from liqo.api.offloading import NamespaceMapStatus
from liqo.kube.cluster import Cluster
from liqo.kubelet.api.summary import answer
from tests.unit.kube.scripted import refuses, says, scripted
from tests.unit.kubelet.api.things import SITE, a_map, a_pod, known

NOW = datetime(2026, 11, 16, 4, 0, tzinfo=UTC)
TIME = "2026-11-16T04:00:00Z"


def measured(name: str, *usages: tuple[str, str]) -> JSON:
    containers = [
        {"name": f"c{number}", "usage": {"cpu": cpu, "memory": memory}}
        for number, (cpu, memory) in enumerate(usages)
    ]
    return {"metadata": {"name": name}, "containers": containers}


def figures(cores: int, size: int) -> JSON:
    return {
        "cpu": {"time": TIME, "usageNanoCores": cores},
        "memory": {"time": TIME, "usageBytes": size, "workingSetBytes": size},
    }


async def test_containers_add_up_to_pods_and_pods_to_the_node() -> None:
    told = says({"items": [measured("web", ("5n", "1Ki"), ("1m", "2Ki")), measured("old")]})
    async with scripted(told) as server, Cluster(server.access) as provider:
        found = await answer(provider, known(a_pod("web")), SITE, NOW)
    said = msgspec.json.decode(found.body)
    assert said["node"] == {"nodeName": "milan", **figures(1_000_005, 3072)}
    [pod] = said["pods"]
    assert pod["podRef"] == {"name": "web", "namespace": "shop", "uid": "uid-web"}
    assert [each["name"] for each in pod["containers"]] == ["c0", "c1"]
    assert pod["containers"][0].items() >= figures(5, 1024).items()
    assert pod.items() >= figures(1_000_005, 3072).items()
    [asked] = server.asked
    assert asked.path.startswith("/apis/metrics.k8s.io/v1beta1/namespaces/shop-rome/pods?")
    assert "origin%3Drome" in asked.path


async def test_where_nobody_measures_nothing_is_used() -> None:
    async with scripted(refuses(404)) as server, Cluster(server.access) as provider:
        found = await answer(provider, known(a_pod("web")), SITE, NOW)
    assert msgspec.json.decode(found.body)["pods"] == []


async def test_a_refusal_is_handed_on() -> None:
    async with scripted(refuses(403, "not you")) as server, Cluster(server.access) as provider:
        found = await answer(provider, known(), SITE, NOW)
    assert (found.code, found.body) == (403, b"not you")


async def test_of_a_namespace_that_the_provider_has_not_answered_nothing_is_asked() -> None:
    new = known()
    newer = a_map(shop="shop-rome")
    asked = msgspec.structs.replace(
        newer,
        metadata=msgspec.structs.replace(newer.metadata, resource_version="2"),
        status=NamespaceMapStatus(),
    )
    new.atlas.maps.take(asked)
    async with scripted() as server, Cluster(server.access) as provider:
        found = await answer(provider, new, SITE, NOW)
    assert found.code == 200
    assert server.asked == []
