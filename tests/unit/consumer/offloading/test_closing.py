"""A namespace whose pods stay at home is not reviewed; but it may be about to be."""

from typing import Any

import pytest

from liqo.api import labels
from liqo.api.meta import Key
from liqo.api.offloading import NamespaceOffloadingSpec
from liqo.consumer.offloading.closing import State, controller, observe, plan
from liqo.runtime.plan import NOTHING, Patch, do
from tests.unit.consumer.offloading.things import (
    JUST_NOW,
    NOW,
    a_namespace,
    bring_namespace,
    clock,
    offloading,
)
from tests.unit.consumer.things import caches, put

OPEN = {labels.SCHEDULING_ENABLED: "true"}
LOCAL = offloading(spec=NamespaceOffloadingSpec(pod_offloading_strategy="Local"))
KEY = Key("", "shop")


def state(opened: str = "", wanted: Any = LOCAL) -> State:
    notes = {labels.OPENED: f"Remote since {opened}"} if opened else {}
    return State(a_namespace(marks=OPEN, annotations=notes), wanted, NOW)


@pytest.mark.parametrize("opened", [JUST_NOW, "", "2026", "some day"])
@pytest.mark.parametrize("wanted", [LOCAL, None])
def test_where_pods_stay_the_label_goes(opened: str, wanted: Any) -> None:
    [closed] = plan(state(opened, wanted)).actions
    assert isinstance(closed, Patch)
    assert closed.only_if_unchanged
    assert closed.change["metadata"]["labels"] == {labels.SCHEDULING_ENABLED: None}
    assert closed.change["metadata"]["annotations"] == {labels.OPENED: None}


@pytest.mark.parametrize("wanted", [LOCAL, None, offloading()])
def test_a_label_that_was_set_a_moment_ago_is_ahead_of_what_we_know(wanted: Any) -> None:
    """From Local to Remote, or from none: the review is not over."""
    assert plan(state("2026-11-16T11:59:55Z", wanted)) == do(wake_after=10)
    assert plan(state("9999-11-16T11:59:55Z", wanted)) == do(wake_after=15)


def test_the_note_goes_when_nobody_needs_it_any_more() -> None:
    [settled] = plan(state(JUST_NOW, offloading())).actions
    assert isinstance(settled, Patch)
    assert settled.change == {"metadata": {"annotations": {labels.OPENED: None}}}


def test_where_nothing_is_to_be_closed_nothing_is_done() -> None:
    assert plan(state(wanted=offloading())) == NOTHING
    assert plan(State(a_namespace(), LOCAL, NOW)) == NOTHING


def test_what_is_seen() -> None:
    here = caches()
    assert observe(here, clock, KEY) is None
    bring_namespace(here, a_namespace(marks=OPEN))
    assert observe(here, clock, KEY) == state(wanted=None)
    put(here, LOCAL)
    assert observe(here, clock, KEY) == state()
    of_namespace, of_offloading = controller(here, clock).watches.values()
    assert list(of_namespace(a_namespace())) == []
    assert list(of_namespace(a_namespace(marks=OPEN))) == [KEY]
    assert list(of_offloading(LOCAL)) == [KEY]
