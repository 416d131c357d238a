"""How a peering ends: in order, whether or not the two clusters reach each other."""

from __future__ import annotations

import pytest

from liqo.cli.peering.ending import Wanted, end
from liqo.errors import LiqoError
from tests.unit.cli.peering.pairs import (
    THERE,
    Borrower,
    a_summary,
    an_object,
    methods,
    scene,
    staged,
)
from tests.unit.kube.scripted import Answer, Asked, Scripted, a_list, says

TENANT = an_object("rome", THERE, spec={"clusterID": "rome"})
HOME = an_object(THERE)
COPIES = ["resourceslices", "namespacemaps", "renews"]
WARNING = (
    'WARN: the controllers of the local cluster cannot use the provider "milan" at '
    "https://10.0.0.1:6443: what they asked for there goes with its Tenant"
)


class Lender(Scripted):
    """Milan, which forgets rome when it is asked to."""

    def __init__(self) -> None:
        super().__init__()
        self._left = [TENANT]

    @property
    def steps(self) -> list[str]:
        """What was asked for, and which kinds were looked at, in this order."""
        kinds = (each.path.split("?")[0].rsplit("/")[-1] for each in self.asked)
        return [f"{each.method} {kind}" for each, kind in zip(self.asked, kinds, strict=True)]

    def answer(self, asked: Asked) -> Answer:
        if asked.method == "DELETE":
            self._left.clear()
            return says({})
        if asked.path.startswith("/api/v1/namespaces?"):
            return a_list(HOME, version="1")
        return a_list(*(self._left if "/tenants" in asked.path else ()), version="1")


async def test_the_namespaces_of_mutual_peers_are_not_deleted() -> None:
    summary = a_summary("Established", role="ConsumerAndProvider")
    async with scene(rome=[a_list(summary, version="1")]) as both:
        with pytest.raises(LiqoError) as refused:
            await end(both.pair, Wanted(10, wait=True, delete_namespaces=True))
    assert str(refused.value) == (
        "cannot delete the tenant namespace when a bidirectional is enabled, please remove the "
        "--delete-namespaces flag"
    )
    assert methods(both.rome.asked) == ["GET"]
    assert both.milan.asked == []


async def test_a_provider_that_our_controllers_cannot_use_forgets_us_with_the_tenant(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """They would wait for ever: it is declared dead while they let go, and no longer."""
    rome, milan = Borrower("Error"), Lender()
    async with staged(rome, milan) as both:
        await end(both.pair, Wanted(10, wait=True, delete_namespaces=False))
    assert rome.declared == ["true", None]
    ended = ["GET tenants", "DELETE rome", "GET tenants"]
    assert milan.steps[1:7] == [*ended, *(f"GET {kind}" for kind in COPIES)]
    assert all("liqo.io%2ForiginID%3Drome" in each.path for each in milan.asked[4:7])
    told = capsys.readouterr().err.splitlines()
    assert told.count(WARNING) == 1
    assert "INFO: Everything taken back by the provider" in told
    assert "INFO: Tenant correctly deleted" in told


async def test_who_does_not_wait_leaves_word_that_it_is_dead() -> None:
    """The controllers let go by and by, and take that word back themselves."""
    rome, milan = Borrower("Error"), Lender()
    async with staged(rome, milan) as both:
        await end(both.pair, Wanted(10, wait=False, delete_namespaces=False))
    assert rome.declared == ["true"]
    assert not any(kind in step for step in milan.steps for kind in COPIES)


async def test_one_that_answers_is_asked_for_nothing_more(
    capsys: pytest.CaptureFixture[str],
) -> None:
    rome, milan = Borrower("Established"), Lender()
    async with staged(rome, milan) as both:
        await end(both.pair, Wanted(10, wait=True, delete_namespaces=False))
    assert rome.declared == []
    assert milan.steps[1:4] == ["GET tenants", "DELETE rome", "GET tenants"]
    assert not any(kind in step for step in milan.steps for kind in COPIES)
    assert "WARN" not in capsys.readouterr().err
