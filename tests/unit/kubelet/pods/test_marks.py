"""What a ShadowPod tells of its origin, and what of ours it never shows."""

from __future__ import annotations

from dataclasses import replace

import pytest

from liqo.api import labels
from liqo.api.offloading import OffloadingPatch
from liqo.kubelet.pods.marks import (
    changed_marks,
    is_for,
    is_of_our_node,
    is_ours,
    travelling_annotations,
    travelling_labels,
)
from tests.unit.kubelet.pods.things import SITE, a_pod, a_shadow, known, marks


def test_what_is_only_for_home_stays_there() -> None:
    local = a_pod(
        labels={"app": "web", labels.SHADOW_POD: "true", labels.REMOTE_UNAVAILABLE: "true"},
        annotations={labels.REMOTE_POD_UID: "1", labels.EARLIER_RESTARTS: "2", "note": "mine"},
    )
    assert travelling_labels(local, SITE) == marks()
    assert travelling_annotations(local, SITE, "shop") == {
        "note": "mine",
        labels.LOCAL_POD_UID: "local-1",
    }


def test_a_pod_that_came_from_elsewhere_goes_on_as_ours() -> None:
    local = a_pod(labels={labels.ORIGIN: "paris", labels.CREATOR_USER: "paris-1", "app": "web"})
    assert travelling_labels(local, SITE) == marks()


def test_P_FORGE2_the_marks_that_match_remote_to_local_cannot_be_left_out() -> None:
    withheld = ("app", labels.NODE_NAME, labels.ORIGIN, labels.DESTINATION)
    patch = OffloadingPatch(
        labels_not_reflected=withheld, annotations_not_reflected=("note", labels.LOCAL_POD_UID)
    )
    site = replace(SITE, patch=patch)
    local = a_pod(annotations={"note": "mine"})
    there = marks()
    del there["app"]
    assert travelling_labels(local, site) == there
    assert travelling_annotations(local, site, "shop") == {labels.LOCAL_POD_UID: "local-1"}


def test_a_shadow_pod_that_says_the_same_needs_no_change() -> None:
    assert changed_marks(a_shadow(), a_pod(**known()), SITE) == {}


def test_only_what_differs_is_changed_and_the_providers_own_label_is_left_alone() -> None:
    local = a_pod(labels={"app": "shop", "new": "1"}, annotations={"note": "mine"})
    shadow = a_shadow(labels=marks(old="1", **{labels.CREATOR_USER: "somebody"}))
    assert changed_marks(shadow, local, SITE) == {
        "labels": {"app": "shop", "new": "1", "old": None},
        "annotations": {"note": "mine"},
    }


def test_what_its_pod_still_takes_is_the_providers_to_say() -> None:
    held = {labels.STILL_TAKES: '{"cpu":"10"}'}
    shadow = a_shadow(annotations={**a_shadow().metadata.annotations, **held})
    assert changed_marks(shadow, a_pod(**known()), SITE) == {}
    assert labels.STILL_TAKES not in travelling_annotations(a_pod(annotations=held), SITE, "shop")


def test_a_shadow_pod_of_another_implementation_learns_for_whom_it_is() -> None:
    assert changed_marks(a_shadow(annotations={}), a_pod(), SITE) == {
        "annotations": {labels.LOCAL_POD_UID: "local-1", labels.LOCAL_NAMESPACE: "shop"}
    }


@pytest.mark.parametrize(
    ("changed", "ours", "of_our_node"),
    [
        ({}, True, True),
        ({labels.ORIGIN: "paris"}, False, False),
        ({labels.DESTINATION: "naples"}, False, False),
        ({labels.NODE_NAME: "milan-2"}, True, False),
    ],
)
def test_whose_it_is(changed: dict[str, str], ours: bool, of_our_node: bool) -> None:
    shadow = a_shadow(labels=marks(**changed))
    assert is_ours(shadow, SITE) is ours
    assert is_of_our_node(shadow, SITE) is of_our_node


def test_P_RACE4_for_which_pod_it_was_made() -> None:
    assert is_for(a_shadow(), a_pod())
    assert is_for(a_shadow(annotations={}), a_pod())
    assert not is_for(a_shadow(), a_pod(uid="local-2"))
