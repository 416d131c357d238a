"""A ForeignCluster always carries the label by which it is found."""

from __future__ import annotations

import pytest

from liqo.api.core import ForeignCluster, ForeignClusterSpec
from liqo.api.meta import Meta
from liqo.webhooks.review import ALLOW, Patch, Verdict
from liqo.webhooks.reviews.foreignclusters import mutate
from tests.unit.webhooks.reviews.questions import creation

LABELLED = Patch({"metadata": {"labels": {"liqo.io/remote-cluster-id": "milan"}}})


@pytest.mark.parametrize(
    ("label", "verdict"), [(None, LABELLED), ("venice", LABELLED), ("milan", ALLOW)]
)
def test_the_label_is_the_cluster_id(label: str | None, verdict: Verdict) -> None:
    marks = {"liqo.io/remote-cluster-id": label} if label else {}
    peer = ForeignCluster(metadata=Meta(labels=marks), spec=ForeignClusterSpec(cluster_id="milan"))
    assert mutate(creation(peer), None) == verdict
