"""Held, and let go."""

from liqo.runtime.finalizers import with_finalizer, without_finalizer
from liqo.runtime.plan import Patch
from tests.unit.runtime.things import a_thing


def test_what_is_not_held_yet_is_held_beside_what_others_hold() -> None:
    thing = a_thing(finalizers=("other",))
    held = {"metadata": {"finalizers": ["other", "ours"]}}
    assert list(with_finalizer(thing, "ours")) == [Patch(thing, held, only_if_unchanged=True)]
    assert list(with_finalizer(thing, "other")) == []


def test_what_is_held_is_let_go_and_others_hold_on() -> None:
    thing = a_thing(finalizers=("other", "ours"))
    left = {"metadata": {"finalizers": ["other"]}}
    assert list(without_finalizer(thing, "ours")) == [Patch(thing, left, only_if_unchanged=True)]
    assert list(without_finalizer(a_thing(), "ours")) == []


def test_the_last_one_leaves_nothing() -> None:
    thing = a_thing(finalizers=("ours",))
    none = {"metadata": {"finalizers": None}}
    assert list(without_finalizer(thing, "ours")) == [Patch(thing, none, only_if_unchanged=True)]
