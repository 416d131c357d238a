"""Which namespaces can be offloaded, and what they are called elsewhere."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from liqo.api import labels
from liqo.api.meta import Meta
from liqo.api.offloading import (
    MappingPhase,
    MappingStrategy,
    NamespaceMap,
    NamespaceMapSpec,
    NamespaceMapStatus,
    NamespaceOffloading,
    NamespaceOffloadingSpec,
    PodStrategy,
    RemoteNamespace,
)
from liqo.rules.offloading import (
    check_name,
    check_namespace,
    desired,
    is_stricter,
    quoted,
    remote_name,
    rival,
    stay_at_home,
    taken,
)

NEW = NamespaceMap()


def offloading(namespace: str = "shop", *, born: str = "", **spec: Any) -> NamespaceOffloading:
    metadata = Meta(name="offloading", namespace=namespace, creation_timestamp=born or None)
    return NamespaceOffloading(metadata=metadata, spec=NamespaceOffloadingSpec(**spec))


def a_map(asked: dict[str, str], **there: MappingPhase) -> NamespaceMap:
    """What is there is all called `x`."""
    current = {
        local: RemoteNamespace(remote_namespace="x", phase=phase) for local, phase in there.items()
    }
    return NamespaceMap(
        spec=NamespaceMapSpec(desired_mapping=asked),
        status=NamespaceMapStatus(current_mapping=current),
    )


@pytest.mark.parametrize(
    ("strategy", "name"),
    [("DefaultName", "shop-rome"), ("EnforceSameName", "shop"), ("SelectedName", "market")],
)
def test_L11_each_strategy_has_its_name(strategy: MappingStrategy, name: str) -> None:
    wanted = offloading(namespace_mapping_strategy=strategy, remote_namespace_name="market")
    assert remote_name(wanted, "rome") == name
    assert check_name(wanted, "rome") == ""


def test_a_name_that_is_too_long_is_said_before_anybody_tries_it() -> None:
    long = offloading("x" * 59)
    assert "has 64 characters; at most 63" in check_name(long, "rome")
    assert "SelectedName" in check_name(long, "rome")
    assert check_name(offloading("x" * 58), "rome") == ""


@pytest.mark.parametrize(
    ("name", "words"),
    [("", "cannot be empty when using the SelectedName"), ("Shop", "must consist of lower case")],
)
def test_a_selected_name_must_be_one(name: str, words: str) -> None:
    wanted = offloading(namespace_mapping_strategy="SelectedName", remote_namespace_name=name)
    assert words in check_name(wanted, "rome")


@pytest.mark.parametrize(
    ("name", "marks", "words"),
    [
        ("kube-system", {}, "belongs to Kubernetes"),
        ("liqo", {}, "Liqo itself runs"),
        ("liqo-tenant-milan", {labels.TENANT_NAMESPACE: "true"}, "of a peering"),
        ("shop", {labels.TENANT_NAMESPACE: "false"}, "of a peering"),
        ("default", {}, ""),
    ],
)
def test_what_keeps_clusters_together_stays_where_it_is(
    name: str, marks: dict[str, str], words: str
) -> None:
    said = check_namespace(name, marks, "liqo")
    assert (words in said) if words else said == ""


YOUNGER = offloading("shop", born="2026-01-02T00:00:00Z")
OLDER = offloading(
    "shop-rome", born="2026-01-01T00:00:00Z", namespace_mapping_strategy="EnforceSameName"
)


def test_of_two_that_would_be_called_the_same_the_older_one_goes() -> None:
    assert desired([YOUNGER, OLDER], NEW, "rome") == {"shop-rome": "shop-rome"}


def test_who_has_a_name_keeps_it_however_old_the_other_one_is() -> None:
    has = a_map({"shop": "shop-rome"})
    assert desired([YOUNGER, OLDER], has, "rome") == {"shop": "shop-rome"}
    had_another = a_map({"shop": "market"})
    assert desired([YOUNGER, OLDER], had_another, "rome") == {"shop-rome": "shop-rome"}


def test_a_name_that_is_given_up_is_free_when_nothing_is_left_of_it() -> None:
    """Two steps at least, be the provider as quick as it may."""
    assert desired([OLDER], a_map({"shop": "shop-rome"}), "rome") == {}
    gone = RemoteNamespace(remote_namespace="shop-rome", phase="Terminating")
    left = NamespaceMap(status=NamespaceMapStatus(current_mapping={"shop": gone}))
    assert desired([OLDER], left, "rome") == {}
    assert desired([YOUNGER, OLDER], left, "rome") == {"shop": "shop-rome"}
    assert desired([OLDER], NEW, "rome") == {"shop-rome": "shop-rome"}


@pytest.mark.parametrize(
    ("known", "other"),
    [
        (a_map({}), ""),
        (a_map({"shop": "x"}), ""),
        (a_map({"shop": "x", "bank": "x"}), ""),
        (a_map({"shop": "x"}, bank="Accepted"), ""),
        (a_map({"shop": "y", "bank": "x"}), "bank"),
        (a_map({"bank": "x"}), "bank"),
        (a_map({"bank": "x"}, shop="Accepted"), "bank"),
        (a_map({"bank": "y"}), ""),
        (a_map({}, bank="Accepted"), "bank"),
        (a_map({}, bank="Terminating"), "bank"),
        (a_map({}, bank="Terminating", shop="Terminating"), "bank"),
        (a_map({}, bank="CreationLoopBackOff"), ""),
        (a_map({}, shop="Terminating"), ""),
    ],
)
def test_a_name_is_anothers_while_that_asks_for_it_or_is_still_there(
    known: NamespaceMap, other: str
) -> None:
    assert rival(known, "shop", "x") == other


def test_one_that_cannot_be_named_keeps_nobody_else_at_home() -> None:
    wanted = [offloading("x" * 63), offloading("shop")]
    assert desired(wanted, NEW, "rome") == {"shop": "shop-rome"}


@given(st.lists(st.sampled_from(["a", "a-rome", "b", "a-rome-rome"]), unique=True), st.randoms())
def test_no_two_namespaces_share_one_there_in_whatever_order_they_are_seen(
    namespaces: list[str], chance: Any
) -> None:
    strategies: list[MappingStrategy] = ["DefaultName", "EnforceSameName"]
    wanted = [
        offloading(each, namespace_mapping_strategy=chance.choice(strategies))
        for each in namespaces
    ]
    mapping = desired(wanted, NEW, "rome")
    assert len(set(mapping.values())) == len(mapping)
    assert set(mapping.values()) == {remote_name(each, "rome") for each in wanted}
    chance.shuffle(wanted)
    assert desired(wanted, NEW, "rome") == mapping
    assert desired(wanted, a_map(mapping), "rome") == mapping


def test_a_sentence_quotes_names_whole_and_of_what_is_none_the_beginning() -> None:
    """Whoever may write a map may write a name of any length into it."""
    assert taken("shop", "web") == 'the namespace "shop" is called "web" there already'
    longest, endless = "a" * 63, "a" * 200_000
    assert quoted(longest) == f'"{longest}"'
    assert quoted(endless) == f'"{longest}…"'


def test_pods_stay_where_the_map_says_so() -> None:
    assert stay_at_home(NamespaceMap()) == frozenset()
    told = {labels.PODS_STAY: "back-office,shop"}
    assert stay_at_home(NamespaceMap(metadata=Meta(annotations=told))) == {"back-office", "shop"}


@pytest.mark.parametrize(
    ("before", "after", "stricter"),
    [
        ("LocalAndRemote", "Local", True),
        ("LocalAndRemote", "Remote", True),
        ("Local", "Remote", True),
        ("Remote", "LocalAndRemote", False),
        ("Local", "Local", False),
    ],
)
def test_a_strategy_is_stricter_if_pods_may_be_where_they_must_not(
    before: PodStrategy, after: PodStrategy, stricter: bool
) -> None:
    assert is_stricter(before, after) is stricter
