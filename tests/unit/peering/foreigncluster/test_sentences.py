"""The words of the wire, where they are counted out."""

from liqo.api.core import ConditionType, ForeignClusterCondition
from liqo.peering.foreigncluster.sentences import gateways, nodes, virtual_nodes


def words(*conditions: ForeignClusterCondition) -> list[tuple[str, str, str]]:
    return [(each.status, each.reason, each.message) for each in conditions]


def test_nodes_are_counted() -> None:
    assert words(nodes(2, 2), nodes(1, 2), nodes(0, 2), nodes(0, 0)) == [
        ("Ready", "NodesReady", "All nodes are ready"),
        ("SomeNotReady", "NodesSomeNotReady", "Some nodes are not ready"),
        ("NotReady", "NodesNotReady", "All nodes are not ready"),
        ("Ready", "NodesReady", "All nodes are ready"),
    ]


def test_virtual_nodes_are_counted() -> None:
    assert words(virtual_nodes(2, 2), virtual_nodes(1, 2), virtual_nodes(0, 2)) == [
        ("Ready", "VirtualNodesReady", "All virtual nodes are ready"),
        ("SomeNotReady", "VirtualNodesSomeNotReady", "Some virtual nodes are not ready"),
        ("NotReady", "VirtualNodesNotReady", "All virtual nodes are not ready"),
    ]


def test_replicas_of_gateways_are_counted() -> None:
    about: ConditionType = "NetworkGatewayServerStatus"
    assert words(gateways(about, 2, 0), gateways(about, 1, 1), gateways(about, 0, 2)) == [
        ("Ready", "GatewaysReady", "All gateway replicas are ready"),
        ("SomeNotReady", "GatewaysSomeNotReady", "Some gateway replicas are not ready"),
        ("NotReady", "GatewaysNotReady", "All gateway replicas are not ready"),
    ]
