"""The status is the captured one, and always whole."""

from __future__ import annotations

from datetime import UTC, datetime

import msgspec
import pytest

from liqo.api.core import ForeignClusterStatus, PeeringSummary
from liqo.peering.foreigncluster.forge import addresses, forge
from liqo.peering.foreigncluster.peer import Network, Peer
from tests.captured import captured, comparable
from tests.unit.consumer.replication.routes import a_kubeconfig
from tests.unit.peering.foreigncluster import peers

NOW = datetime(2026, 1, 2, 12, 0, tzinfo=UTC)
LATER = datetime(2026, 1, 2, 13, 0, tzinfo=UTC)
UNKNOWN = ForeignClusterStatus(role="Unknown")
PROVIDER = Peer(
    "milan",
    identity=peers.an_identity(),
    virtual_nodes=(peers.a_virtual_node(),),
    nodes=(peers.a_node(),),
    namespaces=("liqo-tenant-milan",),
)
CONSUMER = Peer("rome", tenant=peers.a_tenant("rome"))


def status(peer: Peer, alive: bool | None = None) -> ForeignClusterStatus:
    return forge(peer, alive, UNKNOWN, NOW)


def summary(peer: Peer) -> PeeringSummary:
    made = status(peer).peering
    assert made is not None
    return made


@pytest.mark.parametrize(
    ("side", "name", "peer", "alive"),
    [("consumer", "milan", PROVIDER, True), ("provider", "rome", CONSUMER, None)],
)
def test_the_status_is_the_captured_one(
    side: str, name: str, peer: Peer, alive: bool | None
) -> None:
    """But for the summary, which is ours."""
    made = msgspec.structs.replace(status(peer, alive), peering=None, observed_generation=1)
    wanted = captured("consumer" if side == "consumer" else "provider", "ForeignCluster", name)
    ours = {"metadata": wanted["metadata"], "status": msgspec.to_builtins(made)}
    assert comparable(ours)["status"] == comparable(wanted)["status"]


def test_r9_a_peer_of_which_nothing_is_left_is_unknown_at_once_and_whole() -> None:
    made = forge(Peer("milan"), True, status(PROVIDER, True), LATER)
    assert msgspec.to_builtins(made) == {
        "role": "Unknown",
        "modules": {
            "networking": {"enabled": False},
            "authentication": {"enabled": False},
            "offloading": {"enabled": False},
        },
        "tenantNamespace": {},
        "peering": {
            "type": "OutOfBand",
            "outgoing": "None",
            "incoming": "None",
            "networking": "Disabled",
            "authentication": "None",
        },
    }


def test_r10_a_disabled_module_has_no_conditions_left() -> None:
    old = forge(Peer("milan", network=Network(server=peers.a_server())), None, UNKNOWN, NOW)
    assert old.modules is not None
    assert old.modules.networking.conditions
    made = forge(PROVIDER, None, old, LATER)
    assert made.modules is not None
    assert made.modules.networking.conditions == ()


def test_what_has_not_changed_keeps_its_time() -> None:
    first = status(PROVIDER, True)
    assert forge(PROVIDER, True, first, LATER) == first
    (condition,) = forge(PROVIDER, False, first, LATER).conditions
    assert (condition.status, condition.last_transition_time) == ("Error", "2026-01-02T13:00:00Z")


def test_until_somebody_asked_the_api_server_the_last_answer_stands() -> None:
    assert status(PROVIDER, None).conditions == ()
    known = status(PROVIDER, False)
    assert forge(PROVIDER, None, known, LATER).conditions == known.conditions


@pytest.mark.parametrize(
    ("peer", "role"),
    [
        (PROVIDER, "Provider"),
        (CONSUMER, "Consumer"),
        (Peer("milan", kubeconfig=a_kubeconfig()), "Provider"),
        (
            Peer("milan", tenant=peers.a_tenant(), identity=peers.an_identity()),
            "ConsumerAndProvider",
        ),
        (Peer("milan", network=Network(configuration=peers.a_configuration())), "Unknown"),
    ],
)
def test_the_role_is_what_the_other_is_to_us(peer: Peer, role: str) -> None:
    assert status(peer).role == role


def test_a_kubeconfig_made_by_hand_tells_the_address() -> None:
    assert addresses(Peer("milan", kubeconfig=a_kubeconfig())) == ("https://milan.invalid", "")
    broken = a_kubeconfig(server="nonsense")
    assert addresses(Peer("milan", kubeconfig=broken)) == ("", "")
    assert addresses(CONSUMER) == ("", "")


def test_the_summary_of_a_provider() -> None:
    assert summary(PROVIDER) == PeeringSummary(
        type="OutOfBand",
        outgoing="Established",
        incoming="None",
        networking="Disabled",
        authentication="Established",
    )


def test_the_summary_of_a_consumer() -> None:
    assert summary(CONSUMER) == PeeringSummary(
        type="OutOfBand",
        outgoing="None",
        incoming="Established",
        networking="Disabled",
        authentication="Established",
    )


def test_the_summary_of_what_is_under_way() -> None:
    through = peers.an_identity(proxy_url="http://10.0.0.1:8118")
    network = Network(connection=peers.a_connection("Connecting"))
    tenant = peers.a_tenant(auth_params=None)
    assert summary(Peer("milan", tenant=tenant, identity=through, network=network)) == (
        PeeringSummary(
            type="InBand",
            outgoing="Pending",
            incoming="Pending",
            networking="Pending",
            authentication="Pending",
        )
    )


@pytest.mark.parametrize(("value", "word"), [("Connected", "Established"), ("x", "Error")])
def test_the_line_in_a_word(value: str, word: str) -> None:
    network = Network(connection=peers.a_connection(value))
    assert summary(Peer("milan", network=network)).networking == word
