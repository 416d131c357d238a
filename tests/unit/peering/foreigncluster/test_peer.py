"""Everything that carries a peer's ID is gathered, and only that."""

from __future__ import annotations

import msgspec

from liqo.api import labels
from liqo.api.core import ForeignCluster
from liqo.api.kubernetes import Deployment, Node, Pod
from liqo.api.meta import Key
from liqo.kube.reading import Metadata
from liqo.peering.foreigncluster.peer import (
    GATEWAYS,
    KUBELETS,
    Network,
    Peer,
    gather,
    oldest,
    watches,
    whose,
)
from liqo.runtime.sights import VIRTUAL_NODES
from liqo.runtime.tenants import tenant_namespaces
from tests.builders import bring
from tests.unit.consumer import things
from tests.unit.consumer.replication.routes import a_foreign_cluster, a_kubeconfig
from tests.unit.peering.foreigncluster import peers


def test_a_peer_is_all_that_there_is_of_it() -> None:
    here = things.caches()
    whole = Peer(
        "milan",
        tenant=peers.a_tenant(),
        identity=peers.an_identity(),
        kubeconfig=a_kubeconfig(),
        virtual_nodes=(peers.a_virtual_node(),),
        kubelets=(peers.a_kubelet(),),
        nodes=(peers.a_node(),),
        network=Network(
            peers.a_configuration(),
            peers.a_server(),
            peers.a_client(),
            peers.a_connection("Connected"),
            (peers.a_deployment("gw-south"),),
        ),
        namespaces=("liqo-tenant-milan",),
    )
    for thing in (
        *(peers.a_tenant(), peers.an_identity(), peers.a_virtual_node(), peers.a_server()),
        *(peers.a_client(), peers.a_configuration(), peers.a_connection("Connected")),
    ):
        things.put(here, thing)
    here.of(Pod, KUBELETS).take(peers.a_kubelet())
    here.of(Node, VIRTUAL_NODES).take(peers.a_node())
    here.of(Deployment, GATEWAYS).take(peers.a_deployment("gw-south"))
    namespace = Metadata(metadata=things.a_namespace().metadata)
    tenant_namespaces(here).take(namespace)
    bring(here, a_kubeconfig())
    assert gather(here, "milan", networking=True) == whole
    assert gather(here, "naples", networking=True) == Peer("naples")
    assert gather(here, "milan", networking=False).network == Network()


def test_the_identity_of_a_slice_does_not_make_a_provider() -> None:
    here, identity = things.caches(), peers.an_identity()
    spec = msgspec.structs.replace(identity.spec, type="ResourceSlice")
    things.put(here, msgspec.structs.replace(identity, spec=spec))
    assert gather(here, "milan", networking=False) == Peer("milan")


def test_of_several_summaries_the_oldest_counts() -> None:
    here = things.caches()
    for name, made in (("b", "2026-01-02T12:00:00Z"), ("a", "2026-01-03T12:00:00Z")):
        summary = a_foreign_cluster()
        dated = msgspec.structs.replace(summary.metadata, name=name, creation_timestamp=made)
        things.put(here, msgspec.structs.replace(summary, metadata=dated))
    found = oldest(here, "milan")
    assert found is not None
    assert found.metadata.name == "b"


def test_r10_pods_and_gateways_are_watched_too() -> None:
    here = things.caches()
    watched = watches(here, networking=True)
    assert {here.of(Pod, KUBELETS), here.of(Deployment, GATEWAYS)} <= watched.keys()
    assert here.of(Deployment, GATEWAYS) not in watches(here, networking=False)


def test_whose_a_thing_is() -> None:
    here = things.caches()
    assert list(whose(peers.a_node())) == [Key("", "milan")]
    assert list(whose(things.a_request(labels={labels.REPLICATION: "true"}))) == []
    of_summary = watches(here, networking=False)[here.of(ForeignCluster)]
    assert list(of_summary(a_foreign_cluster())) == [Key("", "milan")]
