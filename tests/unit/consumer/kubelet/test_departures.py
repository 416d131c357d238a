"""Who is on a virtual node that leaves."""

from __future__ import annotations

import msgspec
import pytest

from liqo.api.meta import OwnerReference
from liqo.api.offloading import (
    PartStatus,
    VirtualNode,
    VirtualNodeCondition,
    VirtualNodeStatus,
)
from liqo.api.sizes import BoundPod
from liqo.consumer.kubelet.departures import Departures, bound_to, departures, is_waited_for
from liqo.kube.cache import Caches
from liqo.kube.listing import Listing
from tests.unit.consumer import things as at_home
from tests.unit.consumer.kubelet.things import GONE, a_pod, a_virtual_node, listed

STAYING = a_virtual_node()
LATER = "2026-11-16T11:59:01Z"  # than it was deleted
GOING = a_virtual_node(deletion_timestamp=GONE, resource_version="2")
DAEMON = (
    OwnerReference(api_version="apps/v1", kind="DaemonSet", name="d", uid="1", controller=True),
)


@pytest.mark.parametrize(
    ("pod", "expected"),
    [
        (a_pod(), True),
        (a_pod(owner_references=DAEMON), True),
        (a_pod(labels={}), True),
        (a_pod(labels={}, reason="OffloadingBackOff"), False),
        (a_pod(labels={}, owner_references=DAEMON, creation_timestamp=GONE), True),
        (a_pod(labels={}, owner_references=DAEMON, creation_timestamp=LATER), False),
        (a_pod(labels={}, creation_timestamp=GONE), True),
        (a_pod(labels={}, creation_timestamp=LATER), False),
        (a_pod(creation_timestamp=LATER), True),
    ],
    ids=[
        "went out",
        "daemon that went out",
        "says nothing",
        "stayed",
        "daemon",
        "the next daemon",
        "came before",
        "came since",
        "came since, and went out",
    ],
)
def test_it_is_waited_for(pod: BoundPod, expected: bool) -> None:
    assert is_waited_for(pod, GOING) is expected


LATEST = "2026-11-16T12:00:00Z"  # that counts as before: our clock may be behind
AFTER = "2026-11-16T12:00:01Z"


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        (None, (True, True, True, True)),
        ("Running", (True, True, True, True)),
        ("Draining", (True, True, True, False)),
        ("Deleting", (False, False, False, False)),
        ("None", (False, False, False, False)),
    ],
)
def test_where_only_the_node_goes_it_says_which_pods_came_since(
    said: PartStatus | None, expected: tuple[bool, ...]
) -> None:
    """Who is bound to it by name comes again and again, and would be waited for without end."""
    node = leaving_alone(said)
    pods = [a_pod(labels={}, creation_timestamp=made) for made in (GONE, LATER, LATEST, AFTER)]
    assert tuple(is_waited_for(pod, node) for pod in pods) == expected
    assert is_waited_for(a_pod(), node), "it went out, whatever is said of its node"


def leaving_alone(said: PartStatus | None) -> VirtualNode:
    """It stays itself, and wants no Node any more."""
    node = VirtualNodeCondition(type="Node", status=said or "None", last_transition_time=GONE)
    status = VirtualNodeStatus(conditions=(node,) if said is not None else ())
    return msgspec.structs.replace(a_virtual_node(create_node=False), status=status)


def test_a_daemon_may_be_left_to_a_kubelet_that_stays() -> None:
    daemon = a_pod(labels={}, owner_references=DAEMON, creation_timestamp=GONE)
    assert not is_waited_for(daemon, a_virtual_node(create_node=False))


def opened(here: Caches) -> bool:
    return any(copy.reading.model is BoundPod for copy in here)


async def test_pods_are_followed_while_their_node_leaves_and_not_a_moment_longer() -> None:
    here = at_home.caches()
    found = departures(here)
    assert departures(here) is found
    at_home.put(here, STAYING)
    assert (opened(here), found.on("milan")) == (False, None)
    at_home.put(here, GOING)
    assert (opened(here), found.on("milan")) == (True, None)
    await listed(here, a_pod())
    assert (found.on("milan"), found.get(a_pod().key)) == ([a_pod()], a_pod())
    at_home.put(here, msgspec.structs.replace(GOING, status=GOING.status))
    await here.of(VirtualNode).adopt(Listing([], "9"))
    assert (opened(here), found.values(), found.get(a_pod().key)) == (False, [], None)


async def test_who_watches_hears_of_each_that_comes_or_goes() -> None:
    here = at_home.caches()
    found, heard = Departures(here), list[BoundPod | None]()
    found.subscribe(lambda _, pod: heard.append(pod))
    at_home.put(here, GOING)
    copy = here.later(BoundPod, bound_to("milan"))
    await copy.adopt(Listing([a_pod()], "7"))
    await copy.adopt(Listing([], "8"))
    found._told(None, None)  # a copy that is not followed any more
    assert heard == [a_pod(), a_pod()]


async def test_that_virtual_nodes_are_all_known_changes_nothing() -> None:
    here = at_home.caches()
    found = Departures(here)
    await here.of(VirtualNode).adopt(Listing([STAYING], "1"))
    assert found.values() == []
