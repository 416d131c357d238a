"""What each module says, from the objects that there are."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta

import msgspec
import pytest

from liqo.api.authentication import IdentityStatus, TenantSpec
from liqo.api.core import ForeignClusterCondition
from liqo.peering.foreigncluster.modules import authentication, networking, offloading
from liqo.peering.foreigncluster.peer import Network, Peer
from liqo.rules import certificates
from tests.unit.peering.foreigncluster import peers
from tests.unit.provider.things import a_certificate

NOW = datetime(2026, 1, 2, 12, 0, tzinfo=UTC)


def reasons(said: Iterable[ForeignClusterCondition]) -> list[str]:
    return [each.reason for each in said]


def test_a_lonely_configuration_misses_the_rest() -> None:
    assert reasons(networking(Network(configuration=peers.a_configuration()))) == [
        "NetworkConfigurationPresence",
        "GatewayMissing",
        "ConnectionMissing",
    ]


def test_a_whole_network() -> None:
    gateways = (
        peers.a_deployment("gw-south", readyReplicas=1, unavailableReplicas=1),
        peers.a_deployment("gw-north", readyReplicas=2),
    )
    network = Network(
        peers.a_configuration(),
        peers.a_server(),
        peers.a_client(),
        peers.a_connection("Connected"),
        gateways,
    )
    assert reasons(networking(network)) == [
        "NetworkConfigurationPresence",
        "GatewayPresence",
        "GatewaysSomeNotReady",
        "GatewaysReady",
        "ConnectionEstablished",
    ]


def test_r9_a_gateway_whose_deployment_is_to_come_is_not_ready_and_no_error() -> None:
    assert reasons(networking(Network(server=peers.a_server()))) == [
        "NetworkConfigurationMissing",
        "GatewayPresence",
        "GatewaysNotReady",
        "ConnectionMissing",
    ]


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ("Connected", "ConnectionEstablished"),
        ("Connecting", "ConnectionPending"),
        ("ConnectionError", "ConnectionError"),
        ("", "ConnectionError"),
    ],
)
def test_a_connection_is_what_it_says(value: str, reason: str) -> None:
    assert reasons(networking(Network(connection=peers.a_connection(value))))[-1] == reason


def test_authentication_tells_of_what_exists() -> None:
    assert reasons(authentication(Peer("milan"), NOW)) == []
    assert reasons(authentication(Peer("milan", tenant=peers.a_tenant()), NOW)) == ["TenantReady"]
    both = Peer("milan", tenant=peers.a_tenant(), identity=peers.an_identity())
    assert reasons(authentication(both, NOW)) == ["TenantReady", "IdentityReady"]


def test_what_is_not_configured_yet() -> None:
    identity = msgspec.structs.replace(peers.an_identity(), status=IdentityStatus())
    tenant = peers.a_tenant(auth_params=None)
    half = Peer("milan", tenant=tenant, identity=identity)
    assert reasons(authentication(half, NOW)) == ["TenantNotReady", "IdentityNotReady"]
    trusted = TenantSpec(cluster_id="milan", authz_policy="TolerateNoHandshake")
    waved_through = msgspec.structs.replace(tenant, spec=trusted)
    assert reasons(authentication(Peer("milan", tenant=waved_through), NOW)) == ["TenantReady"]


def test_R3_an_expired_certificate_is_an_alarm_that_says_what_to_do() -> None:
    pem = a_certificate()
    end = certificates.expires_at(pem)
    peer = Peer("milan", identity=peers.an_identity(signed_crt=pem))
    [before] = authentication(peer, end - timedelta(seconds=1))
    [after] = authentication(peer, end)
    assert (before.status, after.status) == ("Ready", "NotReady")
    assert "liqoctl authenticate" in after.message


def test_a_virtual_node_without_pods_counts_as_running() -> None:
    lent = Peer("milan", virtual_nodes=(peers.a_virtual_node(),))
    assert reasons(offloading(lent)) == ["VirtualNodesReady", "NodesNotReady"]


def test_kubelets_and_nodes_are_counted() -> None:
    lent = Peer(
        "milan",
        virtual_nodes=(peers.a_virtual_node(), peers.a_virtual_node("second")),
        kubelets=(peers.a_kubelet(), peers.a_kubelet("second", is_ready=False)),
        nodes=(peers.a_node(), peers.a_node("second", is_ready=False)),
    )
    assert reasons(offloading(lent)) == ["VirtualNodesSomeNotReady", "NodesSomeNotReady"]


def test_a_virtual_node_that_wants_no_node_lacks_none() -> None:
    lent = Peer("milan", virtual_nodes=(peers.a_virtual_node(create_node=False),))
    assert reasons(offloading(lent)) == ["VirtualNodesReady", "NodesReady"]
