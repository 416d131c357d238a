"""What a NamespaceOffloading says of its clusters: in the words of the tutorial."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from liqo.api.offloading import MappingPhase
from liqo.rules.extent import Extent, is_coming, phase, told

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
ONE = datetime(2026, 1, 1, 13, tzinfo=UTC)
CHOSEN = "The remote cluster has been selected through the ClusterSelector field"

READY = Extent(selected=True, phase="Accepted")
FAILED = Extent(selected=True, phase="CreationLoopBackOff")
COMING = Extent(selected=True)
ELSEWHERE = Extent(selected=False)


def said(extent: Extent, *, is_leaving: bool = False) -> list[tuple[str, str, str, str]]:
    conditions = told({"naples": extent}, {}, NOON, is_leaving=is_leaving).get("naples", ())
    return [(each.type, each.status, each.reason, each.message) for each in conditions]


def test_E10_a_cluster_that_is_not_selected_says_so() -> None:
    message = "You have not selected this cluster through ClusterSelector fields"
    assert said(ELSEWHERE) == [("OffloadingRequired", "False", "ClusterNotSelected", message)]


@pytest.mark.parametrize(
    ("extent", "status", "reason", "message"),
    [
        (READY, "True", "RemoteNamespaceCreated", "Namespace correctly offloaded on this cluster"),
        (
            FAILED,
            "False",
            "CreationLoopBackOff",
            "Some problems occurred during remote namespace creation",
        ),
        (
            Extent(selected=True, phase="CreationLoopBackOff", problem="it exists"),
            "False",
            "CreationLoopBackOff",
            "Some problems occurred during remote namespace creation: it exists",
        ),
        (
            Extent(selected=True, phase="Terminating"),
            "False",
            "Terminating",
            "The remote namespace is being deleted",
        ),
        (COMING, "False", "Creating", "The remote namespace is being created"),
    ],
)
def test_E11_a_selected_cluster_says_how_far_it_is(
    extent: Extent, status: str, reason: str, message: str
) -> None:
    required = ("OffloadingRequired", "True", "ClusterSelected", CHOSEN)
    assert said(extent) == [required, ("Ready", status, reason, message)]


@pytest.mark.parametrize(
    ("extent", "coming"), [(COMING, True), (READY, False), (FAILED, False), (ELSEWHERE, False)]
)
def test_one_that_is_still_to_come_says_so(extent: Extent, coming: bool) -> None:
    conditions = told({"naples": extent}, {}, NOON, is_leaving=False)["naples"]
    assert is_coming(conditions) is coming
    assert not is_coming(())


def test_a_cluster_that_is_no_longer_selected_says_that_it_is_being_left() -> None:
    leaving = Extent(selected=False, phase="Terminating")
    assert [each[:3] for each in said(leaving)] == [
        ("OffloadingRequired", "False", "ClusterNotSelected"),
        ("Ready", "False", "Terminating"),
    ]


def test_who_leaves_lists_only_clusters_that_still_have_something() -> None:
    assert said(ELSEWHERE, is_leaving=True) == []
    assert said(Extent(selected=False, phase="Terminating"), is_leaving=True) != []


@pytest.mark.parametrize(
    ("extents", "word"),
    [
        ([], "NoClusterSelected"),
        ([ELSEWHERE], "NoClusterSelected"),
        ([READY, ELSEWHERE], "Ready"),
        ([FAILED, FAILED], "AllFailed"),
        ([FAILED, READY], "SomeFailed"),
        ([FAILED, COMING], "SomeFailed"),
        ([READY, COMING], "InProgress"),
        ([Extent(selected=True, phase="Terminating")], "InProgress"),
    ],
)
def test_L13_the_phase_is_that_of_the_first_rule_that_fits(
    extents: list[Extent], word: str
) -> None:
    assert phase(extents, is_leaving=False) == word
    assert phase(extents, is_leaving=True) == "Terminating"


def test_a_condition_knows_since_when_it_is_so() -> None:
    first = told({"naples": COMING}, {}, NOON, is_leaving=False)
    later = told({"naples": READY}, first, ONE, is_leaving=False)
    assert [each.last_transition_time for each in later["naples"]] == [
        "2026-01-01T12:00:00Z",
        "2026-01-01T13:00:00Z",
    ]
    assert told({"naples": READY}, later, NOON, is_leaving=False) == later


phases: st.SearchStrategy[MappingPhase | None] = st.sampled_from(
    ["Accepted", "CreationLoopBackOff", "Terminating", None]
)
extents = st.builds(Extent, st.booleans(), phases)


@given(st.dictionaries(st.sampled_from(["naples", "florence", "milan"]), extents))
def test_E09_every_cluster_is_listed_selected_or_not(found: dict[str, Extent]) -> None:
    conditions = told(found, {}, NOON, is_leaving=False)
    assert list(conditions) == sorted(found)
    for cluster, extent in found.items():
        [required, *rest] = conditions[cluster]
        assert (required.status == "True") is extent.selected
        assert len(rest) == (1 if extent.selected or extent.phase else 0)
