"""A NamespaceOffloading in a sentence."""

from __future__ import annotations

from liqo.api.offloading import NamespaceOffloading
from liqo.cli.offload.words import where_it_stands
from tests.unit.cli.offload.things import an_offloading, selected
from tests.unit.cli.served import decoded


def test_who_is_not_ready_is_named() -> None:
    [found] = decoded(
        NamespaceOffloading,
        an_offloading("InProgress", turin=selected("False", "no room"), milan=selected()),
    )
    assert where_it_stands(found) == 'cluster "turin": no room'


def test_while_nobody_says_anything_the_next_step_is_told() -> None:
    [found] = decoded(NamespaceOffloading, an_offloading())
    assert where_it_stands(found) == "nobody has answered; see: liqoctl info"
