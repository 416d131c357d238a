"""Architecture and operating system of a cluster, by the labels of its nodes."""

from __future__ import annotations

import pytest

from liqo.api.authentication import ResourceSliceStatus
from liqo.api.kubernetes import Node
from liqo.api.meta import Meta
from liqo.kube.reading import Metadata
from liqo.provider.platform import nodes, observe, prevailing, slices_that_say_otherwise
from tests.unit.provider.things import a_slice, holding

AMD = {"kubernetes.io/arch": "amd64", "kubernetes.io/os": "linux"}
ARM = {"kubernetes.io/arch": "arm64", "kubernetes.io/os": "linux"}
WINDOWS = {"kubernetes.io/arch": "amd64", "kubernetes.io/os": "windows"}


@pytest.mark.parametrize(
    ("found", "shown"),
    [
        ([], {}),
        ([{}], {}),
        ([ARM], ARM),
        ([ARM, ARM, AMD], ARM),
        ([ARM, AMD], AMD),
        ([AMD, ARM], AMD),
        ([WINDOWS, ARM, ARM], ARM),
        ([{}, {}, ARM], ARM),
        ([{"kubernetes.io/arch": "arm64"}], {"kubernetes.io/arch": "arm64"}),
    ],
)
def test_most_nodes_decide(found: list[dict[str, str]], shown: dict[str, str]) -> None:
    assert prevailing({**each, "kubernetes.io/hostname": "x"} for each in found) == shown


def test_all_nodes_but_virtual_ones_count() -> None:
    here = holding()
    assert nodes(here).scope.labels == "liqo.io/type!=virtual-node"
    nodes(here).take(Metadata(metadata=Meta(name="one", labels=ARM, resource_version="1")))
    assert observe(here) == ARM


def test_a_node_like_those_that_were_told_of_changes_nothing() -> None:
    told = a_slice(status=ResourceSliceStatus(node_labels={**ARM, "region": "B"}))
    concerned = slices_that_say_otherwise(holding(told))
    assert concerned(Node(metadata=Meta(name="two", labels=ARM))) == []
    assert concerned(Node(metadata=Meta(name="two", labels=AMD))) == [told.key]
