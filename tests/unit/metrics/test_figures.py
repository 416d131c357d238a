"""Which namespaces and pods are a consumer's, and which nodes are asked about them."""

import json

import msgspec

from liqo.api import labels
from liqo.api.kubernetes import Node
from liqo.api.meta import Meta
from liqo.kube.reading import Metadata
from liqo.metrics.exposition import Share
from liqo.metrics.figures import asked_nodes, share_of


def a_node(name: str, ready: str, **marks: str) -> Node:
    status = {"conditions": [{"type": "Ready", "status": ready}]}
    raw = msgspec.Raw(json.dumps(status).encode())
    return Node(metadata=Meta(name=name, labels=marks), raw_status=raw)


def test_a_namespace_counts_that_says_how_it_is_called_at_home() -> None:
    home = Metadata(metadata=Meta(name="shop-rome", annotations={labels.ORIGINAL_NAME: "shop"}))
    tenant = Metadata(metadata=Meta(name="liqo-tenant-rome"))
    pod = Metadata(metadata=Meta(name="web", namespace="shop-rome"))
    expected = Share({"shop-rome": "shop"}, frozenset({("shop-rome", "web")}))
    assert share_of([home, tenant], [pod]) == expected


def test_nodes_that_are_ready_and_real_are_asked() -> None:
    virtual = a_node("turin", "True", **{labels.TYPE: "virtual-node"})
    nodes = [a_node("b", "True"), a_node("a", "True"), a_node("c", "Unknown"), virtual]
    assert asked_nodes(nodes) == ["a", "b"]
