"""What is counted: each ShadowPod once, from its admission to its end."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from random import Random
from typing import TypeAlias

import pytest
from hypothesis import given
from hypothesis import strategies as st

from liqo.api.meta import JSON
from liqo.api.sizes import PodSize, SizedShadowPod
from liqo.rules.quantity import Quantity
from liqo.webhooks.quota.claim import Claim
from liqo.webhooks.quota.tally import LONGEST_REQUEST, MOST_PROMISES, Tally
from liqo.webhooks.review import ALLOW, Deny
from tests.unit.webhooks.quota.sizes import (
    USER,
    a_claim,
    a_container,
    a_pod,
    a_quota,
    a_shadow,
    taking,
)

QUOTA = a_quota(cpu="3", pods="5")
ONE, TWO, THREE = (taking(cpu=each) for each in "123")


def used(tally: Tally, user: str = USER) -> JSON:
    return {name: str(Quantity(amount)) for name, amount in tally.used(user).items() if amount}


def of(*shadows: SizedShadowPod) -> Tally:
    tally = Tally()
    for each in shadows:
        tally.follow(None, each)
    return tally


def test_what_was_admitted_counts_at_once_and_what_does_not_fit_is_refused() -> None:
    tally = Tally()
    assert tally.admit(a_claim(TWO, "a"), QUOTA, 0, 0) == ALLOW
    assert used(tally) == {"cpu": "2", "pods": "1"}
    said = "peering cpu quota usage exceeded - free 1 / requested 2 (of 3 in all)"
    assert tally.admit(a_claim(TWO, "b"), QUOTA, 0, 0) == Deny(said)
    assert tally.admit(a_claim(ONE, "b"), QUOTA, 0, 0) == ALLOW
    assert used(tally) == {"cpu": "3", "pods": "2"}


def test_what_is_refused_counts_nothing() -> None:
    tally = Tally()
    assert isinstance(tally.admit(a_claim(ONE), None, 0, 0), Deny)
    assert used(tally) == {}
    assert tally.is_settled


def test_what_is_only_tried_counts_nothing() -> None:
    tally = Tally()
    assert tally.admit(a_claim(THREE, is_dry_run=True), QUOTA, 0, 0) == ALLOW
    assert used(tally) == {}


def test_what_is_stored_counts_with_all_that_it_takes() -> None:
    pod = a_pod(
        a_container(cpu="500m"),
        initContainers=[{**a_container("proxy", cpu="1"), "restartPolicy": "Always"}],
        overhead={"cpu": "250m"},
    )
    assert used(of(a_shadow(pod))) == {"cpu": "1750m", "pods": "1"}


def test_one_that_is_seen_counts_once() -> None:
    tally = Tally()
    tally.admit(a_claim(TWO), QUOTA, 0, 0)
    assert (used(tally), tally.is_settled) == ({"cpu": "2", "pods": "1"}, False)
    tally.follow(None, a_shadow(TWO))
    assert (used(tally), tally.is_settled) == ({"cpu": "2", "pods": "1"}, True)


def test_one_that_never_comes_counts_until_we_would_have_heard_of_it() -> None:
    tally = Tally()
    tally.admit(a_claim(THREE, "a"), QUOTA, 0, 0)
    late = 2 * LONGEST_REQUEST
    assert isinstance(tally.admit(a_claim(ONE, "b"), QUOTA, late, LONGEST_REQUEST - 1), Deny)
    assert tally.admit(a_claim(ONE, "b"), QUOTA, late, LONGEST_REQUEST) == ALLOW
    assert used(tally) == {"cpu": "1", "pods": "1"}


def test_one_that_came_counts_for_as_long_as_it_is_there() -> None:
    tally = Tally()
    tally.admit(a_claim(ONE), QUOTA, 0, 0)
    tally.follow(None, a_shadow(ONE))
    tally.forget(LONGEST_REQUEST)
    assert used(tally) == {"cpu": "1", "pods": "1"}


def test_who_asks_again_because_an_answer_was_lost_pays_once() -> None:
    tally = Tally()
    for uid in ("first", "second"):
        assert tally.admit(a_claim(THREE, uid=uid), QUOTA, 0, 0) == ALLOW
    tally.follow(None, a_shadow(THREE, uid="second"))
    assert tally.admit(a_claim(THREE, uid="third"), QUOTA, 0, 0) == ALLOW  # it is there already
    assert used(tally) == {"cpu": "3", "pods": "1"}


def test_one_that_was_gone_before_its_successor_came_frees_what_it_had() -> None:
    tally = of(a_shadow(THREE, uid="old"))
    assert tally.admit(a_claim(ONE, uid="new"), QUOTA, 0, 0) == ALLOW
    assert used(tally) == {"cpu": "3", "pods": "1"}
    tally.follow(a_shadow(THREE, uid="old"), None)
    assert used(tally) == {"cpu": "1", "pods": "1"}


@pytest.mark.parametrize("phase", ["Succeeded", "Failed"])
def test_one_that_ended_takes_nothing(phase: str) -> None:
    tally = of(a_shadow(THREE))
    tally.follow(a_shadow(THREE), a_shadow(THREE, phase=phase))
    assert used(tally) == {}
    tally.follow(a_shadow(THREE, phase=phase), None)
    assert used(tally) == {}


@pytest.mark.parametrize("phase", ["", "Pending", "Running", "Unknown"])
def test_any_other_does(phase: str) -> None:
    assert used(of(a_shadow(ONE, phase=phase))) == {"cpu": "1", "pods": "1"}


def test_one_that_came_and_went_is_waited_for_no_longer() -> None:
    tally = Tally()
    tally.admit(a_claim(TWO), QUOTA, 0, 0)
    tally.follow(a_shadow(TWO), None)
    assert (used(tally), tally.is_settled) == ({}, True)


def test_a_change_must_fit_by_what_it_adds() -> None:
    tally = of(a_shadow(ONE, "a"), a_shadow(ONE, "b"))
    said = "peering cpu quota usage exceeded - free 1 / requested 2 (of 3 in all)"
    assert tally.admit(a_claim(THREE, "a", is_change=True), QUOTA, 0, 0) == Deny(said)
    assert tally.admit(a_claim(TWO, "a", is_change=True, after=1), QUOTA, 0, 0) == ALLOW
    assert used(tally) == {"cpu": "3", "pods": "2"}
    tally.follow(a_shadow(ONE, "a"), a_shadow(ONE, "a", phase="Running"))
    assert not tally.is_settled  # that was another change
    tally.follow(a_shadow(ONE, "a"), a_shadow(TWO, "a"))
    assert (used(tally), tally.is_settled) == ({"cpu": "3", "pods": "2"}, True)


def test_what_gets_smaller_frees_something_once_that_is_seen() -> None:
    tally = of(a_shadow(THREE))
    assert tally.admit(a_claim(ONE, is_change=True, after=1), QUOTA, 0, 0) == ALLOW
    assert (used(tally), tally.is_settled) == ({"cpu": "3", "pods": "1"}, False)
    tally.follow(a_shadow(THREE), a_shadow(ONE))
    assert (used(tally), tally.is_settled) == ({"cpu": "1", "pods": "1"}, True)


HELD = {"offloading.liqo.io/still-takes": '{"cpu":"3"}'}


def test_what_gets_smaller_counts_as_it_was_until_its_pod_is_smaller() -> None:
    tally = of(a_shadow(THREE, generation=1))
    tally.admit(a_claim(ONE, is_change=True, after=7), QUOTA, 0, 0)
    less = a_shadow(ONE, generation=2, annotations=HELD, resource_version="8")
    tally.follow(None, less)
    assert (used(tally), tally.is_settled) == ({"cpu": "3", "pods": "1"}, True)
    assert used(of(less)) == {"cpu": "3", "pods": "1"}  # also for who was not there before
    assert isinstance(tally.admit(a_claim(ONE, "b"), QUOTA, 0, 0), Deny)
    tally.follow(less, a_shadow(ONE, generation=2, annotations=HELD, observed=1))
    assert used(tally) == {"cpu": "3", "pods": "1"}  # that was an earlier size
    tally.follow(less, a_shadow(ONE, generation=2, annotations=HELD, observed=2))
    assert used(tally) == {"cpu": "1", "pods": "1"}
    assert tally.admit(a_claim(TWO, "b"), QUOTA, 0, 0) == ALLOW


def test_who_asks_in_vain_over_and_over_is_told_to_wait() -> None:
    tally = of(a_shadow(ONE, "a"))
    for number in range(MOST_PROMISES):
        assert tally.admit(a_claim(ONE, "a", uid=str(number)), QUOTA, 0, 0) == ALLOW
    refused = tally.admit(a_claim(ONE, "a", uid="last"), QUOTA, 0, 0)
    assert refused == Deny(
        '16 requests for the ShadowPod "shop-rome/a" were admitted, and none of them has been '
        "seen; try again in a minute",
    )
    assert tally.admit(a_claim(ONE, "b"), QUOTA, 0, 0) == ALLOW  # of another nobody minds
    later = tally.admit(a_claim(ONE, "a", uid="last"), QUOTA, 0, LONGEST_REQUEST)
    assert later == ALLOW


def test_who_shrinks_and_grows_again_leaves_no_room_in_between() -> None:
    """Although all that is told is older than what was allowed last."""
    first = a_shadow(THREE, "a", resource_version="1")
    tally = of(first)
    tally.admit(a_claim(ONE, "a", is_change=True, after=2), QUOTA, 0, 0)
    tally.admit(a_claim(THREE, "a", is_change=True, after=3), QUOTA, 0, 0)
    second = a_shadow(THREE, "a", resource_version="2", phase="Running")
    third = a_shadow(ONE, "a", resource_version="3", phase="Running")
    for old, new in ((first, second), (second, third)):
        tally.follow(old, new)
        assert (used(tally), tally.is_settled) == ({"cpu": "3", "pods": "1"}, False)
    tally.follow(third, a_shadow(THREE, "a", resource_version="4", phase="Running"))
    assert (used(tally), tally.is_settled) == ({"cpu": "3", "pods": "1"}, True)


def test_who_is_elected_again_knows_what_it_promised_and_lists_the_rest() -> None:
    before = of(a_shadow(ONE, "a"))
    before.admit(a_claim(ONE, "b"), QUOTA, 0, 0)
    again = before.successor()
    assert (used(again), again.is_settled) == ({"cpu": "1", "pods": "1"}, False)
    again.follow(None, a_shadow(ONE, "b"))
    assert (used(again), again.is_settled) == ({"cpu": "1", "pods": "1"}, True)
    never_came = before.successor()
    never_came.forget(LONGEST_REQUEST)
    assert (used(never_came), never_came.is_settled) == ({}, True)


def test_a_change_of_what_ended_meanwhile_is_forgotten() -> None:
    tally = of(a_shadow(ONE))
    tally.admit(a_claim(TWO, is_change=True), QUOTA, 0, 0)
    tally.follow(a_shadow(ONE), a_shadow(ONE, phase="Failed"))
    assert (used(tally), tally.is_settled) == ({}, True)


def test_users_are_counted_apart() -> None:
    tally = of(a_shadow(THREE, "a"))
    assert tally.admit(a_claim(THREE, "b", "other"), a_quota(user="other", cpu="3"), 0, 0) == ALLOW
    assert used(tally) == used(tally, "other") == {"cpu": "3", "pods": "1"}


def test_what_cannot_be_a_pod_takes_nothing() -> None:
    assert used(of(a_shadow(taking(cpu="abc")))) == {}
    assert used(of(a_shadow(PodSize()))) == {}
    assert used(of(a_shadow(taking(cpu="-1", memory="1")))) == {"memory": "1", "pods": "1"}


def test_that_a_copy_is_not_followed_any_more_changes_nothing() -> None:
    tally = of(a_shadow(ONE))
    tally.follow(None, None)
    assert used(tally) == {"cpu": "1", "pods": "1"}


pods = st.sampled_from([ONE, TWO, THREE, taking(cpu="100m", memory="1Gi"), a_pod(a_container())])
USERS = (USER, "other")
PLENTY = {each: a_quota(user=each, cpu="999", memory="999Gi", pods="999") for each in USERS}
History: TypeAlias = list[Claim | SizedShadowPod | None]  # of one key; None: it is gone


def histories(name: str) -> st.SearchStrategy[History]:
    """What may be asked and told of it, in that order: also what no API server would tell."""
    same = (pods, st.just(name), st.sampled_from(USERS))
    uid, versions = st.sampled_from(["first", "second"]), st.integers(1, 9)
    asked = {"is_change": st.booleans(), "after": versions, "is_dry_run": st.booleans()}
    told = {
        "resource_version": versions.map(str),
        "phase": st.sampled_from(["", "Running", "Failed"]),
        "annotations": st.sampled_from([{}, HELD]),
        "generation": st.just(1),
        "observed": st.integers(0, 1),
    }
    claims = st.builds(a_claim, *same, uid=uid, **asked)
    shadows = st.builds(a_shadow, *same, uid=uid, **told)
    return st.lists(claims | shadows | st.none(), max_size=6)


def played(known: Mapping[str, History], order: Iterable[str]) -> Tally:
    """Each step of a history as often as its name is in the order."""
    tally, stored = Tally(), dict[str, SizedShadowPod | None]()
    left = {name: iter(history) for name, history in known.items()}
    for name in order:
        step = next(left[name])
        if isinstance(step, Claim):
            assert tally.admit(step, PLENTY[step.user], 0, 0) == ALLOW
        else:
            tally.follow(stored.get(name), step)
            stored[name] = step
    return tally


@given(known=st.fixed_dictionaries({name: histories(name) for name in "abc"}), order=st.randoms())
def test_the_order_in_which_things_happen_to_different_pods_does_not_matter(
    known: Mapping[str, History], order: Random
) -> None:
    """Of one pod it does: what is told of it is told in order."""
    names = [name for name, history in known.items() for _ in history]
    one = played(known, names)
    order.shuffle(names)
    other = played(known, names)
    for heard in (0.0, LONGEST_REQUEST):  # and when nothing comes any more
        for tally in (one, other):
            tally.forget(heard)
        assert [used(one, user) for user in USERS] == [used(other, user) for user in USERS]
        assert one.is_settled == other.is_settled
    assert one.is_settled
