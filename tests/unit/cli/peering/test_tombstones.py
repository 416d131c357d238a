"""What is kept of a provider that did not hear us leave."""

from __future__ import annotations

import json

import pytest

from liqo.cli.peering.tombstones import erect, overturn, pending, unheard_of
from tests.unit.cli.peering.pairs import HERE, an_object, encoded, methods, scene
from tests.unit.kube.scripted import Answer, a_list, refuses, says

OWNER = {"apiVersion": "v1beta1", "kind": "Identity", "name": "controlplane-milan", "uid": "u-1"}
NOTES = {"liqo.io/remote-tenant-namespace": "lent-to-rome"}
KUBECONFIG = an_object(
    "kubeconfig-controlplane-milan",
    HERE,
    metadata={"annotations": NOTES, "ownerReferences": [OWNER]},
    data=encoded({"kubeconfig": b"secret"}),
)
STONE = an_object("liqo-tombstone-milan", "liqo")
GONE = refuses(404)


async def test_it_holds_the_credential_and_whose_it_was() -> None:
    """The Identity is not asked for: it may be gone, and its credential kept for our leave."""
    async with scene(rome=[says(KUBECONFIG), says(STONE)]) as world:
        assert await erect(world.pair.consumer, "milan", HERE)
    sent = json.loads(world.rome.asked[1].body)
    assert sent["metadata"] == {
        "name": "liqo-tombstone-milan",
        "namespace": "liqo",
        "labels": {"liqo.io/tombstone": "true", "liqo.io/remote-cluster-id": "milan"},
        "annotations": {
            "liqo.io/remote-tenant-namespace": "lent-to-rome",
            "liqo.io/identity-uid": "u-1",
        },
    }
    assert sent["data"] == KUBECONFIG["data"]


async def test_one_that_stands_since_an_earlier_attempt_is_as_good() -> None:
    async with scene(rome=[GONE, says(STONE)]) as world:
        assert await erect(world.pair.consumer, "milan", HERE)
    assert methods(world.rome.asked) == ["GET", "GET"]


@pytest.mark.parametrize(("here", "answers"), [(HERE, [GONE, GONE]), ("", [GONE])])
async def test_who_has_no_credential_has_nothing_to_take_back(
    here: str, answers: list[Answer]
) -> None:
    async with scene(rome=answers) as world:
        assert not await erect(world.pair.consumer, "milan", here)


async def test_those_who_have_not_heard_are_told_apart_from_the_rest_of_the_namespace() -> None:
    marks = [{"liqo.io/remote-cluster-id": name} for name in ("naples", "milan")]
    stones = [an_object("a", "liqo", metadata={"labels": each}) for each in marks]
    async with scene(rome=[a_list(*stones, version="1")]) as world:
        assert await pending(world.pair.consumer.cluster, "liqo") == ["milan", "naples"]
    assert "/namespaces/liqo/" in world.rome.asked[0].path
    assert "labelSelector=liqo.io%2Ftombstone%3Dtrue" in world.rome.asked[0].path


@pytest.mark.parametrize(
    ("purge", "until"), [(False, "until Liqo is installed here again"), (True, "any more")]
)
def test_who_uninstalls_reads_who_is_not_told_and_what_to_do(purge: bool, until: str) -> None:
    assert unheard_of(["milan", "naples"], "rome", purge=purge) == (
        f"providers that did not answer when this cluster left are not told {until}: milan, "
        "naples; the administrator of each takes back what this cluster had there with: "
        "liqoctl drain tenant rome"
    )


async def test_who_never_left_unheard_peers_at_once() -> None:
    async with scene(rome=[GONE]) as world:
        await overturn(world.pair.consumer, "milan")
    assert methods(world.rome.asked) == ["GET"]


async def test_who_comes_back_is_not_dead_any_more_and_lets_the_withdrawal_end() -> None:
    summary = an_object("milan", spec={"clusterID": "milan"})
    answers = [says(STONE), says(summary), says(summary), a_list(version="1")]
    async with scene(rome=answers) as world:
        await overturn(world.pair.consumer, "milan")
    assert methods(world.rome.asked) == ["GET", "GET", "PATCH", "GET"]
