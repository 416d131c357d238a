"""Which network is free, and which is refused."""

import re
from ipaddress import IPv4Network

import pytest

from liqo.playground.errors import PlaygroundError
from liqo.playground.subnets import NETWORKS, check_network, free_network


def refused(because: str) -> pytest.RaisesExc[PlaygroundError]:
    return pytest.raises(PlaygroundError, match=re.escape(because))


def test_the_first_free_network_is_taken() -> None:
    assert free_network([]) == "172.30.0.0/24"
    assert free_network([IPv4Network("172.30.0.0/23"), IPv4Network("10.0.0.0/8")]) == (
        "172.30.2.0/24"
    )


def test_a_machine_without_a_free_network_is_told_the_option() -> None:
    with refused("every network of 172.30.0.0/16 is in use on this machine: name a free one"):
        free_network([NETWORKS])


def test_a_network_of_the_users_is_taken_unless_the_machine_uses_it() -> None:
    assert check_network("192.168.7.0/24", []) == "192.168.7.0/24"
    with refused("--network 192.168.7.0/24 overlaps 192.168.0.0/16, which this machine uses"):
        check_network("192.168.7.0/24", [IPv4Network("192.168.0.0/16")])
    with refused("--network 192.168.0.0/16 must be a /24"):
        check_network("192.168.0.0/16", [])
    with refused('--network "here" is not an IPv4 network'):
        check_network("here", [])
