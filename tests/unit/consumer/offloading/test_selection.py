"""A cluster is selected by the labels of its virtual nodes."""

import msgspec
import pytest

from liqo.api import labels
from liqo.api.meta import Meta
from liqo.api.offloading import NamespaceOffloadingSpec
from liqo.consumer.offloading.selection import (
    Nodes,
    its_key,
    nodes_of,
    objection,
    own_maps,
    provider_of,
    selects,
)
from liqo.kube.reading import Metadata
from liqo.rules.selectors import Candidate
from tests.unit.consumer.offloading.things import (
    JUST_NOW,
    SOUTH,
    a_map,
    a_namespace,
    a_virtual_node,
    bring_node,
    offloading,
)
from tests.unit.consumer.things import HOME, caches, put

IN_THE_SOUTH = NamespaceOffloadingSpec(cluster_selector=SOUTH)
ASKED = a_map(desired={"shop": "shop-rome"})


def test_a_node_that_does_not_exist_yet_is_what_its_virtual_node_says() -> None:
    here = caches()
    put(here, a_virtual_node(shown={labels.REGION: "south"}))
    put(here, a_virtual_node("turin"))
    assert nodes_of(here, "milan").shown == (
        Candidate(
            "milan",
            {
                "liqo.io/type": "virtual-node",
                "kubernetes.io/hostname": "milan",
                "liqo.io/remote-cluster-id": "milan",
                "storage.liqo.io/available": "false",
                "topology.liqo.io/region": "south",
            },
        ),
    )


def test_what_somebody_changes_on_a_node_moves_nothing_that_its_virtual_node_says() -> None:
    here = caches()
    put(here, a_virtual_node(shown={labels.REGION: "north"}))
    bring_node(here, "milan", {labels.REGION: "south", "team": "blue"})
    [found] = nodes_of(here, "milan").shown
    assert (found.labels[labels.REGION], found.labels["team"]) == ("north", "blue")


def test_one_of_its_nodes_is_enough() -> None:
    one, two = Candidate("one"), Candidate("two", {labels.REGION: "south"})
    assert selects(offloading(spec=IN_THE_SOUTH), a_map(), Nodes((one, two)))
    assert not selects(offloading(spec=IN_THE_SOUTH), a_map(), Nodes((one,)))
    assert selects(offloading(), a_map(), Nodes((one,)))
    assert not selects(offloading(), a_map(), Nodes(()))


def test_who_leaves_selects_nothing() -> None:
    leaving = offloading(deletion_timestamp=JUST_NOW)
    assert not selects(leaving, ASKED, Nodes((Candidate("milan"),)))


def test_from_a_selector_that_cannot_be_read_nothing_follows() -> None:
    term = {"matchExpressions": [{"key": "region", "operator": "Near"}]}
    spec = NamespaceOffloadingSpec(cluster_selector={"nodeSelectorTerms": [term]})
    unreadable, nodes = offloading(spec=spec), Nodes((Candidate("milan"),))
    assert not selects(unreadable, a_map(), nodes)
    assert selects(unreadable, ASKED, nodes)


def test_a_node_that_is_missing_for_a_moment_unselects_nothing() -> None:
    """Its kubelet may have shown what its VirtualNode does not say."""
    here = caches()
    put(here, a_virtual_node())
    wanted = offloading(spec=IN_THE_SOUTH)
    assert selects(wanted, ASKED, nodes_of(here, "milan"))
    assert not selects(wanted, a_map(), nodes_of(here, "milan"))
    bring_node(here, "milan", {labels.REGION: "north"})
    assert not selects(wanted, ASKED, nodes_of(here, "milan"))


def test_a_node_that_nobody_makes_is_not_waited_for() -> None:
    here = caches()
    node = a_virtual_node()
    spec = msgspec.structs.replace(node.spec, create_node=False)
    put(here, msgspec.structs.replace(node, spec=spec))
    assert not selects(offloading(spec=IN_THE_SOUTH), ASKED, nodes_of(here, "milan"))


def test_maps_of_consumers_are_not_ours() -> None:
    here = caches()
    marks = {labels.REPLICATED: "true", labels.ORIGIN_ID: "venice"}
    put(here, a_map())
    put(here, a_map("rome", namespace="liqo-tenant-venice", labels=marks))
    put(here, a_map(namespace="somewhere"))
    for provider in ("milan", "rome"):
        put(here, a_virtual_node(provider))
    assert [provider_of(each) for each in own_maps(here)] == ["milan"]


def test_a_label_that_somebody_takes_away_unselects_nothing() -> None:
    here = caches()
    node = a_virtual_node()
    bare = msgspec.structs.replace(node.metadata, labels={})
    put(here, msgspec.structs.replace(node, metadata=bare))
    assert [each.name for each in nodes_of(here, "milan").shown] == ["milan"]
    assert provider_of(a_map("turin", labels={})) == "turin"


def test_what_a_webhook_would_have_refused_is_not_heeded() -> None:
    assert objection(offloading(), a_namespace(), HOME) == ""
    assert "must match offloading" in objection(offloading(name="second"), a_namespace(), HOME)
    assert "belongs to Kubernetes" in objection(offloading("kube-system"), None, HOME)


@pytest.mark.parametrize("value", ["true", "false"])
def test_a_label_keeps_a_namespace_from_being_offloaded_but_brings_none_back(value: str) -> None:
    labelled = a_namespace(marks={labels.TENANT_NAMESPACE: value})
    assert "of a peering" in objection(offloading(finalizers=()), labelled, HOME)
    assert objection(offloading(), labelled, HOME) == ""


def test_a_namespace_has_one_offloading() -> None:
    assert its_key(Metadata(metadata=Meta(name="shop"))) == (("shop", "offloading"),)
