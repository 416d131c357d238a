"""ResourceSlices: what is filled in, and who may make which."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from liqo.api.authentication import ResourceSlice, ResourceSliceSpec
from liqo.api.kubernetes import Namespace
from liqo.api.meta import JSON, Meta
from liqo.kube.reading import Metadata
from liqo.webhooks.review import ALLOW, Deny, Patch, User, Verdict
from liqo.webhooks.reviews.resourceslices import State, mutate, observe, validate
from tests.unit.webhooks.reviews.questions import (
    ADMIN,
    CONTROL_PLANE,
    Told,
    changed,
    creation,
    update,
)

HOME = "liqo-tenant-milan"
NAMESPACE = {"liqo.io/tenant-namespace": "true", "liqo.io/remote-cluster-id": "milan"}
STATE = State(NAMESPACE)
MARKS = {
    "liqo.io/replication": "true",
    "liqo.io/remoteID": "milan",
    "liqo.io/remote-cluster-id": "milan",
}
NODE = {"liqo.io/create-virtual-node": "true"}
COPY = {"liqo.io/replicated": "true", "liqo.io/originID": "rome"}


def a_slice(labels: JSON | None = None, name: str = "mypool", **spec: Any) -> ResourceSlice:
    return ResourceSlice(
        metadata=Meta(name=name, namespace=HOME, labels=labels or {}),
        spec=ResourceSliceSpec(**spec),
    )


LEAST = a_slice()
WHOLE = a_slice(MARKS, provider_cluster_id="milan", class_="default")


@pytest.mark.parametrize(
    ("asked", "change"),
    [
        (
            LEAST,
            {
                "metadata": {"labels": MARKS, "annotations": NODE},
                "spec": {"providerClusterID": "milan", "class": "default"},
            },
        ),
        (
            a_slice(provider_cluster_id="milan", class_="custom-class"),
            {"metadata": {"labels": MARKS, "annotations": NODE}},
        ),
        (
            changed(LEAST, annotations={"liqo.io/create-virtual-node": "false"}),
            {
                "metadata": {"labels": MARKS},
                "spec": {"providerClusterID": "milan", "class": "default"},
            },
        ),
        (
            a_slice({"liqo.io/replication": "true"}, provider_cluster_id="milan", class_="x"),
            {"metadata": {"labels": dict(list(MARKS.items())[1:])}},
        ),
    ],
)
def test_C18_a_minimal_manifest_is_completed(asked: ResourceSlice, change: JSON) -> None:
    assert mutate(creation(asked), STATE) == Patch(change)


@pytest.mark.parametrize(
    ("asked", "state"),
    [
        (WHOLE, STATE),  # as liqoctl makes it with --no-virtual-node
        (a_slice(COPY), STATE),
        (LEAST, State({})),
    ],
)
def test_nothing_is_added_to_what_is_whole_or_not_ours(asked: ResourceSlice, state: State) -> None:
    assert mutate(creation(asked), state) == ALLOW


def test_a_later_change_makes_neither_a_node_nor_another_class() -> None:
    bare = a_slice(provider_cluster_id="milan")
    assert mutate(update(bare, bare), STATE) == Patch({"metadata": {"labels": MARKS}})


def test_a_name_that_another_provider_has_here_is_taken() -> None:
    namesake = Metadata(metadata=Meta(name="mypool", namespace="liqo-tenant-turin"))
    taken = Deny("a resourceslice with the same name already exists in the cluster", 403)
    assert validate(creation(WHOLE), State(NAMESPACE, [namesake])) == taken
    assert validate(creation(WHOLE), STATE) == ALLOW
    assert validate(update(WHOLE, WHOLE), State(NAMESPACE, [namesake])) == ALLOW


@pytest.mark.parametrize("user", [ADMIN, CONTROL_PLANE])
def test_a_copy_is_always_allowed(user: User) -> None:
    assert validate(creation(a_slice(COPY), user), State({})) == ALLOW


@pytest.mark.parametrize("labels", [MARKS, COPY])
def test_R25_a_name_that_is_too_long_for_what_is_derived_from_it_is_refused(labels: JSON) -> None:
    for length, ends in ((50, True), (51, False)):
        asked = a_slice(labels, name="p" * length, provider_cluster_id="milan")
        assert (validate(creation(asked), STATE) == ALLOW) is ends


@pytest.mark.parametrize(
    ("asked", "state", "words"),
    [
        (WHOLE, State({}), '"liqo-tenant-milan" is none'),
        (WHOLE, State({**NAMESPACE, "liqo.io/tenant-namespace": "false"}), "is none"),
        (
            a_slice(MARKS, provider_cluster_id="venice"),
            STATE,
            'spec.providerClusterID is "venice", and the namespace "liqo-tenant-milan" belongs to',
        ),
        (
            a_slice({**MARKS, "liqo.io/remoteID": "venice"}, provider_cluster_id="milan"),
            STATE,
            'the label "liqo.io/remoteID" is "venice"',
        ),
        (
            a_slice({**MARKS, "liqo.io/remote-cluster-id": "x"}, provider_cluster_id="milan"),
            STATE,
            'the label "liqo.io/remote-cluster-id" is "x"',
        ),
    ],
)
def test_a_slice_goes_to_the_provider_whose_namespace_it_is_in(
    asked: ResourceSlice, state: State, words: str
) -> None:
    refused = validate(creation(asked), state)
    assert isinstance(refused, Deny)
    assert words in refused.reason
    assert refused.code == 400


@pytest.mark.parametrize("wrong", [{"cpu": "-4"}, {"nvidia.com/gpu": "500m"}, {"pods": "1500m"}])
@pytest.mark.parametrize("labels", [MARKS, COPY])
def test_amounts_are_checked_when_they_change(labels: JSON, wrong: dict[str, str]) -> None:
    good = a_slice(labels, provider_cluster_id="milan", resources={"cpu": "4"})
    bad = changed(good, resources=wrong)
    for request in (creation(bad), update(good, bad)):
        assert isinstance(validate(request, STATE), Deny)
    for request in (creation(good), update(bad, good), update(bad, bad)):
        assert validate(request, STATE) == ALLOW


@pytest.mark.parametrize(("user", "allowed"), [(ADMIN, True), (CONTROL_PLANE, False)])
def test_S9_only_peers_can_trespass(user: User, allowed: bool) -> None:
    asked = a_slice(COPY)
    cordoned = changed(asked, annotations={"liqo.io/cordon-tenant": "true"})
    verdict: Verdict = validate(update(asked, cordoned, user), State({}))
    assert (verdict == ALLOW) is allowed


async def test_a_slice_is_compared_with_our_own_in_other_namespaces() -> None:
    home = Namespace(metadata=Meta(name=HOME, labels=NAMESPACE))
    elsewhere = replace(WHOLE, metadata=Meta(name="mypool", namespace="liqo-tenant-turin"))
    other = replace(WHOLE, metadata=Meta(name="other", namespace="liqo-tenant-turin"))
    reader = Told([home, WHOLE, elsewhere, other])
    state = await observe(reader, creation(WHOLE))
    assert state.provider == "milan"
    assert [each.key for each in state.namesakes] == [elsewhere.key]
    [(_, scope)] = reader.scopes
    assert (scope.labels, scope.fields) == ("liqo.io/replication=true", "metadata.name=mypool")


async def test_a_copy_needs_no_look_at_the_cluster() -> None:
    reader = Told([Namespace(metadata=Meta(name=HOME, labels=NAMESPACE))])
    assert await observe(reader, creation(a_slice(COPY))) == State({})


async def test_a_change_of_a_complete_slice_needs_no_look_at_the_cluster() -> None:
    reader = Told([Namespace(metadata=Meta(name=HOME, labels=NAMESPACE))])
    assert await observe(reader, update(WHOLE, WHOLE)) == State({})
    old = changed(WHOLE, provider_cluster_id="")
    assert (await observe(reader, update(old, old))).provider == "milan"
