"""How objects stood in, what is wrong with that out."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec
import pytest

from liqo.api import labels
from liqo.api.kubernetes import Pod, Secret
from liqo.api.meta import Key, Meta, OwnerReference
from tests.invariants import POD, SHADOW_POD, History, Sight, disagreements, sight, violations


def here(phase: str = "Running", **more: Any) -> Sight:
    return Sight("rome", POD, Key("shop", "web"), "local", "1", "local", phase=phase, **more)


def shadow(uid: str = "shadow", **more: Any) -> Sight:
    return Sight("milan", SHADOW_POD, Key("shop-rome", "web"), uid, "1", "local", **more)


def there(phase: str = "Running", uid: str = "remote", **more: Any) -> Sight:
    known = {"owner": "shadow", **more}
    return Sight("milan", POD, Key("shop-rome", "web"), uid, "1", "local", phase=phase, **known)


def secret(**more: Any) -> Sight:
    return Sight("milan", "Secret", Key("shop-rome", "web-token"), "token", "1", "local", **more)


def seen(*sights: Sight, taken: Iterable[str] = ()) -> History:
    history = History("rome", "milan")
    history.taken.update(taken)
    for each in sights:
        history.note(each)
    return history


def never(*sights: Sight, taken: Iterable[str] = ()) -> list[str]:
    return [wrong.sentence for wrong in violations(seen(*sights, taken=taken))]


def at_last(*sights: Sight) -> list[str]:
    return [wrong.sentence for wrong in disagreements(seen(*sights))]


IN_ORDER = (here("Pending"), shadow(), there("Pending"), there(), here(), secret())
GONE = (
    here(is_ending=True),
    shadow(is_gone=True),
    there(is_ending=True),
    there(is_gone=True),
    secret(is_gone=True),
    here(is_ending=True, is_gone=True),
)


def test_a_pod_that_runs_and_is_deleted_is_all_right() -> None:
    assert never(*IN_ORDER) == at_last(*IN_ORDER) == []
    assert never(*IN_ORDER, *GONE, taken=["local"]) == at_last(*IN_ORDER, *GONE) == []


def test_a_second_remote_pod_is_one_too_many() -> None:
    assert never(*IN_ORDER, there(is_gone=True), there(uid="other")) == [
        "milan: Pod shop-rome/web was made 2 times for one pod: uids remote, other"
    ]


def test_a_second_shadow_pod_is_one_too_many() -> None:
    [said] = never(*IN_ORDER, shadow("other"))
    assert said.startswith("milan: ShadowPod shop-rome/web was made 2 times")


def test_a_remote_pod_that_the_test_took_away_may_come_again() -> None:
    again = (there(is_gone=True), there(uid="other"))
    assert never(*IN_ORDER, *again, taken=["remote"]) == []


def test_with_a_shadow_pod_that_the_test_took_away_its_pod_may_come_again() -> None:
    again = (shadow(is_gone=True), shadow("second"), there(uid="other", owner="second"))
    assert never(*IN_ORDER, *again, taken=["shadow"]) == []


def test_a_container_that_was_started_twice_is_told() -> None:
    once = there(containers=frozenset({("web", "a"), ("log", "b")}))
    twice = there(containers=frozenset({("web", "c"), ("log", "b")}))
    assert never(*IN_ORDER, once) == []
    assert never(*IN_ORDER, once, twice) == [
        "milan: Pod shop-rome/web: its container web was started 2 times"
    ]


@pytest.mark.parametrize(
    ("again", "who"), [(here("Running"), "rome: Pod shop/web"), (there(), "milan: Pod")]
)
def test_what_finished_does_not_run_again(again: Sight, who: str) -> None:
    done = (*IN_ORDER, there("Succeeded"), here("Succeeded"))
    assert never(*done) == at_last(*done) == []
    [said] = never(*done, again)
    assert said.startswith(who)
    assert said.endswith("was Succeeded, and Running after that")


def test_what_finished_is_not_made_again_whoever_took_it_away() -> None:
    done = (*IN_ORDER, there("Succeeded"), there("Succeeded", is_gone=True))
    assert never(*done, there("Pending", uid="other"), taken=["remote"]) == [
        "milan: Pod shop-rome/web was made again after remote Succeeded"
    ]


def test_what_was_stopped_may_be_made_again() -> None:
    """A pod that somebody deletes ends in a phase as if it had finished."""
    stopped = (there("Succeeded", is_ending=True), there("Succeeded", is_gone=True, is_ending=True))
    again = (there("Pending", uid="other"), there(uid="other"))
    assert never(*IN_ORDER, *stopped, *again, taken=["remote"]) == []


@pytest.mark.parametrize("end", ["Succeeded", "Failed"])
def test_a_local_pod_finishes_only_if_a_remote_one_did(end: str) -> None:
    assert never(*IN_ORDER, there(end), here(end)) == []
    said = f"rome: Pod shop/web {end} (Why), and no pod of it in milan did"
    assert never(*IN_ORDER, here(end, reason="Why")) == [said]
    assert never(*IN_ORDER, there(end, is_ending=True), here(end, reason="Why")) == [said]


def test_a_pod_whose_namespace_the_test_took_back_may_have_failed_at_home_alone() -> None:
    aborted = (*IN_ORDER, here("Failed", reason="OffloadingAborted"))
    assert never(*aborted, taken=["local"]) == []
    [said] = never(*aborted)
    assert said.endswith("Failed (OffloadingAborted), and no pod of it in milan did")


def test_a_local_pod_that_is_deleted_may_show_how_it_was_stopped() -> None:
    stopped = (there("Failed", is_ending=True), here("Failed", is_ending=True))
    assert never(*IN_ORDER, here(is_ending=True), *stopped, taken=["local"]) == []


@pytest.mark.parametrize("end", [{"is_ending": True}, {"is_gone": True}])
def test_a_local_pod_is_deleted_by_the_test_alone(end: dict[str, Any]) -> None:
    assert never(*IN_ORDER, here(**end)) == [
        "rome: Pod shop/web was deleted, and the test did not do it"
    ]


def test_a_live_pod_has_one_of_each_in_the_end() -> None:
    assert at_last(here()) == [
        "rome: Pod shop/web has 0 ShadowPods in milan, not one",
        "rome: Pod shop/web has 0 Pods in milan, not one",
    ]
    [said] = at_last(*IN_ORDER, there(is_ending=True))
    assert said == "rome: Pod shop/web has 0 Pods in milan, not one"


def test_both_show_the_same_in_the_end() -> None:
    assert at_last(here("Pending"), shadow(), there()) == [
        "rome: Pod shop/web shows Pending, and its pod in milan is Running"
    ]


def test_a_deletion_ends() -> None:
    assert "rome: Pod shop/web is still being deleted" in at_last(here(is_ending=True))


def test_nothing_is_left_of_a_pod_that_is_gone() -> None:
    left = at_last(*IN_ORDER, here(is_ending=True, is_gone=True))
    assert left == [
        "milan: ShadowPod shop-rome/web is left, and its pod in rome is gone",
        "milan: Pod shop-rome/web is left, and its pod in rome is gone",
        "milan: Secret shop-rome/web-token is left, and its pod in rome is gone",
    ]
    assert at_last(shadow()) == left[:1], "also of one that we never saw"


def test_a_story_is_what_was_seen_of_one_pod() -> None:
    other = Sight("rome", POD, Key("shop", "db"), "another", "3", "another")
    assert seen(here(reason="Why"), other, there(is_gone=True)).story("local") == [
        "rome: Pod shop/web, local at 1: Running (Why)",
        "milan: Pod shop-rome/web, remote at 1: Running gone",
    ]


def a_remote_pod(status: dict[str, Any]) -> Pod:
    owner = OwnerReference(
        api_version="v1", kind="ShadowPod", name="web", uid="shadow", controller=True
    )
    known = Meta(
        name="web",
        namespace="shop-rome",
        uid="remote",
        resource_version="7",
        annotations={labels.LOCAL_POD_UID: "local"},
        owner_references=(owner,),
    )
    return Pod(metadata=known, raw_status=msgspec.Raw(msgspec.json.encode(status)))


def test_a_pod_is_seen_with_all_containers_that_were_started() -> None:
    started = {"name": "web", "containerID": "b", "lastState": {"terminated": {"containerID": "a"}}}
    waiting = {"name": "log", "state": {"waiting": {}}}
    pod = a_remote_pod({"phase": "Running", "containerStatuses": [started, waiting]})
    found = sight("milan", Pod.KIND, pod)
    assert (found.of, found.owner, found.version) == ("local", "shadow", "7")
    assert (found.phase, found.is_ending) == ("Running", False)
    assert found.containers == {("web", "a"), ("web", "b")}


def test_a_secret_of_tokens_is_of_its_pod() -> None:
    marks = {labels.SERVICE_ACCOUNT_POD_UID: "local"}
    token = Secret(metadata=Meta(name="web-token", namespace="shop-rome", annotations=marks))
    assert sight("milan", Secret.KIND, token).of == "local"
