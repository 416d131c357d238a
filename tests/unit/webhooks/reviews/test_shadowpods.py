"""ShadowPods: whose they are, where they may be, and what of them may change."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from liqo.api.kubernetes import Namespace
from liqo.api.meta import JSON, Key, Meta
from liqo.api.offloading import ShadowPod, ShadowPodSpec, ShadowPodStatus
from liqo.kube.reading import Metadata
from liqo.webhooks.review import ALLOW, Deny, Patch, User, Verdict
from liqo.webhooks.reviews.shadowpods import State, mutate, observe, validate
from tests.unit.webhooks.reviews.questions import Told, creation, update

KUBELET = User("mypool-c34af51dd912", ("rome", "system:authenticated"))
OTHER = User("other-c34af51dd912", ("rome", "system:authenticated"))
ORIGIN = {"offloading.liqo.io/origin": "rome"}
MADE = {**ORIGIN, "liqo.io/creator-user": KUBELET.name}
HOME = Meta(name="shop-rome", labels={"liqo.io/remote-cluster-id": "rome"})
POD: JSON = {
    "containers": [{"name": "web", "image": "web:1", "resources": {"requests": {"cpu": "1"}}}],
    "tolerations": [],
}


def a_shadow(labels: JSON | None = None, **pod: Any) -> ShadowPod:
    return ShadowPod(
        metadata=Meta(name="web-0", namespace="shop-rome", labels=labels or {}),
        spec=ShadowPodSpec(raw_pod=msgspec.Raw(msgspec.json.encode({**POD, **pod}))),
    )


def words(verdict: Verdict) -> str:
    assert isinstance(verdict, Deny)
    assert verdict.code == 403
    return verdict.reason


@pytest.mark.parametrize("labels", [ORIGIN, {**ORIGIN, "liqo.io/creator-user": "somebody-else"}])
def test_a_new_one_says_who_made_it_whatever_it_said(labels: JSON) -> None:
    change = Patch({"metadata": {"labels": {"liqo.io/creator-user": KUBELET.name}}})
    assert mutate(creation(a_shadow(labels), KUBELET), None) == change


def test_nothing_is_changed_where_it_says_so_already() -> None:
    assert mutate(creation(a_shadow(MADE), KUBELET), None) == ALLOW
    assert mutate(update(a_shadow(MADE), a_shadow(MADE), KUBELET), None) == ALLOW


def test_a_name_becomes_one_that_a_label_can_have() -> None:
    odd = User("system:serviceaccount:liqo:some_one.x@y")
    label = {"liqo.io/creator-user": "system-serviceaccount-liqo-some_one.x-y"}
    assert mutate(creation(a_shadow(), odd), None) == Patch({"metadata": {"labels": label}})


def test_a_creator_cannot_be_taken_away_or_replaced() -> None:
    change = Patch({"metadata": {"labels": {"liqo.io/creator-user": KUBELET.name}}})
    for labels in (ORIGIN, {**ORIGIN, "liqo.io/creator-user": OTHER.name}):
        assert mutate(update(a_shadow(MADE), a_shadow(labels), KUBELET), None) == change


def test_only_its_creator_may_change_it() -> None:
    refused = words(mutate(update(a_shadow(MADE), a_shadow(MADE), OTHER), None))
    assert refused.startswith("creator name cannot be modified")
    assert KUBELET.name in refused


def test_what_nobody_made_can_nobody_change() -> None:
    assert mutate(creation(a_shadow(), User("")), None) == Deny("missing creator name")
    request = update(a_shadow(ORIGIN), a_shadow(MADE), KUBELET)
    assert mutate(request, None) == Deny("missing creator name")


def test_nobody_can_keep_one_from_leaving() -> None:
    held = a_shadow(MADE)
    held = replace(held, metadata=replace(held.metadata, finalizers=("rome.io/mine",)))
    for request in (creation(held, KUBELET), update(a_shadow(MADE), held, KUBELET)):
        assert "cannot get rome.io/mine" in words(validate(request, State("rome")))
    assert validate(update(held, held, KUBELET), State("rome")) == ALLOW
    assert validate(update(held, a_shadow(MADE), KUBELET), State("rome")) == ALLOW


def test_it_comes_from_the_consumer_whose_namespace_it_is_in() -> None:
    assert validate(creation(a_shadow(MADE), KUBELET), State("rome")) == ALLOW


@pytest.mark.parametrize(
    ("labels", "consumer", "expected"),
    [
        ({}, "rome", "missing origin Cluster ID label"),
        (MADE, "venice", "shadowpod Cluster ID label mismatch"),
        (MADE, "", "shadowpod Cluster ID label mismatch"),
    ],
)
def test_any_other_is_refused_in_the_words_of_the_wire(
    labels: JSON, consumer: str, expected: str
) -> None:
    refused = words(validate(creation(a_shadow(labels), KUBELET), State(consumer)))
    assert refused.startswith(expected)
    assert refused != expected  # and says what is wrong


def test_a_namespace_that_is_not_there_is_named() -> None:
    refused = validate(creation(a_shadow(MADE), KUBELET), State(None))
    assert refused == Deny('there is no namespace "shop-rome"', 400)


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ({}, MADE, "missing origin Cluster ID label"),
        (MADE, {}, "missing origin Cluster ID label"),
        (
            MADE,
            {**MADE, "offloading.liqo.io/origin": "venice"},
            "shadopow Cluster ID label is changed",
        ),
    ],
)
def test_its_origin_stays(old: JSON, new: JSON, expected: str) -> None:
    refused = validate(update(a_shadow(old), a_shadow(new), KUBELET), State(None))
    assert words(refused) == expected


@pytest.mark.parametrize(
    "change",
    [
        {},
        {"tolerations": [{"key": "x"}]},
        {"activeDeadlineSeconds": 5},
        {"containers": [{**POD["containers"][0], "image": "web:2"}]},
        {"containers": [{**POD["containers"][0], "resources": {"requests": {"cpu": "9"}}}]},
        {"containers": [{**POD["containers"][0], "resources": {"requests": {"cpu": "1m"}}}]},
        {"ephemeralContainers": [{"name": "look", "image": "tools"}]},
    ],
)
def test_what_may_change_of_a_pod_changes(change: JSON) -> None:
    request = update(a_shadow(MADE), a_shadow({**MADE, "colour": "red"}, **change), KUBELET)
    assert validate(request, State(None)) == ALLOW


def test_images_of_init_containers_may_change_too() -> None:
    before, after = (
        a_shadow(MADE, initContainers=[{"name": "first", "image": image}]) for image in "ab"
    )
    assert validate(update(before, after, KUBELET), State(None)) == ALLOW


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"hostNetwork": True}, "spec.pod.hostNetwork"),
        ({"containers": [{"name": "web", "command": ["sh"]}]}, "spec.pod.containers"),
        ({"containers": [*POD["containers"], {"name": "b"}]}, "spec.pod.containers"),
        ({"initContainers": [{"name": "first"}]}, "spec.pod.initContainers"),
    ],
)
def test_nothing_else_of_a_pod_changes_and_what_it_was_is_said(change: JSON, named: str) -> None:
    refused = validate(update(a_shadow(MADE), a_shadow(MADE, **change), KUBELET), State(None))
    assert f"not {named};" in words(refused)


@pytest.mark.parametrize(
    ("size", "named"),
    [
        ({}, "requests of cpu of the container web can change, and not be taken away"),
        ({"requests": {"memory": "1Gi"}}, "requests of cpu of the container web"),
        ({"requests": {"cpu": "1", "nvidia.com/gpu": "1"}}, "requests of nvidia.com/gpu of"),
        ({"requests": {"cpu": "0"}}, "would become BestEffort"),
    ],
)
def test_a_size_changes_only_as_that_of_a_pod_can(size: JSON, named: str) -> None:
    """Anything else would count for less than the pod takes."""
    after = a_shadow(MADE, containers=[{**POD["containers"][0], "resources": size}])
    refused = words(validate(update(a_shadow(MADE), after, KUBELET), State(None)))
    assert refused.startswith("a pod that runs cannot be resized so: ")
    assert named in refused


def test_devices_that_are_claimed_stay() -> None:
    size = {**POD["containers"][0]["resources"], "claims": [{"name": "gpu"}]}
    after = a_shadow(MADE, containers=[{**POD["containers"][0], "resources": size}])
    refused = validate(update(a_shadow(MADE), after, KUBELET), State(None))
    assert "not spec.pod.containers;" in words(refused)


def test_whether_no_size_is_said_or_left_out_is_the_same() -> None:
    """Others write it at every change, be there something in it or not."""
    before = a_shadow(MADE, containers=[{"name": "web", "image": "web:1"}])
    after = a_shadow(MADE, containers=[{"name": "web", "image": "web:2", "resources": {}}])
    assert validate(update(before, after, KUBELET), State(None)) == ALLOW


HELD = "offloading.liqo.io/still-takes"


def sized(cpu: str, held: str = "", generation: int = 1, observed: int = 0) -> ShadowPod:
    size = {"requests": {"cpu": cpu}}
    made = a_shadow(MADE, containers=[{**POD["containers"][0], "resources": size}])
    notes = {HELD: held} if held else {}
    metadata = replace(made.metadata, generation=generation, annotations=notes)
    status = ShadowPodStatus(phase="Running", observed_generation=observed)
    return replace(made, metadata=metadata, status=status)


TEN = '{"cpu":"10"}'


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (sized("10"), sized("1"), TEN),
        (sized("10"), sized("1", TEN), ""),  # it says so already
        (sized("10"), sized("1", '{"cpu":"2"}'), TEN),
        (sized("1"), sized("10"), ""),
        (sized("1"), sized("1", TEN), None),  # it never was
        # What is not carried out stays, whatever else changes, and whatever is said.
        (sized("1", TEN, 2, 1), sized("1"), TEN),
        (sized("1", TEN, 2, 1), sized("2", TEN), ""),
        (sized("1", TEN, 2, 1), sized("10", TEN), None),
        # What is carried out goes.
        (sized("1", TEN, 2, 2), sized("1", TEN), None),
        (sized("2", TEN, 2, 2), sized("1", TEN), '{"cpu":"2"}'),
    ],
)
def test_what_a_pod_may_still_take_is_written_on_it(
    old: ShadowPod, new: ShadowPod, expected: str | None
) -> None:
    change = Patch({"metadata": {"annotations": {HELD: expected}}})
    verdict = mutate(update(old, new, KUBELET), None)
    assert verdict == (ALLOW if expected == "" else change)


def test_a_new_one_takes_what_it_says() -> None:
    assert mutate(creation(sized("1", TEN), KUBELET), None) == Patch(
        {"metadata": {"annotations": {HELD: None}}}
    )


def nobody(_: Key) -> None:
    return None


def known(key: Key) -> Metadata | None:
    return Metadata(metadata=HOME) if key == Key("", "shop-rome") else None


async def test_a_copy_of_the_namespaces_is_enough_where_it_agrees() -> None:
    state = await observe(
        known, Told(forbidden=frozenset({Namespace.KIND})), creation(a_shadow(MADE))
    )
    assert state == State("rome")


async def test_a_namespace_that_has_just_been_made_is_looked_up() -> None:
    cluster = Told([Namespace(metadata=HOME)])
    assert await observe(nobody, cluster, creation(a_shadow(MADE))) == State("rome")
    assert await observe(nobody, Told(), creation(a_shadow(MADE))) == State(None)


async def test_a_copy_that_disagrees_is_not_believed() -> None:
    cluster = Told([Namespace(metadata=HOME)])
    asked = a_shadow({"offloading.liqo.io/origin": "venice"})
    assert await observe(known, cluster, creation(asked)) == State("rome")
    bare = Told([Namespace(metadata=Meta(name="shop-rome"))])
    assert await observe(nobody, bare, creation(a_shadow(MADE))) == State("")


async def test_a_change_needs_no_look_at_the_cluster() -> None:
    blind = Told(forbidden=frozenset({Namespace.KIND}))
    assert await observe(nobody, blind, update(a_shadow(MADE), a_shadow(MADE))) == State(None)
