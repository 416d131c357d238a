"""Which kinds may be named, and how."""

import re

import pytest

from liqo.api.meta import Kind
from liqo.api.offloading import CustomResource
from liqo.rules.customs import is_closed, kinds, word

WIDGET = CustomResource(group="example.org", version="v1", kind="Widget", resource="widgets")


def test_what_is_written_is_read_again() -> None:
    assert word(WIDGET) == "widgets.v1.example.org/Widget"
    both = f"{word(WIDGET)},jobs.v1beta1.ml.example.org/Job"
    assert kinds(both) == (
        Kind("example.org", "v1", "Widget", "widgets"),
        Kind("ml.example.org", "v1beta1", "Job", "jobs"),
    )
    assert kinds("") == ()


@pytest.mark.parametrize(
    "text",
    ["widgets", "pods.v1./Pod", "shadowpods.v1beta1.offloading.liqo.io/ShadowPod", "a.v1.b/"],
)
def test_what_cannot_be_reflected_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=re.escape(text)):
        kinds(text)


@pytest.mark.parametrize(
    ("group", "expected"),
    [
        ("", True),
        ("apps", True),
        ("networking.k8s.io", True),
        ("liqo.io", True),
        ("core.liqo.io", True),
        ("notliqo.io", False),
        ("example.org", False),
    ],
)
def test_groups_of_kubernetes_and_our_own_are_closed(group: str, expected: bool) -> None:
    assert is_closed(group) == expected
