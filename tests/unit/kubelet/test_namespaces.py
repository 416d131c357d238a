"""Which namespaces go out, read from the NamespaceMap and from nothing else."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import msgspec
import pytest

from liqo.api import labels
from liqo.api.meta import Meta
from liqo.api.offloading import (
    MappingPhase,
    NamespaceMap,
    NamespaceMapSpec,
    NamespaceMapStatus,
    RemoteNamespace,
)
from liqo.kubelet.namespaces import (
    KEPT,
    Absences,
    Place,
    map_of,
    places,
)

NOW = datetime(2026, 11, 15, 10, 18, 0, tzinfo=UTC)


def a_map(
    current: dict[str, tuple[str, MappingPhase | None]] | None = None,
    desired: dict[str, str] | None = None,
    **metadata: str,
) -> NamespaceMap:
    """What was asked for, unless a test says so, is what was answered."""
    marks = {labels.REMOTE_CLUSTER_ID: "milan"}
    asked = {local: remote for local, (remote, _) in (current or {}).items()}
    mapping = {
        local: RemoteNamespace(remote_namespace=remote, phase=phase)
        for local, (remote, phase) in (current or {}).items()
    }
    return NamespaceMap(
        metadata=Meta(
            name=metadata.get("name", "milan"),
            labels=marks,
            creation_timestamp=metadata.get("created"),
            resource_version=metadata.get("version", ""),
        ),
        spec=NamespaceMapSpec(desired_mapping=asked if desired is None else desired),
        status=NamespaceMapStatus(current_mapping=mapping),
    )


@pytest.mark.parametrize(
    ("wanted", "phase", "place"),
    [
        (True, "Accepted", Place("shop-rome")),
        (False, "Accepted", None),
        (True, "CreationLoopBackOff", Place("shop-rome", "Degraded")),
        (False, "CreationLoopBackOff", None),
        (True, "Terminating", None),
        (False, "Terminating", None),
        (True, None, Place("shop-rome", "Degraded", is_answered=False)),
        (False, None, None),
    ],
)
def test_P_RACE1_P_RACE2_only_what_the_map_says_counts(
    wanted: bool, phase: MappingPhase | None, place: Place | None
) -> None:
    current: dict[str, tuple[str, MappingPhase | None]] = (
        {"shop": ("shop-rome", phase)} if phase is not None else {}
    )
    known = a_map(current, {"shop": "shop-rome"} if wanted else {})
    assert places(known).get("shop") == place


def test_a_namespace_may_be_there_without_its_pods() -> None:
    known = a_map({"shop": ("shop-rome", "Accepted"), "bank": ("bank-rome", "Accepted")})
    notes = {labels.PODS_STAY: "bank"}
    told = msgspec.structs.replace(
        known, metadata=msgspec.structs.replace(known.metadata, annotations=notes)
    )
    assert places(told).get("shop") == Place("shop-rome")
    assert places(told).get("bank") == Place("bank-rome", keeps_pods=True)


def test_without_a_map_nothing_goes_out() -> None:
    assert places(None) == {}


def test_an_empty_name_is_no_place() -> None:
    assert places(a_map({"shop": ("", "Accepted")})) == {}


def test_P_RACE3_a_namespace_that_is_called_otherwise_now_is_another_place() -> None:
    before = a_map({"shop": ("shop-rome", "Accepted")})
    after = a_map({"shop": ("shop-2", "Accepted")})
    assert places(before).get("shop") == Place("shop-rome")
    assert places(after).get("shop") == Place("shop-2")


def test_a_provider_that_answers_what_nobody_asked_gets_nothing() -> None:
    greedy = a_map(
        {"kube-system": ("x", "Accepted"), "shop": ("y", "Accepted")}, {"shop": "shop-rome"}
    )
    assert places(greedy) == {"shop": Place("shop-rome", "Degraded", is_answered=False)}


def test_a_name_that_a_sibling_has_is_no_place_of_ours() -> None:
    known = a_map({"shop": ("shared", "Accepted"), "bank": ("shared", "CreationLoopBackOff")})
    assert places(known) == {"shop": Place("shared")}


def test_all_places_of_a_map() -> None:
    known = a_map(
        {"shop": ("shop-rome", "Accepted"), "old": ("old-rome", "Terminating")},
        {"shop": "shop-rome", "old": "old-rome", "bank": "bank-rome"},
    )
    assert places(known) == {
        "shop": Place("shop-rome"),
        "bank": Place("bank-rome", "Degraded", is_answered=False),
    }


def test_of_several_maps_the_oldest_of_the_provider_counts() -> None:
    older = a_map(name="b", created="2026-01-01T00:00:00Z")
    newer = a_map(name="a", created="2026-01-02T00:00:00Z")
    assert map_of((newer, older), "milan") is older
    assert map_of((newer, older), "naples") is None


def test_the_map_of_a_provider_that_borrows_from_us_too_is_not_ours() -> None:
    copied = {labels.REPLICATED: "true", labels.ORIGIN_ID: "milan"}
    marks = {labels.REMOTE_CLUSTER_ID: "milan", **copied}
    theirs = a_map({"kube-system": ("x", "Accepted")}, name="rome", created="2025-01-01T00:00:00Z")
    theirs = msgspec.structs.replace(
        theirs, metadata=msgspec.structs.replace(theirs.metadata, labels=marks)
    )
    ours = a_map({"shop": ("shop-rome", "Accepted")}, created="2026-01-01T00:00:00Z")
    assert map_of((theirs, ours), "milan") is ours
    assert map_of((theirs,), "milan") is None


def test_of_more_absences_than_anybody_has_the_oldest_is_counted_anew() -> None:
    absences, later = Absences(), NOW + timedelta(seconds=4)
    for number in range(KEPT + 1):
        absences.since(f"shop-{number}", None, NOW)
    assert absences.since(f"shop-{KEPT}", None, later) == NOW
    assert absences.since("shop-0", None, later) == later


def test_P_RACE2_how_long_a_namespace_is_absent_is_counted_from_the_first_look() -> None:
    absences, later = Absences(), NOW + timedelta(seconds=4)
    assert absences.since("shop", Place("shop-rome"), NOW) is None
    assert absences.since("shop", None, NOW) == NOW
    assert absences.since("shop", None, later) == NOW
    assert absences.since("shop", Place("shop-rome", "Degraded"), later) is None
    assert absences.since("shop", None, later) == later
