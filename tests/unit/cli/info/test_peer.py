"""The report about a peer: who is meant, and what is shared with it."""

from __future__ import annotations

from typing import Any

import pytest

from liqo.api.authentication import Identity, ResourceSlice
from liqo.api.core import ForeignCluster
from liqo.api.meta import JSON
from liqo.api.networking.configuration import Configuration
from liqo.api.networking.gateway import GatewayClient, GatewayServer
from liqo.api.offloading import VirtualNode
from liqo.cli.info.facts import Peers
from liqo.cli.info.peer import chosen, report
from liqo.errors import LiqoError
from tests.unit.cli.installations import an_object
from tests.unit.cli.served import decoded

OF_MILAN = {"liqo.io/remote-cluster-id": "milan"}
OF_TURIN = {"liqo.io/remote-cluster-id": "turin"}
OFF: JSON = {"enabled": False}
READY = {"type": "AuthTenantStatus", "status": "Ready"}


def a_peer(name: str = "milan", on: str = "", **status: Any) -> ForeignCluster:
    modules = {
        module: {"enabled": True, "conditions": [READY]} if module == on else OFF
        for module in ("networking", "authentication", "offloading")
    }
    whole = {"role": "Provider", "modules": modules, **status}
    seen = an_object("v1", "x", name, spec={"clusterID": name}, status=whole)
    (peer,) = decoded(ForeignCluster, seen)
    return peer


def of_milan(**parts: Any) -> JSON:
    return an_object("v1", "x", "it", labels=OF_MILAN, **parts)


def test_those_named_are_chosen_in_that_order_and_once() -> None:
    peers = [a_peer("milan"), a_peer("turin")]
    names = [each.spec.cluster_id for each in chosen(peers, ["turin", "milan", "turin"])]
    assert names == ["turin", "milan"]
    assert chosen(peers, []) == peers


def test_all_that_are_not_there_are_named_at_once() -> None:
    with pytest.raises(LiqoError) as missing:
        chosen([a_peer()], ["x", "milan", "y"])
    assert str(missing.value) == 'Peer clusters "x, y" not found in active peerings'


def test_an_api_server_that_does_not_answer_is_an_alert() -> None:
    gone = {"type": "APIServerStatus", "status": "Error", "message": "It is not ready"}
    told = report(Peers(), a_peer(conditions=[gone]))
    assert told["info"] == {"clusterID": "milan", "role": "Provider", "alerts": ["It is not ready"]}


def test_modules_that_are_off_tell_nothing_of_what_is_left() -> None:
    facts = Peers(
        slices=decoded(ResourceSlice, of_milan()),
        configurations=decoded(Configuration, of_milan()),
    )
    told = report(facts, a_peer())
    assert told["authentication"] == {
        "status": "Disabled",
        "APIServerAddr": "",
        "resourceSlices": None,
    }
    assert told["network"]["CIDRs"] == {"remote": {}}


def test_networks_are_shown_as_they_are_and_as_they_are_seen() -> None:
    remote = {"cidr": {"pod": ["10.1.0.0/16"], "external": ["10.70.0.0/16"]}}
    seen = {"cidr": {"pod": ["10.2.0.0/16"]}}
    configurations = decoded(
        Configuration, of_milan(spec={"remote": remote}, status={"remote": seen})
    )
    told = report(Peers(configurations=configurations), a_peer(on="networking"))["network"]
    assert told["CIDRs"] == {"remote": remote["cidr"], "remapped": seen["cidr"]}
    assert told["gateway"] == {"address": None, "port": 0, "role": ""}


ENDPOINT = {"addresses": ["172.18.0.3"], "port": 51840}


@pytest.mark.parametrize(
    ("facts", "gateway"),
    [
        (
            Peers(clients=decoded(GatewayClient, of_milan(spec={"endpoint": ENDPOINT}))),
            {"address": ["172.18.0.3"], "port": 51840, "role": "Server"},
        ),
        (
            Peers(
                servers=decoded(
                    GatewayServer,
                    of_milan(status={"endpoint": {"addresses": ["a"], "ports": [7, 8]}}),
                )
            ),
            {"address": ["a"], "port": 7, "role": "Client"},
        ),
        (
            Peers(servers=decoded(GatewayServer, of_milan())),
            {"address": None, "port": 0, "role": "Client"},
        ),
    ],
)
def test_the_gateway_of_the_peer_is_the_other_end_of_ours(facts: Peers, gateway: JSON) -> None:
    assert report(facts, a_peer(on="networking"))["network"]["gateway"] == gateway


def test_behind_a_proxy_the_proxy_is_the_address() -> None:
    spec = {
        "type": "ControlPlane",
        "authParams": {"apiServer": "https://a", "proxyURL": "http://b"},
    }
    other = {"type": "ResourceSlice", "authParams": {"apiServer": "https://c"}}
    identities = decoded(Identity, of_milan(spec=other), of_milan(spec=spec))
    told = report(Peers(identities=identities), a_peer(on="authentication"))
    assert told["authentication"]["APIServerAddr"] == "http://b"


def test_a_slice_is_accepted_when_every_answer_is_yes() -> None:
    yes = {"type": "Authentication", "status": "Accepted"}
    no = {"type": "Resources", "status": "Denied", "message": "too much"}
    silent = {"type": "Resources", "status": "Denied"}
    slices = decoded(
        ResourceSlice,
        *(of_milan(status={"conditions": each}) for each in ([], [yes], [yes, no], [silent])),
        an_object("v1", "x", "of turin", labels=OF_TURIN),
    )
    told = report(Peers(slices=slices), a_peer(on="authentication"))["authentication"]
    assert [(each["accepted"], each.get("alerts")) for each in told["resourceSlices"]] == [
        (False, None),
        (True, None),
        (False, ["too much"]),
        (False, ["Resources: Denied"]),
    ]


def test_a_virtual_node_is_well_when_nothing_of_it_is_on_its_way() -> None:
    running = {"type": "Node", "status": "Running"}
    draining = {"type": "VirtualKubelet", "status": "Draining"}
    nodes = decoded(
        VirtualNode,
        *(of_milan(status={"conditions": each}) for each in ([], [running], [running, draining])),
    )
    told = report(Peers(virtual_nodes=nodes), a_peer(on="offloading"))["offloading"]
    states = [each["status"] for each in told["virtualNodes"]]
    assert states == ["Unhealthy", "Healthy", "Unhealthy"]
    assert told["virtualNodes"][0] == {
        "name": "it",
        "status": "Unhealthy",
        "secret": "",
        "resources": {},
    }
