"""How a client finds an installation, and what it says when it does not."""

from __future__ import annotations

import pytest

from liqo.cli.installation import find, find_both
from liqo.errors import LiqoError
from liqo.kube.cluster import Cluster
from tests.unit.kube.scripted import a_config, a_list, scripted


def an_identity(name: str = "liqo-clusterid-configmap", **data: str) -> dict[str, object]:
    return {**a_config(name, "1"), "data": data}


async def test_it_is_found_by_its_label() -> None:
    known = a_list(an_identity(CLUSTER_ID="rome"), version="1")
    async with scripted(known) as server, Cluster(server.access) as cluster:
        found = await find(cluster, "liqo")
    assert (found.id, found.namespace) == ("rome", "liqo")
    assert "labelSelector=app.kubernetes.io%2Fname%3Dclusterid-configmap" in server.asked[0].path
    assert "/namespaces/liqo/configmaps" in server.asked[0].path


@pytest.mark.parametrize(
    ("items", "sentence"),
    [
        ([], 'Liqo is not installed in the namespace "liqo" of .*; install it with: liqoctl'),
        ([an_identity("a"), an_identity("b")], "several cluster IDs .* the ConfigMaps a, b"),
        ([an_identity("a", CLUSTER_ID="Rome")], 'the cluster ID "Rome" must .* cannot be a peer'),
        ([an_identity("a", CLUSTER_ID="x" * 51)], "has 51 characters; at most 50 are possible"),
        ([an_identity("a")], r'the ConfigMap "shop/a" of .* holds no CLUSTER_ID'),
    ],
)
async def test_what_is_not_an_installation_is_told_in_a_sentence(
    items: list[dict[str, object]], sentence: str
) -> None:
    async with scripted(a_list(*items, version="1")) as server, Cluster(server.access) as cluster:
        with pytest.raises(LiqoError, match=sentence):
            await find(cluster, "liqo")


async def test_two_clusters_with_one_id_are_told_apart_by_their_servers() -> None:
    known = a_list(an_identity(CLUSTER_ID="rome"), version="1")
    async with scripted(known, known) as server, Cluster(server.access) as cluster:
        with pytest.raises(LiqoError, match='both clusters have the ID "rome"'):
            await find_both((cluster, cluster), "liqo", "liqo")
