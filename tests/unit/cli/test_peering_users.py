"""The objects of a peering user, and how all of them are found again."""

from __future__ import annotations

from pathlib import Path

import pytest

from liqo.cli.documents import as_yaml
from liqo.cli.objects import body
from liqo.cli.peering_users import bindings, parts, remove, roles, signing_request
from liqo.errors import LiqoError
from liqo.kube.cluster import Cluster
from tests.golden import assert_golden
from tests.unit.cli.answers import thing, things
from tests.unit.kube.scripted import scripted


def test_what_a_user_is_made_of() -> None:
    made = [
        signing_request("rome", b"a request"),
        *bindings("rome", "liqo-peer-user-rome-abc", ("liqo", "lent"), ("reader", "writer")),
    ]
    golden = Path(__file__).parent / "golden/peering-user.yaml"
    assert_golden(as_yaml([body(each) for each in made]), golden)


async def test_all_of_a_user_is_found_by_its_label_and_bindings_go_first() -> None:
    binding = {"metadata": {"name": "b", "namespace": "liqo"}}
    signing = {"metadata": {"name": "s"}}
    script = (things(binding), things(signing), thing({}), thing({}))
    async with scripted(*script) as server, Cluster(server.access) as here:
        assert await remove(here, "rome")
    assert all("liqo-peer-user-rome" in request.path for request in server.asked[:2])
    assert [request.path.rsplit("/", 1)[1] for request in server.asked[2:]] == ["b", "s"]


async def test_where_there_is_none_nothing_is_removed() -> None:
    async with scripted(things(), things()) as server, Cluster(server.access) as here:
        assert not await remove(here, "rome")
    async with scripted(things(), things()) as server, Cluster(server.access) as here:
        assert await parts(here, "rome") == []


async def test_without_its_roles_an_installation_has_no_peering_users() -> None:
    named = things({"metadata": {"name": "r"}})
    async with scripted(named, named) as server, Cluster(server.access) as here:
        assert await roles(here, "liqo") == ("r", "r")
    async with scripted(named, things()) as server, Cluster(server.access) as here:
        with pytest.raises(LiqoError, match="both come with: liqoctl install"):
            await roles(here, "liqo")
