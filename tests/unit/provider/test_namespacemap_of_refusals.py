"""Namespaces that milan refuses: by a policy, a quota, a webhook."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from liqo.api.kubernetes import RoleBinding
from liqo.api.offloading import NamespaceMap, NamespaceMapStatus, RemoteNamespace
from liqo.kube.errors import (
    Conflict,
    Forbidden,
    KubeError,
    NotFound,
    ServerFault,
    Status,
    from_status,
)
from liqo.kube.reading import Metadata
from liqo.provider.namespacemap import Lost, State, part_failed
from liqo.provider.reason import LONGEST
from liqo.runtime.plan import NOTHING, Plan, Record, do
from tests.unit.provider.maps import NAME, a_binding, a_map, a_namespace
from tests.unit.provider.test_namespacemap import decided, status

BY_POLICY = 'namespaces "shop-rome" is forbidden: the policy says no'
ENDLESS = "a" * 200_000  # what a consumer may write, it may write at length


def refused(asked: NamespaceMap, *there: Metadata, bound: RoleBinding | None = None) -> Plan:
    """What is said when milan refuses what is to be done for rome's shop."""
    namespaces = {each.metadata.name: each for each in there}
    state = State(asked, "rome", True, namespaces, {NAME: bound} if bound else {})
    no = from_status(Status(message=BY_POLICY, reason="Forbidden"), 403, where="milan")
    return part_failed(state, "shop", no)


def told_no(asked: NamespaceMap) -> Plan:
    return do(
        Record(asked, "NamespaceNotCreated", BY_POLICY, "Warning"),
        status(asked, shop=(NAME, "CreationLoopBackOff", BY_POLICY)),
    )


@pytest.mark.parametrize(
    "said", [{}, {"shop": (NAME, "Terminating")}, {"shop": (NAME, "Accepted")}], ids=str
)
def test_a_namespace_that_is_refused_here_is_told_in_the_words_of_who_refuses(said: Any) -> None:
    """Accepted is what somebody deleted since, and a policy does not let come back."""
    asked = a_map(said=said)
    assert refused(asked) == told_no(asked)


def test_it_is_told_once_and_stands_until_it_is_there() -> None:
    asked = a_map()
    words = RemoteNamespace(NAME, "CreationLoopBackOff", BY_POLICY)
    told = msgspec.structs.replace(
        asked, status=NamespaceMapStatus(current_mapping={"shop": words})
    )
    assert decided(told).actions == ()
    assert refused(told) == do(Record(told, "NamespaceNotCreated", BY_POLICY, "Warning"))


def test_words_that_differ_in_numbers_alone_are_no_change() -> None:
    """A change of the map would have it tried again at once, over and over."""
    before = "webhook: read tcp 10.0.0.1:53422->10.96.0.5:443: connection reset by peer"
    now = "webhook: read tcp 10.0.0.1:53987->10.96.0.5:443: connection reset by peer"
    words = {"shop": RemoteNamespace(NAME, "CreationLoopBackOff", before)}
    told = msgspec.structs.replace(a_map(), status=NamespaceMapStatus(current_mapping=words))
    state = State(told, "rome", True, {}, {})
    again = part_failed(state, "shop", ServerFault(now))
    assert again == do(
        Record(told, "NamespaceNotCreated", before, "Warning"),
    )
    other = part_failed(state, "shop", ServerFault("x" * 5000))
    assert other == do(
        Record(told, "NamespaceNotCreated", "x" * 1000, "Warning"),
        status(told, shop=(NAME, "CreationLoopBackOff", "x" * 1000)),
    )


def test_words_that_were_said_of_another_name_are_none_of_this_one() -> None:
    """One number may be all that tells two names apart."""
    of_first = BY_POLICY.replace(NAME, "shop-1")
    words = {"shop": RemoteNamespace("shop-1", "CreationLoopBackOff", of_first)}
    wanted = {"shop": "shop-2"}
    asked = msgspec.structs.replace(a_map(wanted), status=NamespaceMapStatus(current_mapping=words))
    of_second = BY_POLICY.replace(NAME, "shop-2")
    said = part_failed(State(asked, "rome", True, {}, {}), "shop", Forbidden(of_second))
    assert said == do(
        Record(asked, "NamespaceNotCreated", of_second, "Warning"),
        status(asked, shop=("shop-2", "CreationLoopBackOff", of_second)),
    )


def test_whatever_a_consumer_said_in_our_place_is_said_by_us_again() -> None:
    """It may write the status of its map, at any length."""
    words = {"shop": RemoteNamespace(NAME, "CreationLoopBackOff", ENDLESS)}
    asked = msgspec.structs.replace(a_map(), status=NamespaceMapStatus(current_mapping=words))
    assert refused(asked) == told_no(asked)


@pytest.mark.parametrize(
    "wanted",
    [{"shop": ENDLESS}, {"bank": ENDLESS, "shop": ENDLESS}, {ENDLESS: NAME, "shop": NAME}],
    ids=["impossible", "both impossible", "taken"],
)
def test_of_a_name_without_end_the_beginning_is_told(wanted: dict[str, str]) -> None:
    *complaints, _ = decided(a_map(wanted)).actions
    assert complaints
    for each in complaints:
        assert isinstance(each, Record)
        assert len(each.message) <= LONGEST


def not_put_right(asked: NamespaceMap) -> Plan:
    words = f"{NAME}: {BY_POLICY}"
    return do(Record(asked, "NamespaceNotPutRight", words, "Warning"))


def test_rights_that_are_refused_leave_as_it_is_what_was_accepted() -> None:
    accepted = a_map(said={"shop": (NAME, "Accepted")})
    assert refused(accepted, a_namespace()) == not_put_right(accepted)
    assert refused(a_map(), a_namespace()) == told_no(a_map())
    elsewhere = a_map(said={"shop": ("shop-2", "Accepted")})
    assert refused(elsewhere, a_namespace()) == told_no(elsewhere)


def test_labels_that_cannot_be_put_right_are_no_reason_to_refuse_a_namespace_and_are_told() -> None:
    """Its level of Pod Security is one of them: who runs this cluster should know."""
    for asked in (a_map(), a_map(said={"shop": (NAME, "Accepted")})):
        assert refused(asked, a_namespace(), bound=a_binding()) == not_put_right(asked)


@pytest.mark.parametrize("error", [Conflict("it is there"), NotFound("it is gone")])
def test_what_is_decided_anew_at_once_is_not_told(error: KubeError) -> None:
    assert part_failed(State(a_map(), "rome", True, {}, {}), "shop", error) == NOTHING
    assert part_failed(Lost((), ()), "shop", Forbidden("no")) == NOTHING
