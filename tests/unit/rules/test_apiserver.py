"""Where an API server is found."""

import msgspec
import pytest

from liqo.api.kubernetes import EndpointSlice, Node
from liqo.rules.apiserver import endpoint_of, url_of


def a_node(*addresses: tuple[str, str]) -> Node:
    said = [{"type": kind, "address": address} for kind, address in addresses]
    return Node(raw_status=msgspec.Raw(msgspec.json.encode({"addresses": said})))


def endpoints(*addresses: str, port: int | None = 8443) -> EndpointSlice:
    ports = [{"port": port}] if port else []
    return EndpointSlice(
        raw_endpoints=msgspec.Raw(msgspec.json.encode([{"addresses": addresses}])),
        raw_ports=msgspec.Raw(msgspec.json.encode(ports)),
    )


@pytest.mark.parametrize(
    ("told", "url"),
    [
        ("milan.example", "https://milan.example"),
        ("https://milan.example:6443", "https://milan.example:6443"),
    ],
)
def test_what_was_told_counts_with_a_scheme(told: str, url: str) -> None:
    assert url_of(told, [a_node(("InternalIP", "10.0.0.1"))], []) == url


def test_the_address_that_reaches_furthest_is_preferred_among_all_nodes() -> None:
    inner = a_node(("Hostname", "one"), ("InternalIP", "10.0.0.1"))
    outer = a_node(("InternalIP", "10.0.0.2"), ("ExternalIP", "192.0.2.2"))
    assert url_of("", [inner], []) == "https://10.0.0.1:6443"
    assert url_of("", [inner, outer], []) == "https://192.0.2.2:6443"


def test_an_address_of_ipv6_has_brackets() -> None:
    assert url_of("", [a_node(("InternalIP", "2001:db8::1"))], []) == "https://[2001:db8::1]:6443"


def test_R28_without_such_nodes_the_endpoints_tell_address_and_port() -> None:
    assert url_of("", [], [endpoints("10.0.0.7", "10.0.0.8")]) == "https://10.0.0.7:8443"
    assert (
        url_of("", [a_node(("Strange", "x"))], [endpoints("10.0.0.7")]) == "https://10.0.0.7:8443"
    )


def test_where_nobody_knows_it_is_empty() -> None:
    assert url_of("", [], [endpoints(), endpoints("10.0.0.7", port=None)]) == ""


@pytest.mark.parametrize(
    ("told", "expected"),
    [
        ("https://milan.example:6443", ("milan.example", 6443)),
        ("https://milan.example/", ("milan.example", 443)),
        ("milan.example", ("milan.example", 443)),
        ("https://[2001:db8::1]:8443", ("2001:db8::1", 8443)),
        ("https://proxy.example/k8s/clusters/milan", None),
        ("http://milan.example:8080", None),
        ("https://milan.example:port", None),
        ("", None),
    ],
)
def test_pods_can_be_told_a_host_and_a_port_and_no_more(
    told: str, expected: tuple[str, int] | None
) -> None:
    assert endpoint_of(told) == expected
