"""Leaving with nothing but one's own cluster at hand."""

from __future__ import annotations

import pytest

from liqo.api.meta import JSON
from liqo.cli.output import Output
from liqo.cli.peering.leaving import (
    Manner,
    answering,
    leave_attentively,
    leave_unheard,
    may_go,
    provider_at,
)
from liqo.errors import LiqoError
from liqo.kube.access import Access
from liqo.kube.cluster import Cluster
from tests.unit.cli.calling import kubeconfig
from tests.unit.cli.peering.pairs import (
    HERE,
    Borrower,
    a_summary,
    an_object,
    encoded,
    scene,
    staged,
)
from tests.unit.kube.scripted import Answer, Scripted, a_list, refuses, says

NONE = a_list(version="1")


def credential(name: str, server: str) -> JSON:
    """A kubeconfig that some Secret holds: of an Identity, or of a tombstone."""
    marks = {"labels": {"liqo.io/remote-cluster-id": name}}
    content = encoded({"kubeconfig": kubeconfig(server).encode()})
    return an_object(f"for-{name}", HERE, metadata=marks, data=content)


MILAN = credential("milan", "https://10.0.0.1:6443")
NAPLES = credential("naples", "https://10.0.0.2:6443")
NONCE = an_object(
    "liqo-signed-nonce",
    HERE,
    metadata={"labels": {"liqo.io/remote-cluster-id": "turin"}},
    data=encoded({"nonce": b"x"}),
)


def summary(status: str) -> Answer:
    return says(a_summary(status))


@pytest.mark.parametrize(
    ("known", "server"),
    [
        ([MILAN, NONCE], "https://10.0.0.9"),
        ([MILAN, NAPLES, NONCE], "https://10.0.0.1:6443/"),
    ],
)
async def test_a_silent_provider_is_known_by_its_address_or_by_being_the_only_one(
    known: list[JSON], server: str
) -> None:
    async with scene(rome=[a_list(*known, version="1"), summary("Error")]) as world:
        assert await provider_at(world.pair.consumer, server) == "milan"


@pytest.mark.parametrize(
    ("known", "listed"),
    [([], "none at all"), ([MILAN, NAPLES], "milan, naples"), ([MILAN], "milan")],
)
async def test_one_that_cannot_be_told_apart_or_does_answer_has_to_be_named(
    known: list[JSON], listed: str
) -> None:
    answers = [a_list(*known, version="1"), summary("Established")]
    async with scene(rome=answers) as world:
        with pytest.raises(LiqoError, match=rf"\(known: {listed}\); name it with: liqoctl unpeer"):
            await provider_at(world.pair.consumer, "https://10.0.0.9")


async def test_an_api_server_where_nobody_listens_does_not_answer() -> None:
    async with Cluster(Access("http://127.0.0.1:1")) as dead:
        assert await answering(dead, "liqo") is None


@pytest.mark.parametrize(
    ("marks", "tenants", "goes"),
    [
        ({}, NONE, False),
        ({"liqo.io/out-of-band": "true"}, NONE, True),
        ({"liqo.io/out-of-band": "true"}, a_list(an_object("milan", HERE), version="1"), False),
    ],
)
async def test_a_namespace_goes_if_the_command_made_it_and_nobody_else_needs_it(
    marks: dict[str, str], tenants: Answer, goes: bool
) -> None:
    home = a_list(an_object(HERE, metadata={"annotations": marks}), version="1")
    async with scene(rome=[home, tenants]) as world:
        assert await may_go(world.pair.consumer, "milan") is goes


async def test_who_leaves_unheard_reads_by_when_and_what_stays(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Nothing is left of the peering here, and a tombstone stands: only its end is told again."""
    stone = says(an_object("liqo-tombstone-milan", "liqo"))
    answers = [NONE, NONE, stone, refuses(404), *[NONE] * 10]
    async with scene(rome=answers) as world:
        manner = Manner(is_dead=True, delete_namespace=False)
        server = "https://10.0.0.1:6443"
        await leave_unheard(Output(), world.loan, server, manner)
    first, *_, last = capsys.readouterr().err.splitlines()
    assert first == (
        'WARN: the provider "milan" does not answer at https://10.0.0.1:6443: it is left without '
        "its help, which takes 10 s at the most"
    )
    assert last.startswith('WARN: the provider "milan" was not told: there stay the namespace')


async def test_a_provider_that_falls_silent_while_it_is_left_is_declared_dead(
    capsys: pytest.CaptureFixture[str],
) -> None:
    async with staged(Borrower("Error"), Scripted()) as both:
        manner = Manner(is_dead=False, delete_namespace=False)
        left, fell_silent = await leave_attentively(Output(), both.loan, manner)
    assert fell_silent
    assert not left.is_buried
    assert 'WARN: the provider "milan" does not answer at https://10.0.0.1:6443 any more\n' in (
        capsys.readouterr().err
    )
