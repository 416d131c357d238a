"""What people read of a report; whole boxes are compared in test_verbs.py."""

from __future__ import annotations

from liqo.api.meta import JSON
from liqo.cli.info import layout
from liqo.cli.info.boxes import draw

LOCAL: JSON = {
    "local": {"clusterID": "rome", "version": "v1", "labels": {}, "APIServerAddr": ""},
    "health": {"healthy": True},
    "peerings": {"peers": []},
}
PEER: JSON = {
    "info": {"clusterID": "milan", "role": "Provider"},
    "network": {"status": "Disabled"},
    "authentication": {"status": "Disabled", "APIServerAddr": "", "resourceSlices": None},
    "offloading": {"status": "Disabled", "virtualNodes": []},
}


def lines(report: JSON, *, of_peer: bool = False) -> list[str]:
    boxes = layout.peer(report) if of_peer else layout.local(report)
    return [line.strip("| ") for line in draw(boxes).splitlines()]


def test_without_labels_there_is_no_heading_for_them() -> None:
    assert "Cluster labels" not in lines(LOCAL)


def test_pods_that_are_not_well_are_told_with_their_numbers() -> None:
    pod = {"status": "Pending", "readyContainers": 1, "totalContainers": 2, "restarts": 3}
    shown = lines({**LOCAL, "health": {"healthy": False, "unhealthyPods": {"ill": pod}}})
    assert "✖    Liqo is unhealthy" in shown
    assert "ill: Status: Pending, Ready: 1/2, Restarts: 3" in shown


def test_a_network_shows_both_ends_and_how_addresses_are_seen() -> None:
    network = {
        "status": "Unhealthy",
        "alerts": ["no route"],
        "CIDRs": {
            "remote": {"pod": ["10.1.0.0/16"], "external": ["10.70.0.0/16"]},
            "remapped": {"pod": ["10.2.0.0/16"], "external": ["10.70.0.0/16"]},
        },
        "gateway": {"address": ["172.18.0.3"], "port": 51840, "role": "Server"},
    }
    shown = lines({**PEER, "network": network}, of_peer=True)
    start = shown.index("Status: Unhealthy")
    assert shown[start : start + 10] == [
        "Status: Unhealthy",
        "Alerts: no route",
        "CIDR",
        "Remote",
        "Pod CIDR:      10.1.0.0/16 → Remapped to 10.2.0.0/16",
        "External CIDR: 10.70.0.0/16 → Remapped to 10.70.0.0/16",
        "Gateway",
        "Role:    Server",
        "Address: 172.18.0.3",
        "Port:    51840",
    ]


def test_a_network_that_nobody_has_mapped_is_shown_as_it_is() -> None:
    network = {
        "status": "Healthy",
        "CIDRs": {"remote": {"pod": ["10.1.0.0/16"]}},
        "gateway": {"address": None, "port": 0, "role": ""},
    }
    shown = lines({**PEER, "network": network}, of_peer=True)
    assert "Pod CIDR:      10.1.0.0/16" in shown


def test_a_slice_that_was_denied_says_why() -> None:
    denied = {
        "name": "mypool",
        "action": "Consuming",
        "accepted": False,
        "alerts": ["too much", "too late"],
        "resources": {},
    }
    told = {"status": "Healthy", "APIServerAddr": "", "resourceSlices": [denied]}
    shown = lines({**PEER, "authentication": told}, of_peer=True)
    start = shown.index("mypool")
    assert shown[start + 1 : start + 6] == [
        "Action: Consuming",
        "Alerts",
        "• too much",
        "• too late",
        "Resource slice not accepted",
    ]
