"""A command that another cluster can run, and what it stands on."""

from __future__ import annotations

import shlex

import pytest

from liqo.api.meta import Key
from liqo.cli.installation import Installation
from liqo.cli.peering.inviting import Terms, check, invite, objects, spelled
from liqo.errors import LiqoError
from liqo.kube.access import Access
from liqo.kube.cluster import Cluster
from liqo.rules import names
from tests.unit.cli.peering.pairs import an_object, scene
from tests.unit.kube.scripted import a_list

ACCOUNT = Key("liqo", names.claim("12345678"))
NOWHERE = Cluster(Access("https://milan:6443"))


def test_the_command_has_all_that_is_needed() -> None:
    home = Installation(NOWHERE, "liqo", "milan")
    words = shlex.split(spelled(home, "https://milan:6443", "a.b.c", b"PEM"))
    assert words == [
        *("liqoctl", "peer", "out-of-band", "milan", "--auth-url", "https://milan:6443"),
        *("--cluster-id", "milan", "--auth-token", "a.b.c", "--auth-ca", "UEVN"),
    ]
    assert "--auth-ca" not in spelled(home, "https://milan:6443", "a.b.c", b"")


def test_behind_it_stand_an_account_a_role_and_their_binding() -> None:
    account, role, binding = objects(ACCOUNT, "rome", "2026-01-01T00:00:00Z")
    assert account.body["metadata"]["annotations"] == {"liqo.io/expires-at": "2026-01-01T00:00:00Z"}
    assert account.body["metadata"]["labels"]["liqo.io/remote-cluster-id"] == "rome"
    assert next(rule["verbs"] for rule in role.body["rules"]) == ["create"]
    assert binding.body["roleRef"]["name"] == ACCOUNT.name


@pytest.mark.parametrize(
    ("terms", "sentence"),
    [
        (Terms(60), "--lifetime 60s is too short"),
        (Terms(600, "Rome!"), 'the cluster ID "Rome!" must consist'),
    ],
)
def test_what_cannot_be_is_refused_before_anything_is_made(terms: Terms, sentence: str) -> None:
    with pytest.raises(LiqoError, match=sentence):
        check(terms)
    check(Terms(600, "rome"))


async def test_a_cluster_that_shows_no_address_asks_for_one() -> None:
    identity = an_object("id", "liqo", data={"CLUSTER_ID": "milan"})
    none = [a_list(version="1")] * 4
    async with scene(milan=[a_list(identity, version="1"), *none]) as world:
        with pytest.raises(LiqoError, match=r"is good for this machine alone, .* with --auth-url"):
            await invite(world.pair.provider.cluster, "liqo", Terms(600))
