"""A peer writes copies of its own objects, and touches nothing that is ours or another's."""

from __future__ import annotations

from typing import TypeAlias

import pytest

from liqo.api.authentication import Renew, ResourceSlice
from liqo.api.meta import Meta
from liqo.api.offloading import NamespaceMap
from liqo.webhooks.review import ALLOW, Deny, Request, User
from liqo.webhooks.reviews.copies import ANSWERED, NOT_ITS_COPY, NOT_ITS_OWN, validate
from tests.unit.webhooks.reviews.questions import (
    ADMIN,
    CONTROL_PLANE,
    PEERING_USER,
    creation,
    update,
)

Kind: TypeAlias = type[ResourceSlice] | type[Renew] | type[NamespaceMap]
PEERS = [CONTROL_PLANE, PEERING_USER, User("system:serviceaccount:liqo:liqo-peer-0123")]
COPY = {
    "liqo.io/replicated": "true",
    "liqo.io/replication": "false",
    "liqo.io/originID": "rome",
    "liqo.io/remoteID": "milan",
}
OURS = {"liqo.io/replication": "true", "liqo.io/remoteID": "rome"}
OF_VENICE = {**COPY, "liqo.io/originID": "venice"}
BOTH = {**COPY, "liqo.io/replication": "true"}
every_kind = pytest.mark.parametrize("kind", [ResourceSlice, Renew, NamespaceMap])


def deletion(thing: ResourceSlice | Renew | NamespaceMap, user: User) -> Request[ResourceSlice]:
    return Request("DELETE", user, thing, thing)  # type: ignore[arg-type]  # any of the three


def a_thing(kind: Kind, labels: dict[str, str], *finalizers: str) -> ResourceSlice:
    return kind(metadata=Meta(name="x", labels=labels, finalizers=finalizers))  # type: ignore[return-value]  # any of the three


@every_kind
def test_copies_of_its_own_come_change_and_go(kind: Kind) -> None:
    copy = a_thing(kind, COPY)
    for request in (creation, lambda it, user: update(it, it, user), deletion):
        assert validate(request(copy, CONTROL_PLANE), None) == ALLOW


@every_kind
@pytest.mark.parametrize("labels", [OURS, OF_VENICE, BOTH, {}, {"liqo.io/replicated": "true"}])
def test_nothing_else_is_a_peers_to_write(kind: Kind, labels: dict[str, str]) -> None:
    other, copy = a_thing(kind, labels), a_thing(kind, COPY)
    for user in PEERS:
        assert validate(creation(other, user), None) == Deny(NOT_ITS_COPY)
        assert validate(update(other, copy, user), None) == Deny(NOT_ITS_OWN)
        assert validate(deletion(other, user), None) == Deny(NOT_ITS_OWN)


def test_whoever_is_no_control_plane_has_no_copies() -> None:
    assert validate(creation(a_thing(Renew, COPY), PEERING_USER), None) == Deny(NOT_ITS_COPY)


@every_kind
@pytest.mark.parametrize("labels", [OURS, COPY])
def test_S7_no_status_is_a_peers_to_write(kind: Kind, labels: dict[str, str]) -> None:
    thing = a_thing(kind, labels)
    for user in PEERS:
        request = Request("UPDATE", user, thing, thing, subresource="status")
        assert validate(request, None) == Deny(ANSWERED)


@pytest.mark.parametrize("labels", [OURS, COPY, OF_VENICE])
def test_whoever_is_no_peer_may_do_anything(labels: dict[str, str]) -> None:
    thing, other = a_thing(NamespaceMap, labels, "a/b"), a_thing(NamespaceMap, {})
    status = Request("UPDATE", ADMIN, thing, other, subresource="status")
    for request in (creation(thing), update(thing, other), deletion(thing, ADMIN), status):
        assert validate(request, None) == ALLOW


@pytest.mark.parametrize(
    ("labels", "words"),
    [
        ({**COPY, "liqo.io/replicated": "false"}, "change the liqo.io/replicated label"),
        ({**COPY, "liqo.io/replication": "true"}, "change the liqo.io/replication label"),
        (OF_VENICE, "change the liqo.io/originID label"),
        ({k: v for k, v in COPY.items() if "remoteID" not in k}, "delete the liqo.io/remoteID"),
    ],
)
def test_a_copy_stays_the_copy_that_it_is(labels: dict[str, str], words: str) -> None:
    request = update(a_thing(Renew, COPY), a_thing(Renew, labels), CONTROL_PLANE)
    refused = validate(request, None)
    assert isinstance(refused, Deny)
    assert f"control plane users can't {words}" in refused.reason


def test_a_consumer_neither_holds_what_its_provider_ends_nor_lets_go_of_it() -> None:
    held, free = a_thing(NamespaceMap, COPY, "evil/x"), a_thing(NamespaceMap, COPY)
    refused = Deny("control plane users can't change the finalizers")
    assert validate(update(free, held, CONTROL_PLANE), None) == refused
    assert validate(update(held, free, CONTROL_PLANE), None) == refused
