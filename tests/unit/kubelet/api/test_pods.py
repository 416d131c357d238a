"""The pods of a node."""

from __future__ import annotations

import msgspec

from liqo.api.kubernetes import Pod
from liqo.api.meta import Meta
from liqo.kubelet.api.pods import answer


def test_pods_are_listed_with_all_that_is_known_of_them() -> None:
    pod = Pod(
        metadata=Meta(name="web", namespace="shop"),
        raw_spec=msgspec.Raw(b'{"nodeName":"milan","new":1}'),
        raw_status=msgspec.Raw(b'{"phase":"Running"}'),
    )
    listed = msgspec.json.decode(answer([pod]).body)
    assert (listed["kind"], listed["apiVersion"]) == ("PodList", "v1")
    assert listed["items"] == [
        {
            "metadata": {"name": "web", "namespace": "shop"},
            "spec": {"nodeName": "milan", "new": 1},
            "status": {"phase": "Running"},
        }
    ]
