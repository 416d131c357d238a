"""How soon a remote pod ends."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from liqo.api import labels
from liqo.kubelet.pods.grace import asked_to_end, can_be_told, ends_otherwise
from liqo.rules.changes import Made
from liqo.runtime.plan import Create, Manifest, Patch
from tests.unit.kubelet.pods.things import GOING, SITE, SPEC, a_pod, a_remote, a_shadow, recorded

OURS = recorded(Made())


@pytest.mark.parametrize(
    ("own", "wanted", "expected"),
    [
        (30, 30, False),
        (30, 5, True),
        (30, 60, True),
        (0, 1, False),
        (1, 1, False),
        (None, 5, False),
    ],
)
def test_a_pod_that_runs_ends_within_the_time_of_its_spec(
    own: int | None, wanted: int, expected: bool
) -> None:
    local = a_pod(spec={**SPEC, "terminationGracePeriodSeconds": own})
    assert ends_otherwise(local, a_remote(), wanted) is expected


@pytest.mark.parametrize(
    ("left", "wanted", "expected"), [(30, 5, True), (5, 30, False), (0, 1, False), (None, 1, False)]
)
def test_a_pod_that_is_ending_can_only_be_hastened(
    left: int | None, wanted: int, expected: bool
) -> None:
    going: Any = {"deletion_timestamp": GOING, "deletion_grace_period_seconds": left}
    assert ends_otherwise(a_pod(), a_remote(**going), wanted) is expected


def test_nobody_is_asked_about_what_has_ended_or_who_would_not_understand() -> None:
    assert can_be_told(a_remote(**OURS))
    assert not can_be_told(a_remote({"phase": "Failed"}, **OURS))
    assert not can_be_told(a_remote())


def test_the_shadow_pod_says_how_soon() -> None:
    told = {"metadata": {"annotations": {labels.END_WITHIN: "5"}}}
    assert list(asked_to_end(a_remote(), a_shadow(), 5, SITE)) == [
        Patch(a_shadow(), told, on="remote")
    ]
    asked = a_shadow(annotations={labels.END_WITHIN: "5"})
    assert list(asked_to_end(a_remote(), asked, 5, SITE)) == []
    assert len(list(asked_to_end(a_remote(), asked, 1, SITE))) == 1


@pytest.mark.parametrize("user", ["", "milan-a8a4c692b93b"])
def test_where_there_is_none_one_is_made_that_says_nothing_else(user: str) -> None:
    (only,) = asked_to_end(a_remote(), None, 1, replace(SITE, user=user))
    assert isinstance(only, Create)
    assert only.on == "remote"
    assert isinstance(only.object, Manifest)
    assert only.object.body == {
        "metadata": {
            "name": "web-0",
            "namespace": "shop-rome",
            "labels": {
                labels.ORIGIN: "rome",
                labels.DESTINATION: "milan",
                labels.NODE_NAME: "milan",
                **({labels.CREATOR_USER: user} if user else {}),
            },
            "annotations": {labels.END_WITHIN: "1"},
        },
        "spec": {"pod": {}},
    }
