"""Where in rome a role is added for its kubelet of milan."""

from liqo.api import labels
from liqo.api.kubernetes import ClusterRole
from liqo.api.meta import Meta
from liqo.api.offloading import NamespaceMap, VirtualNode
from liqo.consumer.kubelet.addedrights import BASE, controller, observe
from tests.unit.consumer import things as at_home
from tests.unit.consumer.kubelet.things import a_map, a_virtual_node

ROLE = ClusterRole(
    metadata=Meta(
        name="reflect-widgets", uid="r", resource_version="1", labels={labels.ADDED_TO: BASE}
    )
)


def test_it_is_added_where_pods_go_out_for_the_kubelet_that_they_go_through() -> None:
    here = at_home.caches()
    at_home.put(here, a_virtual_node())
    at_home.put(here, a_map("shop"))
    here.of(ClusterRole).take(ROLE)
    seen = observe(here, ROLE.key)
    assert seen is not None
    [wanted] = seen.wanted
    metadata = wanted.body["metadata"]
    assert (metadata["namespace"], metadata["name"]) == ("shop", "liqo-node-milan-reflect-widgets")
    assert metadata["labels"][labels.ADDED_TO] == "virtual-kubelet-namespace"
    assert labels.MAPPED not in metadata["labels"]  # by which others are found, and taken back
    assert [each["name"] for each in wanted.body["subjects"]] == ["milan"]
    watches = controller(here).watches
    assert list(watches[here.of(VirtualNode)](a_virtual_node())) == [ROLE.key]
    assert list(watches[here.of(NamespaceMap)](a_map())) == [ROLE.key]
