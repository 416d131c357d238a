"""What a pod waits for: before it goes out, and before it is let go."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import timedelta
from typing import Any

import pytest

from liqo.api.kubernetes import Pod
from liqo.api.meta import JSON
from liqo.kubelet.namespaces import Place
from liqo.kubelet.pods.controller import Supplies, observe
from liqo.kubelet.pods.references import Reference
from tests.unit.kubelet.pods.test_controller import KEY, LATER, a_map, an_event, around, views
from tests.unit.kubelet.pods.things import BOUND, GOING, NOW, PLACE, a_pod, a_shadow, known

TOKEN = Reference("Secret", "web-0-token")


def token_volume() -> JSON:
    projected = {"sources": [{"serviceAccountToken": {"path": "token"}}]}
    return {"containers": [], "volumes": [{"name": "access", "projected": projected}]}


async def test_P_RACE9_what_is_on_its_way_is_told_by_its_name_there() -> None:
    asked = []

    def lacks(pod: Pod, place: Place, needed: Iterable[Reference]) -> tuple[str, ...]:
        asked.append((pod.key, place, set(needed)))
        return tuple(str(each) for each in needed)

    local = a_pod(BOUND, token_volume())
    state = observe(await views(local=local), around(Supplies(lacks)), KEY)
    assert asked == [(KEY, PLACE, {TOKEN})]
    assert state is not None
    assert (state.missing, state.since) == (("Secret web-0-token",), NOW)


def everything(_: Pod, __: Place, needed: Iterable[Reference]) -> tuple[str, ...]:
    return tuple(str(each) for each in needed)


async def test_P_RACE9_how_long_it_was_bound_before_its_namespace_went_out_does_not_count() -> None:
    times = iter((NOW, LATER, LATER, NOW + timedelta(hours=1)))
    surroundings = around(Supplies(everything), lambda: next(times))
    local = a_pod(BOUND, token_volume())
    stays, goes = await views(local=local, known=a_map(None)), await views(local=local)
    sinces = []
    for seen in (stays, goes, stays, goes):
        state = observe(seen, surroundings, KEY)
        assert state is not None
        sinces.append(state.since)
    assert sinces == [None, LATER, None, NOW + timedelta(hours=1)]


async def test_P_RACE9_nothing_is_on_its_way_while_the_provider_does_not_answer() -> None:
    answers = iter((True, False, True))
    times = iter((NOW, LATER, LATER))
    supplies = Supplies(everything, answers=lambda _: next(answers))
    surroundings, sinces = around(supplies, lambda: next(times)), []
    for _ in range(3):
        state = observe(await views(local=a_pod(BOUND, token_volume())), surroundings, KEY)
        assert state is not None
        sinces.append(state.since)
    assert sinces == [NOW, None, LATER]


async def test_P_RACE9_what_came_is_not_waited_for_as_long_again() -> None:
    """The next pod of that name begins anew."""
    found, times = (
        iter((("Secret web-0-token",), (), ("Secret web-0-token",))),
        iter((NOW, NOW, LATER)),
    )
    supplies = Supplies(lambda *_: next(found))
    surroundings, sinces = around(supplies, lambda: next(times)), []
    for _ in range(3):
        state = observe(await views(), surroundings, KEY)
        assert state is not None
        sinces.append(state.since)
    assert sinces == [NOW, None, LATER]


@pytest.mark.parametrize("answers", [True, False])
async def test_a_creation_without_an_answer_may_have_been_done(answers: bool) -> None:
    """Nothing is there, as far as we heard; but did we hear all?"""
    ages = []

    def heard(age: float) -> bool:
        ages.append(age)
        return answers

    seen = await views(local=a_pod(deletion_timestamp=GOING))
    state = observe(seen, around(Supplies(answers=heard)), KEY)
    assert state is not None
    assert state.is_sure is answers
    assert ages == [pytest.approx(max(seen.shadows.age(), seen.remotes.age()), abs=10)]


async def test_nobody_doubts_for_ever_whose_provider_answers_now_and_then() -> None:
    """What was heard since the first doubt is all that there is: nothing was asked for since."""
    times = iter((NOW, LATER, LATER))
    surroundings = around(Supplies(answers=lambda _: False), lambda: next(times))
    seen = await views(local=a_pod(deletion_timestamp=GOING))
    gone = await views(local=a_pod(deletion_timestamp=GOING), known=a_map(None))
    sure = []
    for each in (seen, seen, gone):
        state = observe(each, surroundings, KEY)
        assert state is not None
        sure.append(state.is_sure)
    assert sure == [False, True, True]


@pytest.mark.parametrize(
    "local", [a_pod(), a_pod(deletion_timestamp=GOING, **known())], ids=["lives", "was seen"]
)
async def test_what_was_seen_there_or_stays_is_not_doubted(local: Pod) -> None:
    state = observe(await views(local=local), around(Supplies(answers=lambda _: False)), KEY)
    assert state is not None
    assert state.is_sure


@pytest.mark.parametrize(
    "more", [{"known": a_map("CreationLoopBackOff")}, {"synced": False}, {"local": None}]
)
async def test_P_RACE9_nothing_is_asked_for_where_nothing_begins(more: JSON) -> None:
    def lacks(*_: Any) -> tuple[str, ...]:
        raise AssertionError("nobody needs to know")

    seen = await views(a_shadow() if more.get("local", 1) is None else an_event("x"), **more)
    state = observe(seen, around(Supplies(lacks)), KEY)
    assert state is not None
    assert state.missing == ()
