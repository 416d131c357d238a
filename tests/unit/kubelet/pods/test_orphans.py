"""Since when a ShadowPod has no pod, as far as we know."""

from __future__ import annotations

from datetime import timedelta

import pytest

from liqo.api import labels
from liqo.api.kubernetes import Pod
from liqo.api.meta import Key, Meta
from liqo.api.offloading import NamespaceMap, ShadowPod, VirtualNode
from liqo.kube.listing import Listing
from liqo.kube.paths import Scope
from liqo.kubelet.pods.belonging import CURRENT, Whose
from liqo.kubelet.pods.controller import controller
from liqo.kubelet.pods.orphans import (
    FORSAKEN,
    KEPT,
    LATE,
    LONG_AGO,
    Alone,
    Orphans,
    patience,
    withdraw,
)
from liqo.runtime.plan import NOTHING, Delete, Plan, do
from tests.unit.kubelet.pods.test_controller import a_map, caches
from tests.unit.kubelet.pods.things import GOING, NOW, SITE, a_pod, a_shadow, marks

KEY = a_pod().key
LATER = NOW + timedelta(seconds=4)


def test_one_whose_pod_was_never_seen_counts_from_the_first_look() -> None:
    orphans = Orphans()
    assert orphans.since(KEY, a_shadow(), NOW) == NOW
    assert orphans.since(KEY, a_shadow(), LATER) == NOW
    assert orphans.since(KEY, None, LATER) is None, "its pod came, or it went"
    assert orphans.since(KEY, a_shadow(), LATER) == LATER


def test_one_whose_pod_we_saw_go_is_one_at_once() -> None:
    orphans = Orphans()
    orphans.follow(None, a_pod())
    orphans.follow(a_pod(), a_pod())
    assert orphans.since(KEY, a_shadow(), NOW) == NOW, "it was not seen to go"
    orphans.follow(a_pod(), None)
    assert orphans.since(KEY, a_shadow(), NOW) == LONG_AGO
    assert orphans.since(KEY, None, NOW) is None
    assert orphans.since(KEY, a_shadow(), LATER) == LATER, "what went before counts once"


def test_one_that_was_made_for_another_pod_than_the_one_that_went_waits() -> None:
    orphans = Orphans()
    orphans.follow(a_pod(uid="local-0"), None)
    assert orphans.since(KEY, a_shadow(), NOW) == NOW
    assert orphans.since(KEY, a_shadow(annotations={}), LATER) == NOW


def test_of_those_that_go_while_nobody_asks_the_last_are_known() -> None:
    """A kubelet that waits for its turn hears of pods for weeks."""
    orphans = Orphans()
    for number in range(KEPT + 1):
        orphans.follow(a_pod(name=f"web-{number}"), None)
    first, second = a_pod(name="web-0").key, a_pod(name="web-1").key
    assert orphans.since(first, a_shadow(), NOW) == NOW
    assert orphans.since(second, a_shadow(), NOW) == LONG_AGO


def test_what_nobody_has_a_pod_for_is_withdrawn_in_its_time() -> None:
    assert patience(Alone(NOW), NOW, is_leaving=False) == LATE.total_seconds()
    assert patience(Alone(), NOW, is_leaving=False) == LATE.total_seconds()
    assert patience(Alone(NOW), NOW, is_leaving=True) == 0, "there would be no time for it"
    for leaves in (False, True):
        forsaken = Alone(NOW, is_forsaken=True)
        assert patience(forsaken, NOW, is_leaving=leaves) == FORSAKEN.total_seconds()
        assert patience(Alone(LONG_AGO, is_forsaken=True), NOW, is_leaving=leaves) < 0


@pytest.mark.parametrize(
    ("there", "alone", "expected"),
    [
        (a_shadow(), Alone(LONG_AGO), do(Delete(a_shadow(), on="remote"))),
        (a_shadow(), Alone(NOW), do(wake_after=LATE.total_seconds())),
        (a_shadow(), None, NOTHING),
        (a_shadow(deletion_timestamp=GOING), Alone(LONG_AGO), NOTHING),
        (None, Alone(LONG_AGO), NOTHING),
    ],
    ids=["its pod is gone", "it may be late", "another's", "it goes already", "not there"],
)
def test_what_is_ours_to_withdraw_goes_in_its_time(
    there: ShadowPod | None, alone: Alone | None, expected: Plan
) -> None:
    assert withdraw(there, alone, NOW, is_leaving=False) == expected


@pytest.mark.parametrize(
    ("of", "expected"),
    [
        ("ours", Alone(NOW)),
        ("forsaken", Alone(NOW, is_forsaken=True)),
        ("uncertain", Alone(is_forsaken=True)),
        ("another's", None),
        ("strange", None),
    ],
)
def test_what_somebody_else_sees_to_is_not_ours_to_withdraw(
    of: Whose, expected: Alone | None
) -> None:
    orphans = Orphans()
    assert orphans.alone(KEY, a_shadow(), of, NOW) == expected
    assert orphans.alone(KEY, None, of, NOW) is None
    assert orphans == Orphans()


def test_while_it_is_uncertain_whether_its_node_is_no_more_no_time_passes() -> None:
    orphans, at = Orphans(), [NOW + timedelta(seconds=second) for second in (0, 110, 120, 130)]
    of: tuple[Whose, ...] = ("forsaken", "uncertain", "uncertain", "forsaken")
    seen = [orphans.alone(KEY, a_shadow(), each, now) for each, now in zip(of, at, strict=True)]
    assert [alone.since for alone in seen if alone is not None] == [NOW, None, None, at[3]]
    for alone, now in zip(seen[1:], at[1:], strict=True):
        later = do(wake_after=FORSAKEN.total_seconds())
        assert withdraw(a_shadow(), alone, now, is_leaving=False) == later


def test_when_a_node_comes_back_the_time_of_what_it_made_begins_anew() -> None:
    """Nobody looks at it while its node is there."""
    orphans, back = Orphans(), VirtualNode(metadata=Meta(name="milan-2"))
    ours, theirs = Key("shop", "web-1"), a_shadow(labels=marks(**{labels.NODE_NAME: "milan-2"}))
    for key, shadow in ((KEY, theirs), (ours, a_shadow(name="web-1"))):
        assert orphans.since(key, shadow, NOW) == NOW
    for old, new in ((back, back), (back, None), (None, None)):
        orphans.welcome(old, new)
    assert orphans.since(KEY, theirs, LATER) == NOW, "it did not come"
    orphans.welcome(None, back)
    assert orphans.since(KEY, theirs, LATER) == LATER
    assert orphans.since(ours, a_shadow(name="web-1"), LATER) == NOW


async def test_a_node_that_comes_back_and_goes_again_has_its_two_minutes_again() -> None:
    here, there, seen = caches("rome"), caches("milan"), list[Alone | None]()
    made = controller(here, there, SITE, lambda: (NOW, LATER)[len(seen)])
    here.of(NamespaceMap, Scope("liqo-tenant-milan")).take(a_map())
    nodes = here.of(VirtualNode, Scope("liqo-tenant-milan"))
    [shadows] = [copy for copy in there if copy.reading.kind == ShadowPod.KIND]
    shadows.take(a_shadow(labels=marks(**{labels.NODE_NAME: "milan-2"}), resource_version="5"))
    known = Meta(name="milan-2", namespace="liqo-tenant-milan", resource_version="6")
    for version in ("6", "7"):
        await nodes.adopt(Listing([VirtualNode(metadata=known)], version))
        await nodes.adopt(Listing([], version))
        state = made.observe(KEY)
        seen.append(state.alone if state is not None else None)
    assert seen == [Alone(since, is_forsaken=True) for since in (NOW, LATER)]


def test_a_node_that_came_is_heard_of_before_what_it_made_counts_as_forsaken() -> None:
    assert FORSAKEN.total_seconds() > CURRENT


async def test_what_another_node_made_is_no_orphan_of_ours_while_we_do_not_know_of_nodes() -> None:
    here, there = caches("rome"), caches("milan")
    made = controller(here, there, SITE, lambda: NOW)
    here.of(NamespaceMap, Scope("liqo-tenant-milan")).take(a_map())
    [shadows] = [copy for copy in there if copy.reading.kind == ShadowPod.KIND]
    await here.of(Pod, Scope(fields="spec.nodeName=milan")).adopt(Listing([], "7"))
    for version, node, alone in (("5", "milan-2", None), ("6", "milan", Alone(NOW))):
        marked = marks(**{labels.NODE_NAME: node})
        shadows.take(a_shadow(labels=marked, resource_version=version))
        state = made.observe(KEY)
        assert state is not None
        assert state.alone == alone


def test_what_is_no_change_of_an_object_says_nothing() -> None:
    orphans = Orphans()
    orphans.follow(None, None)
    assert orphans == Orphans()


async def test_a_pod_that_was_seen_to_go_is_believed_to_be_gone() -> None:
    here, there = caches("rome"), caches("milan")
    made = controller(here, there, SITE, lambda: NOW)
    here.of(NamespaceMap, Scope("liqo-tenant-milan")).take(a_map())
    pods = here.of(Pod, Scope(fields="spec.nodeName=milan"))
    [shadows] = [copy for copy in there if copy.reading.kind == ShadowPod.KIND]
    await pods.adopt(Listing([a_pod()], "7"))
    shadows.take(a_shadow(resource_version="5"))
    await pods.adopt(Listing([], "8"))
    state = made.observe(KEY)
    assert state is not None
    assert state.alone == Alone(LONG_AGO)
