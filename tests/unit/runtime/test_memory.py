"""Skip or send: what is already so is not written again."""

import msgspec
import pytest

from liqo.api.kubernetes import ConfigMap, Pod
from liqo.api.meta import Meta
from liqo.kube.reading import Metadata
from liqo.runtime.memory import (
    TRUSTED,
    UNFOLLOWED,
    Followed,
    Memory,
    View,
    Written,
    digest,
    is_so,
    slot_of,
    standing,
)
from liqo.runtime.plan import Apply, Delete, Evict, Manifest, Patch, PatchStatus
from liqo.runtime.requests import Write, request_for
from tests.unit.runtime.things import Thing, a_pod, a_thing

WANTED = a_thing(size=3)
LEFT = a_thing(size=3, phase="New", uid="1", resource_version="5")
ABSENT = Followed(None)


def written(action: Write, left: Thing | Pod = LEFT, at: float = 0.0) -> Written:
    request = request_for(action)
    metadata = left.metadata
    stood = standing(left, request)
    return Written(digest(request), metadata.uid, metadata.resource_version, stood, at)


def skips(action: Write, last: Written | None, view: View, now: float = 1.0) -> bool:
    return is_so(request_for(action), last, view, now)


def changed(**differences: object) -> Followed:
    """The object after somebody else wrote to it."""
    kept = {"size": 3, "phase": "New", "uid": "1", "resource_version": "6"}
    return Followed(a_thing(**{**kept, **differences}))  # type: ignore[arg-type]  # a test's shorthand


@pytest.mark.parametrize(
    ("view", "skipped"),
    [
        pytest.param(Followed(LEFT), True, id="it stands as we left it"),
        pytest.param(changed(phase="Ready"), True, id="only its status changed"),
        pytest.param(changed(size=4), False, id="somebody changed a field"),
        pytest.param(changed(labels={"a": "b"}), False, id="somebody changed a label"),
        pytest.param(changed(uid="2"), False, id="it is another object by now"),
        pytest.param(ABSENT, False, id="somebody deleted it"),
    ],
)
def test_an_apply_is_skipped_while_the_object_stands_as_it_left_it(
    view: View, skipped: bool
) -> None:
    assert skips(Apply(WANTED), written(Apply(WANTED)), view) == skipped


def seen(version: str, **metadata: str) -> Metadata:
    return Metadata(metadata=Meta(name="web", uid="1", resource_version=version, labels=metadata))


def test_of_what_is_seen_by_its_metadata_any_new_version_may_hide_a_change() -> None:
    content = Manifest(ConfigMap.KIND, {"metadata": {"name": "web"}, "data": {"a": "1"}})
    request = request_for(Apply(content))
    last = Written(digest(request), "1", "5", standing(seen("5"), request), 0.0)
    assert is_so(request, last, Followed(seen("5")), 1.0)
    assert not is_so(request, last, Followed(seen("6")), 1.0)


def test_who_writes_only_metadata_sees_all_of_it() -> None:
    request = request_for(Apply(Manifest(ConfigMap.KIND, {"metadata": {"name": "web"}})))
    last = Written(digest(request), "1", "5", standing(seen("5"), request), 0.0)
    assert is_so(request, last, Followed(seen("6")), 1.0)
    assert not is_so(request, last, Followed(seen("6", a="b")), 1.0)


def test_an_apply_that_was_never_sent_is_sent() -> None:
    assert not skips(Apply(WANTED), None, Followed(LEFT))


def test_an_apply_that_wants_something_else_is_sent() -> None:
    assert not skips(Apply(a_thing(size=4)), written(Apply(WANTED)), Followed(LEFT))


def test_what_no_cache_follows_is_trusted_for_a_while() -> None:
    last = written(Apply(WANTED), at=100.0)
    assert skips(Apply(WANTED), last, UNFOLLOWED, now=100.0 + TRUSTED - 1)
    assert not skips(Apply(WANTED), last, UNFOLLOWED, now=100.0 + TRUSTED)


def test_a_status_is_written_again_only_when_the_status_changed() -> None:
    patch = PatchStatus(LEFT, {"phase": "New"})
    last = written(patch)
    assert skips(patch, last, changed(size=4))
    assert not skips(patch, last, changed(phase="Ready"))


def test_a_patch_is_skipped_like_an_apply() -> None:
    patch = Patch(LEFT, {"spec": {"size": 3}})
    assert skips(patch, written(patch), Followed(LEFT))
    assert not skips(patch, written(patch), changed(size=4))


GOING = {"deletion_timestamp": "2026-01-01T00:00:00Z", "deletion_grace_period_seconds": 30}
OVERDUE = {**GOING, "deletion_grace_period_seconds": 0}
HELD = {**OVERDUE, "finalizers": ("batch.kubernetes.io/job-tracking",)}


@pytest.mark.parametrize(
    ("action", "view", "skipped"),
    [
        pytest.param(Delete(a_pod()), Followed(a_pod()), False, id="it lives"),
        pytest.param(Delete(a_pod()), ABSENT, False, id="our copy may be the older one"),
        pytest.param(Delete(a_pod()), Followed(a_pod(**GOING)), True, id="it is going"),
        pytest.param(Delete(a_pod(), grace=0), Followed(a_pod(**GOING)), False, id="too slowly"),
        pytest.param(Delete(a_pod(), grace=30), Followed(a_pod(**GOING)), True, id="fast enough"),
        pytest.param(
            Delete(a_pod(uid="")), Followed(a_pod(**GOING)), True, id="whoever has that name"
        ),
        pytest.param(
            Delete(a_pod()), Followed(a_pod(uid="other", **GOING)), False, id="another is going"
        ),
        pytest.param(Evict(a_pod()), Followed(a_pod(**GOING)), True, id="an eviction too"),
        pytest.param(Delete(a_pod(), grace=0), Followed(a_pod(**OVERDUE)), False, id="cut off"),
        pytest.param(Delete(a_pod(), grace=0), Followed(a_pod(**HELD)), True, id="it is held"),
    ],
)
def test_a_deletion_is_skipped_when_it_is_under_way(
    action: Write, view: View, skipped: bool
) -> None:
    assert skips(action, None, view) == skipped


def test_what_was_deleted_by_uid_is_not_deleted_again_before_the_watch_says_so() -> None:
    assert skips(Delete(a_pod()), written(Delete(a_pod()), a_pod()), Followed(a_pod()))


def test_what_is_still_there_long_after_it_was_deleted_is_deleted_again() -> None:
    """An API server that was restored from a backup has it again, uid and all."""
    last = written(Delete(a_pod()), a_pod(), at=100.0)
    assert skips(Delete(a_pod()), last, Followed(a_pod()), now=100.0 + TRUSTED - 1)
    assert not skips(Delete(a_pod()), last, Followed(a_pod()), now=100.0 + TRUSTED)


def test_what_was_deleted_by_name_may_have_been_made_again() -> None:
    nameless = Delete(a_pod(uid=""))
    assert not skips(nameless, written(nameless, a_pod()), Followed(a_pod()))


def test_a_write_is_remembered_for_its_slot_alone() -> None:
    memory = Memory()
    mine = slot_of("provider/quota", request_for(Apply(WANTED)))
    other = slot_of("consumer/virtualnode", request_for(Apply(WANTED)))
    memory.note(mine, written(Apply(WANTED)))
    assert memory.recall(mine) == written(Apply(WANTED))
    assert memory.recall(other) is None


def test_what_one_of_us_removed_has_to_be_written_again() -> None:
    """Also where no cache tells: another controller's write is as gone as our own."""
    memory = Memory()
    apply = slot_of("provider/tenant", request_for(Apply(WANTED)))
    memory.note(apply, written(Apply(WANTED), at=1.0))
    assert memory.recall(apply) is not None
    delete = slot_of("provider/drain", request_for(Delete(LEFT)))
    memory.note(delete, written(Delete(LEFT), at=2.0))
    assert memory.recall(apply) is None
    assert memory.recall(delete) is not None
    memory.note(apply, written(Apply(WANTED), at=3.0))
    assert memory.recall(apply) is not None


def test_of_what_is_gone_only_its_end_is_remembered() -> None:
    memory = Memory()
    ended = Delete(LEFT)
    for action in (Patch(LEFT, {}), PatchStatus(LEFT, {}), ended):
        memory.note(slot_of("kubelet/pods", request_for(action)), written(action))
    assert len(memory) == 1
    assert memory.recall(slot_of("kubelet/pods", request_for(ended))) is not None


def test_the_oldest_write_is_forgotten_first_and_writing_again_keeps_it_young() -> None:
    memory = Memory(size=2)
    first, second, third = (slot_of(name, request_for(Apply(WANTED))) for name in "abc")
    for slot in (first, second, first, third):
        memory.note(slot, written(Apply(WANTED)))
    assert memory.recall(first)
    assert memory.recall(third)
    assert memory.recall(second) is None


def test_undecoded_parts_of_a_pod_are_compared_too() -> None:
    request = request_for(Apply(WANTED))
    assert standing(a_pod(), request) == standing(a_pod(resource_version="9"), request)
    assert standing(a_pod(), request) != standing(Pod(metadata=a_pod().metadata), request)


def test_a_finalizer_of_somebody_else_changes_nothing_for_who_wrote_none() -> None:
    metadata = msgspec.structs.replace(LEFT.metadata, finalizers=("a/b",), resource_version="6")
    held = Followed(msgspec.structs.replace(LEFT, metadata=metadata))
    assert skips(Apply(WANTED), written(Apply(WANTED)), held)
    holding = Patch(LEFT, {"metadata": {"finalizers": ["c/d"]}})
    assert not skips(holding, written(holding), held)
