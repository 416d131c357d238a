"""Names of providers."""

from __future__ import annotations

import pytest

from liqo.cli.peering.outofband import Provider, called, check, share_of, slice_of
from liqo.errors import LiqoError
from tests.unit.cli.peering.pairs import HERE, an_object, scene
from tests.unit.kube.scripted import a_list

NONE = a_list(version="1")


def test_x3_the_node_is_named_after_the_cluster() -> None:
    assert slice_of("milan") == "liqo-milan"


def test_a_share_is_asked_for_in_the_namespace_that_was_found() -> None:
    asked = share_of(Provider("milan", "m-1"), "elsewhere")
    assert str(asked.key) == "elsewhere/liqo-milan"
    assert (asked.spec.class_, asked.spec.provider_cluster_id) == ("share", "m-1")


@pytest.mark.parametrize("wrong", [Provider("milan", "x" * 51), Provider("M!", "milan")])
def test_names_that_cannot_be_are_refused(wrong: Provider) -> None:
    with pytest.raises(LiqoError, match="copy the whole command"):
        check(wrong)
    check(Provider("milan", "milan"))


async def test_a_provider_is_known_by_its_slice_or_by_its_id() -> None:
    marks = {"labels": {"liqo.io/remoteID": "m-1"}}
    named = a_list(an_object("liqo-milan", HERE, metadata=marks), version="1")
    identity = a_list(an_object("controlplane-milan", HERE), version="1")
    async with scene(rome=[named, NONE, identity, NONE, NONE, NONE]) as world:
        assert await called(world.pair.consumer, "milan") == "m-1"
        assert await called(world.pair.consumer, "milan") == "milan"
        with pytest.raises(LiqoError, match='does not borrow from a cluster "turin"'):
            await called(world.pair.consumer, "turin")
