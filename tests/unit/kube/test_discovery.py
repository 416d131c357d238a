"""What an API server serves."""

from __future__ import annotations

import pytest

from liqo.api.kubernetes import Node, Pod, Secret
from liqo.kube import discovery
from liqo.kube.cluster import Cluster
from liqo.kube.errors import ServerFault
from tests.unit.kube.scripted import Answer, says, scripted

CORE = {
    "resources": [
        {"name": "pods", "kind": "Pod", "namespaced": True},
        {"name": "pods/log", "kind": "Pod", "namespaced": True},
        {"name": "nodes", "kind": "Node", "namespaced": False},
    ]
}
MISSING = Answer(b"404 page not found", 404)


async def test_its_version() -> None:
    async with scripted(says({"gitVersion": "v1.35.4"})) as server, Cluster(server.access) as rome:
        assert await discovery.version(rome) == "v1.35.4"


async def test_its_kinds_without_their_subresources() -> None:
    async with scripted(says(CORE)) as server, Cluster(server.access) as rome:
        assert await discovery.kinds(rome, "", "v1") == [Pod.KIND, Node.KIND]


async def test_a_group_that_is_not_served_has_no_kinds() -> None:
    async with scripted(MISSING) as server, Cluster(server.access) as rome:
        assert await discovery.kinds(rome, "liqo.io", "v1") == []


async def test_whether_it_serves_a_kind() -> None:
    async with scripted(says(CORE), says(CORE)) as server, Cluster(server.access) as rome:
        assert await discovery.serves(rome, Pod.KIND)
        assert not await discovery.serves(rome, Secret.KIND)


@pytest.mark.parametrize("call", [discovery.version, lambda rome: discovery.kinds(rome, "", "v1")])
async def test_something_else_at_this_address_is_an_error(call: object) -> None:
    assert callable(call)
    async with scripted(Answer(b"<html>")) as server, Cluster(server.access) as rome:
        with pytest.raises(ServerFault):
            await call(rome)
