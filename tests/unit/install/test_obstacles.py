"""What is in the way of an uninstallation, and what to do about it."""

from liqo.api.authentication import ResourceSlice
from liqo.api.core import ForeignCluster, ForeignClusterSpec, ForeignClusterStatus, Module, Modules
from liqo.api.ipam import IP, IPSpec, Network, NetworkSpec
from liqo.api.meta import Meta
from liqo.api.offloading import NamespaceOffloading, NamespaceOffloadingSpec
from liqo.install.obstacles import NAMESPACES, PEERINGS, Found, obstacles, sentences

OF_MILAN = {"liqo.io/remote-cluster-id": "milan"}


def peer(name: str, *enabled: str) -> ForeignCluster:
    networking, authentication, offloading = (
        Module(enabled=module in enabled)
        for module in ("networking", "authentication", "offloading")
    )
    modules = Modules(networking=networking, authentication=authentication, offloading=offloading)
    status = ForeignClusterStatus(role="Provider", modules=modules)
    return ForeignCluster(
        metadata=Meta(name=name), spec=ForeignClusterSpec(cluster_id=name), status=status
    )


def offloading(namespace: str) -> NamespaceOffloading:
    metadata = Meta(name="offloading", namespace=namespace)
    return NamespaceOffloading(metadata=metadata, spec=NamespaceOffloadingSpec())


def a_slice(**labels: str) -> ResourceSlice:
    return ResourceSlice(metadata=Meta(name="pool", namespace="liqo-tenant-milan", labels=labels))


def network(name: str = "remote", *, held: bool = True, annotation: str = "") -> Network:
    annotations = {"liqo.io/preinstalled": annotation} if annotation else {}
    finalizers = ("network.ipam.liqo.io/finalizer",) if held else ()
    metadata = Meta(name=name, namespace="liqo", annotations=annotations, finalizers=finalizers)
    return Network(metadata=metadata, spec=NetworkSpec(cidr="10.0.0.0/16"))


def test_what_stands_alone_can_go() -> None:
    left = [network(held=False), network(annotation="true")]
    assert not obstacles(Found([peer("milan")], others=left))
    assert not obstacles(Found())


def test_a_peering_is_told_module_by_module_with_the_way_out() -> None:
    found = obstacles(Found([peer("milan", "authentication", "offloading")], [offloading("shop")]))
    listed, peerings, namespaces = sentences(found)
    assert listed == (
        "Pre-uninstall checks failed: you should:\n\n"
        "disable authentication for clusters:\n- milan\n\n"
        "disable offloading for clusters:\n- milan\n\n"
        "unoffload the following namespaces:\n- shop\n"
    )
    assert (peerings, namespaces) == (PEERINGS, NAMESPACES)


def test_what_belongs_to_a_peer_that_is_known_is_told_as_its() -> None:
    found = obstacles(Found([peer("milan")], others=[a_slice(**OF_MILAN)]))
    assert found.modules["authentication"] == {"milan"}
    assert found.resources == set()


def test_what_belongs_to_nobody_is_told_by_its_name() -> None:
    found = obstacles(Found(others=[a_slice(**OF_MILAN), network()]))
    [listed] = sentences(found)
    assert listed.endswith(
        "remove the following resources:\n"
        "- Network.ipam.liqo.io: liqo/remote\n"
        "- ResourceSlice.authentication.liqo.io: liqo-tenant-milan/pool\n"
    )


def test_the_addresses_of_the_installation_itself_are_not_in_the_way() -> None:
    metadata = Meta(name="api-server", namespace="liqo", finalizers=("ip.ipam.liqo.io/finalizer",))
    own = IP(metadata=metadata, spec=IPSpec(ip="10.0.0.1"))
    assert not obstacles(Found(others=[own]))


def test_a_peer_that_nobody_has_described_yet_is_no_peering() -> None:
    bare = ForeignCluster(metadata=Meta(name="turin"), spec=ForeignClusterSpec(cluster_id="turin"))
    assert not obstacles(Found([bare]))
