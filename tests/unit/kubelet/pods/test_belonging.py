"""Whose a ShadowPod is that has the name of our pod, and whose the pod that was made of it."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from liqo.api import labels
from liqo.api.kubernetes import Pod
from liqo.api.meta import Meta
from liqo.api.offloading import ShadowPod, VirtualNode
from liqo.kube.access import Access
from liqo.kube.cache import REFUSAL, Cache
from liqo.kube.cluster import Cluster
from liqo.kube.listing import Listing
from liqo.kube.reading import Unreadable
from liqo.kubelet.pods.belonging import (
    CURRENT,
    Whose,
    is_current,
    is_foreign,
    is_in_the_way,
    is_made_of,
    left_by,
    whose,
    without_foreign,
)
from tests.unit.kube.scripted import Hands, refuses, says, scripted
from tests.unit.kubelet.pods.things import SITE, a_pod, a_remote, a_shadow, marks, running

BEFORE, CAME, AFTER = (f"2026-11-15T10:17:5{second}Z" for second in (3, 4, 5))
NEW = a_pod(creation_timestamp=CAME)
RAN = a_pod(running(), creation_timestamp=CAME)


def elsewhere(node: str = "milan-2", *, uid: str = "local-2", made: str | None = AFTER) -> Any:
    """By another node of ours, for another pod, if nothing else is said."""
    notes = {labels.LOCAL_POD_UID: uid} if uid else {}
    marked = marks(**{labels.NODE_NAME: node})
    return a_shadow(labels=marked, annotations=notes, creation_timestamp=made)


NAMELESS = {name: value for name, value in marks().items() if name != labels.NODE_NAME}


@pytest.mark.parametrize(
    ("shadow", "local", "expected"),
    [
        pytest.param(a_shadow(labels=marks(**{labels.ORIGIN: "paris"})), NEW, True, id="paris'"),
        pytest.param(a_shadow(), NEW, False, id="our own"),
        pytest.param(elsewhere("milan"), RAN, False, id="our node's, for another pod"),
        pytest.param(a_shadow(labels=NAMELESS), RAN, False, id="nobody knows which node's"),
        pytest.param(elsewhere(uid="local-1"), RAN, False, id="for our pod, whatever its label"),
        pytest.param(elsewhere(), RAN, True, id="our pod had the name: what came then is later"),
        pytest.param(elsewhere(made=BEFORE), RAN, True, id="whatever the provider's clock says"),
        pytest.param(elsewhere(made=BEFORE), NEW, False, id="of a pod before ours"),
        pytest.param(elsewhere(uid="", made=BEFORE), NEW, False, id="that says not which"),
        pytest.param(elsewhere(), NEW, True, id="of a pod after ours"),
        pytest.param(elsewhere(made=CAME), NEW, True, id="in doubt it is left to its own node"),
        pytest.param(elsewhere(made=None), a_pod(), True, id="nobody knows when"),
    ],
)
def test_P_RACE4_a_kubelet_that_hears_late_leaves_a_later_pod_of_another_node_alone(
    shadow: Any, local: Pod, expected: bool
) -> None:
    assert is_foreign(shadow, local, SITE) is expected


def test_what_is_foreign_is_in_the_way_of_a_pod_that_never_ran() -> None:
    assert is_in_the_way(elsewhere(), NEW, SITE)
    assert not is_in_the_way(elsewhere(), RAN, SITE), "it had its name before that"
    assert not is_in_the_way(elsewhere(made=BEFORE), NEW, SITE)
    assert not is_in_the_way(a_shadow(), NEW, SITE)


def test_what_was_made_of_a_foreign_shadow_pod_is_foreign_too() -> None:
    later, made, ours = elsewhere(), a_remote(), a_remote(of="shadow-0")
    assert without_foreign(later, made, RAN, SITE) == (None, None)
    assert without_foreign(later, None, RAN, SITE) == (None, None)
    assert without_foreign(later, ours, RAN, SITE) == (None, ours)
    assert without_foreign(a_shadow(), made, RAN, SITE) == (a_shadow(), made)
    assert without_foreign(None, made, RAN, SITE) == (None, made)
    paris = a_remote(labels=marks(**{labels.ORIGIN: "paris"}))
    assert without_foreign(a_shadow(), paris, RAN, SITE) == (a_shadow(), None)


async def nodes(*names: str) -> Cache[VirtualNode]:
    found: Cache[VirtualNode] = Cache(Cluster(Access("")), VirtualNode)
    await found.adopt(Listing([a_node(name) for name in names], "1"))
    return found


def a_node(name: str) -> VirtualNode:
    return VirtualNode(metadata=Meta(name=name, namespace=SITE.tenant_namespace))


@pytest.mark.parametrize(
    ("there", "left", "expected"),
    [
        (elsewhere(), ("milan", "milan-3"), "forsaken"),
        (elsewhere(), ("milan", "milan-2"), "another's"),
        (a_shadow(), (), "ours"),
        (a_shadow(labels=NAMELESS), (), "strange"),
        (a_shadow(labels=marks(**{labels.ORIGIN: "paris", labels.NODE_NAME: "x"})), (), "strange"),
        (a_shadow(labels=marks(**{labels.ORIGIN: "paris"})), (), "strange"),
        (None, (), "strange"),
    ],
    ids=[
        "its node is no more",
        "its node is there",
        "our own",
        "nobody knows whose",
        "paris'",
        "paris' of a node that is called as ours",
        "not there",
    ],
)
async def test_what_a_node_of_ours_made_that_is_no_more_is_forsaken(
    there: ShadowPod | None, left: tuple[str, ...], expected: Whose
) -> None:
    assert whose(there, await nodes(*left), SITE) == expected


async def test_a_copy_that_is_old_or_refused_does_not_tell_that_a_node_is_no_more() -> None:
    """It may have come since."""
    clock = Hands()
    known: Cache[VirtualNode] = Cache(Cluster(Access("")), VirtualNode, clock=clock)
    await known.adopt(Listing([a_node("milan")], "1"))
    seen = []
    for clock.now in (0, CURRENT, CURRENT + 1):
        seen.append((whose(elsewhere(), known, SITE), whose(a_shadow(), known, SITE)))
    assert seen == [("forsaken", "ours"), ("forsaken", "ours"), ("uncertain", "ours")]
    await known.adopt(Listing([a_node("milan")], "2"))
    assert whose(elsewhere(), known, SITE) == "forsaken"


async def test_a_copy_that_we_may_not_follow_does_not_tell_that_a_node_is_no_more() -> None:
    clock, listed = Hands(), says({"metadata": {"resourceVersion": "1"}, "items": []})
    due = asyncio.Event()
    async with (
        scripted(listed, refuses(403), replace(refuses(403), when=due)) as server,
        Cluster(server.access) as cluster,
        asyncio.TaskGroup() as group,
    ):
        known = Cache(cluster, VirtualNode, clock=clock)
        following = group.create_task(known.run())
        await server.until_asked(3)
        before = whose(elsewhere(), known, SITE)
        clock.now = REFUSAL
        due.set()
        await server.until_asked(4)
        after = whose(elsewhere(), known, SITE)
        following.cancel()
    assert (before, after) == ("forsaken", "uncertain")


async def test_a_node_that_we_cannot_read_may_be_there() -> None:
    known, there = await nodes("milan-2"), a_node("milan-2").key
    await known.adopt(Listing([], "2", [Unreadable(there, "2", "no")]))
    assert whose(elsewhere(), known, SITE) == "uncertain"
    await known.adopt(Listing([], "3"))
    assert whose(elsewhere(), known, SITE) == "forsaken"


async def test_while_nobody_knows_which_nodes_there_are_nothing_is_forsaken() -> None:
    unknown = Cache(Cluster(Access("")), VirtualNode)
    assert whose(elsewhere(), unknown, SITE) == "another's"
    assert whose(a_shadow(), unknown, SITE) == "ours"


async def test_what_a_node_left_there_is_all_that_it_made_once_it_is_no_more() -> None:
    there = (a_shadow(), elsewhere(), a_shadow(labels=NAMELESS))
    assert list(left_by(a_node("milan-2"), await nodes("milan"), there)) == [elsewhere()]
    assert list(left_by(a_node("milan-2"), await nodes("milan-2"), there)) == []


def test_a_shadow_pod_is_current_if_our_node_made_it_for_this_pod_and_asks_for_no_end() -> None:
    assert is_current(a_shadow(), NEW, SITE)
    assert not is_current(elsewhere(uid="local-1"), NEW, SITE)
    assert not is_current(a_shadow(), a_pod(uid="local-2"), SITE)
    assert not is_current(a_shadow(annotations={labels.END_WITHIN: "0"}), NEW, SITE)


def test_a_remote_pod_is_made_of_the_shadow_pod_that_owns_it() -> None:
    assert is_made_of(a_remote(), a_shadow(), NEW)
    assert not is_made_of(a_remote(of="shadow-0"), a_shadow(), NEW)
    assert not is_made_of(a_remote(), a_shadow(), a_pod(uid="local-2"))


def test_where_its_shadow_pod_is_gone_a_remote_pod_says_itself_whose_it_is() -> None:
    assert is_made_of(a_remote(), None, NEW)
    assert not is_made_of(a_remote(), None, a_pod(uid="local-2"))
