"""The way to a provider stays open until nothing of ours is left there."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from liqo.api.authentication import ResourceSlice
from liqo.api.meta import Key
from liqo.consumer.replication.copies import forge
from liqo.consumer.replication.credentials import FINALIZER, State, controller, observe, plan
from liqo.consumer.replication.route import Link
from liqo.runtime.plan import NOTHING, Patch
from tests.builders import bring
from tests.unit.consumer import things
from tests.unit.consumer.replication.routes import GOING, ROUTE, a_kubeconfig

HELD: dict[str, Any] = {"finalizers": (FINALIZER,)}
DELETED = a_kubeconfig(deletion_timestamp=GOING, **HELD)


def finalizers(state: State) -> object:
    (patch,) = plan(state).actions
    assert isinstance(patch, Patch)
    return patch.change["metadata"]["finalizers"]


def test_a_live_secret_is_held() -> None:
    assert finalizers(State(a_kubeconfig(), 0, 0, "unknown")) == [FINALIZER]
    assert plan(State(a_kubeconfig(**HELD), 3, 3, "open")) == NOTHING


def test_when_nothing_is_left_we_let_go() -> None:
    assert finalizers(State(DELETED, 0, 0, "open")) is None


@pytest.mark.parametrize(
    ("here", "there", "link"),
    [(1, 0, "open"), (1, 0, "dead"), (0, 1, "open"), (0, 0, "unknown"), (1, 1, "withdrawn")],
)
def test_r7_while_something_is_left_the_credentials_stay(here: int, there: int, link: Link) -> None:
    """A Renew that has no way out any more would be stuck for ever."""
    assert plan(State(DELETED, here, there, link)) == NOTHING


@pytest.mark.parametrize("link", ["dead", "withdrawn"])
def test_what_is_out_of_our_hands_does_not_hold_us(link: Link) -> None:
    assert finalizers(State(DELETED, 0, 5, link)) is None


def test_what_is_observed() -> None:
    here, there = things.caches(), things.caches()
    made = controller(ROUTE, here, there)
    assert len(made.watches) == 8
    assert {keys_of(DELETED) for keys_of in made.watches.values()} == {(ROUTE.secret,)}
    assert observe(ROUTE, here, there, Key("x", "y")) is None
    bring(here, DELETED)
    things.put(here, things.a_request())
    things.put(here, things.a_renew())
    copy = forge(things.a_request(), ROUTE)
    assert isinstance(copy, ResourceSlice)
    metadata = msgspec.structs.replace(copy.metadata, resource_version="7")
    there.of(ResourceSlice, ROUTE.copies).take(msgspec.structs.replace(copy, metadata=metadata))
    seen = observe(ROUTE, here, there, ROUTE.secret)
    assert seen == State(DELETED, 2, 1, "unknown")
