"""Where others reach a cluster."""

from __future__ import annotations

import pytest

from liqo.cli import apiserver
from liqo.kube.access import Access
from liqo.kube.cluster import Cluster
from tests.unit.cli.answers import things
from tests.unit.kube.scripted import scripted

ADDRESSES = {"addresses": [{"type": "InternalIP", "address": "10.0.0.1"}]}
NODE = {"metadata": {"name": "n"}, "status": ADDRESSES}


@pytest.mark.parametrize(
    ("server", "here"),
    [
        ("https://localhost:6443", True),
        ("https://127.0.0.1:6443", True),
        ("https://[::1]:6443", True),
        ("https://0.0.0.0:6443", True),
        ("https://10.0.0.1:6443", False),
        ("https://milan.example.org", False),
    ],
)
def test_an_address_of_this_machine_is_of_no_use_elsewhere(server: str, here: bool) -> None:
    assert apiserver.is_here(server) is here


async def test_others_reach_it_as_we_do_unless_somebody_knows_better() -> None:
    nowhere = Cluster(Access("https://milan:6443"))
    assert await apiserver.url(nowhere) == "https://milan:6443"
    assert await apiserver.url(nowhere, "milan.example.org") == "https://milan.example.org"


async def test_where_our_own_address_is_of_no_use_a_node_gives_one() -> None:
    script = (things(), things(), things(NODE))
    async with scripted(*script) as server, Cluster(server.access) as here:
        assert await apiserver.url(here) == "https://10.0.0.1:6443"
    assert [("master" in each.path) for each in server.asked] == [False, False, True]


async def test_a_cluster_that_shows_no_address_has_none() -> None:
    async with scripted(*[things()] * 4) as server, Cluster(server.access) as here:
        assert await apiserver.url(here) == ""
