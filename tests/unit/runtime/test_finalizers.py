"""A finalizer comes and goes, and those of others stay."""

from liqo.runtime.finalizers import with_finalizer, without_finalizer, without_strangers
from liqo.runtime.plan import Patch
from tests.unit.runtime.things import a_thing

OURS = "liqo.io/ours"


def written(patch: Patch) -> object:
    assert patch.only_if_unchanged
    return patch.change["metadata"]["finalizers"]


def test_a_finalizer_is_added_beside_others_and_only_once() -> None:
    (patch,) = with_finalizer(a_thing(finalizers=("theirs",)), OURS)
    assert written(patch) == ["theirs", OURS]
    assert list(with_finalizer(a_thing(finalizers=(OURS,)), OURS)) == []


def test_a_finalizer_is_removed_and_others_stay() -> None:
    (patch,) = without_finalizer(a_thing(finalizers=("theirs", OURS)), OURS)
    assert written(patch) == ["theirs"]
    assert list(without_finalizer(a_thing(finalizers=("theirs",)), OURS)) == []


def test_finalizers_of_others_can_be_removed_and_ours_stays() -> None:
    (patch,) = without_strangers(a_thing(finalizers=("theirs", OURS, "others")), OURS)
    assert written(patch) == [OURS]
    assert list(without_strangers(a_thing(finalizers=(OURS,)), OURS)) == []
    assert list(without_strangers(a_thing(), OURS)) == []


def test_of_the_last_finalizer_nothing_is_left() -> None:
    (patch,) = without_finalizer(a_thing(finalizers=(OURS,)), OURS)
    assert written(patch) is None
