"""Which labels and annotations a copy has, and what they say."""

from __future__ import annotations

from dataclasses import replace

from liqo.api import labels
from liqo.api.meta import Meta
from liqo.api.offloading import OffloadingPatch
from liqo.kubelet.reflect.marks import (
    holds_tokens,
    is_copy_of,
    travelling_annotations,
    travelling_labels,
)
from tests.unit.kubelet.pods.things import SITE
from tests.unit.kubelet.reflect.things import OURS, token_marks

LOCAL = Meta(
    name="settings",
    uid="local-1",
    labels={"app": "web", "secret": "yes"},
    annotations={"note": "x", "internal": "y"},
)
PATCHED = replace(
    SITE,
    patch=OffloadingPatch(
        labels_not_reflected=("secret", labels.ORIGIN), annotations_not_reflected=("internal",)
    ),
)


def test_labels_travel_and_say_where_they_come_from() -> None:
    assert travelling_labels(LOCAL, SITE) == {"app": "web", "secret": "yes", **OURS}


def test_P_FORGE2_what_a_patch_withholds_stays_home_but_the_origin_does_not() -> None:
    assert travelling_labels(LOCAL, PATCHED) == {"app": "web", **OURS}
    assert travelling_annotations(LOCAL, PATCHED) == {"note": "x", labels.LOCAL_UID: "local-1"}


def test_what_came_from_another_consumer_goes_on_as_ours() -> None:
    marks = token_marks()
    came = Meta(
        uid="local-1",
        labels={**marks["labels"], labels.ORIGIN: "naples", labels.DESTINATION: "rome", "a": "b"},
        annotations={**marks["annotations"], labels.LOCAL_UID: "naples-1"},
    )
    assert travelling_labels(came, SITE) == {"a": "b", **OURS}
    assert travelling_annotations(came, SITE) == {labels.LOCAL_UID: "local-1"}


def test_a_copy_is_of_one_object_and_not_of_the_next_of_its_name() -> None:
    assert is_copy_of(Meta(annotations={labels.LOCAL_UID: "local-1"}), LOCAL)
    assert not is_copy_of(Meta(annotations={labels.LOCAL_UID: "local-0"}), LOCAL)
    assert is_copy_of(Meta(), LOCAL), "another implementation made it"


def test_a_secret_with_tokens_is_known_by_two_marks_wherever_they_are() -> None:
    assert holds_tokens(Meta(**token_marks()))
    assert not holds_tokens(Meta(annotations=token_marks()["annotations"]))
    both = {labels.SERVICE_ACCOUNT_NAME: "default", labels.SERVICE_ACCOUNT_POD_NAME: "web-0"}
    assert holds_tokens(Meta(labels=both))
    assert holds_tokens(Meta(annotations=both))
