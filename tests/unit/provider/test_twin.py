"""The twin of a namespace of rome's."""

import pytest

from liqo.api import labels
from liqo.api.kubernetes import Namespace
from liqo.api.meta import Key, Meta
from liqo.kube.reading import Metadata
from liqo.provider.twin import Twin, binding, namespace, original, put_right
from liqo.runtime.plan import Patch

TWIN = Twin("shop-rome", "shop", "rome", Key("liqo-tenant-rome", "milan"), {"team": "a"})
MARKS = {"team": "a", labels.REMOTE_CLUSTER_ID: "rome"}


def there(marks: dict[str, str], original: str = "shop", **more: str) -> Metadata:
    whose = {labels.MANAGED_BY_NAMESPACE_MAP: "liqo-tenant-rome/milan"}
    notes = {labels.ORIGINAL_NAME: original, **(more or whose)}
    return Metadata(metadata=Meta(name="shop-rome", uid="1", labels=marks, annotations=notes))


def test_it_has_its_labels_from_the_first_moment_on() -> None:
    made = namespace(TWIN).body["metadata"]
    assert made["labels"] == MARKS
    assert made["annotations"] == {
        "liqo.io/managed-by-namespace-map": "liqo-tenant-rome/milan",
        "liqo.io/original-name": "shop",
    }


def test_whose_it_is_no_label_of_an_installation_can_say_otherwise() -> None:
    twin = Twin("x", "x", "rome", TWIN.map, {labels.REMOTE_CLUSTER_ID: "turin"})
    assert twin.labels == {labels.REMOTE_CLUSTER_ID: "rome"}


@pytest.mark.parametrize(
    ("says", "having", "wanting", "made_for"),
    [
        ("shop", ["shop"], ["shop"], "shop"),
        ("other", ["shop"], ["shop"], "shop"),
        ("other", ["shop"], ["other", "shop"], "shop"),
        (None, ["shop"], ["shop"], "shop"),
        ("shop", [], ["shop"], "shop"),
        ("shop", [], ["other"], "shop"),
        ("shop", ["shop"], ["other"], "shop"),
        ("shop", ["other"], ["shop"], "shop"),
        ("shop", ["shop"], [], "shop"),
        (None, ["shop"], ["other"], "shop"),
        (None, [], ["shop"], "shop"),
        (None, [], [], "shop-rome"),
    ],
)
def test_it_is_of_the_one_that_it_was_made_for_whoever_wants_it(
    says: str | None, having: list[str], wanting: list[str], made_for: str
) -> None:
    seen = there(MARKS, says or "")
    if says is None:
        del seen.metadata.annotations[labels.ORIGINAL_NAME]
    assert original(seen, having, wanting) == made_for


def test_what_is_right_or_was_added_stays() -> None:
    assert list(put_right(TWIN, there({**MARKS, "more": "x"}))) == []


def test_what_was_changed_is_put_back() -> None:
    seen = there({"team": "b"}, "other")
    [mended] = put_right(TWIN, seen)
    change = {"labels": MARKS, "annotations": {labels.ORIGINAL_NAME: "shop"}}
    assert mended == Patch(Namespace(metadata=seen.metadata), {"metadata": change})


def test_whose_it_is_is_said_again() -> None:
    [mended] = put_right(TWIN, there(MARKS, note="of somebody"))
    change = {labels.MANAGED_BY_NAMESPACE_MAP: "liqo-tenant-rome/milan"}
    assert mended.change == {"metadata": {"annotations": change}}


def test_all_users_of_the_consumer_may_work_in_it() -> None:
    made = binding(TWIN).body
    assert (made["metadata"]["name"], made["metadata"]["namespace"]) == (
        "liqo-tenant-rome",
        "shop-rome",
    )
    assert made["roleRef"]["name"] == "liqo-virtual-kubelet-remote"
    assert [(each["kind"], each["name"]) for each in made["subjects"]] == [("Group", "rome")]
