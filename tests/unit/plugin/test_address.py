"""Addresses of resource plugins, and what is said of those that are none."""

from __future__ import annotations

import pytest

from liqo.errors import LiqoError
from liqo.plugin.address import Address, GrpcAddress, HttpAddress, parse


@pytest.mark.parametrize(
    ("text", "address", "shown"),
    [
        ("plugin.liqo:6001", GrpcAddress("plugin.liqo", 6001), "grpc://plugin.liqo:6001"),
        ("grpc://plugin.liqo:6001/", GrpcAddress("plugin.liqo", 6001), "grpc://plugin.liqo:6001"),
        ("[fd00::1]:6001", GrpcAddress("fd00::1", 6001), "grpc://[fd00::1]:6001"),
        ("http://plugin", HttpAddress("http://plugin"), "http://plugin"),
        (
            "https://plugin:8443/v1/",
            HttpAddress("https://plugin:8443/v1"),
            "https://plugin:8443/v1",
        ),
    ],
)
def test_the_form_of_an_address_says_which_protocol_is_spoken(
    text: str, address: Address, shown: str
) -> None:
    assert parse(text) == address
    assert str(address) == shown


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "it names no host"),
        ("http://", "it names no host"),
        (":6001", "it names no host"),
        ("the plugin:6001", "it names no host"),
        ("plugin.liqo", "it names no port"),
        ("plugin.liqo:0", "it names no port"),
        ("http://plugin:0", "it names the port 0"),
        ("plugin:many", "Port could not be cast"),
        ("plugin:70000", "Port out of range"),
        ("[fd00::1:6001", "Invalid IPv6 URL"),
        ("ftp://plugin:21", "nobody here speaks ftp"),
        ("plugin:6001/v1", "gRPC has no paths"),
        ("http://me:secret@plugin", "no place for a password"),
        ("http://plugin/?a=b", "no place for a password, a query"),
    ],
)
def test_what_is_no_address_is_said_to_be_none_and_why(text: str, why: str) -> None:
    with pytest.raises(LiqoError, match=why) as said:
        parse(text)
    assert '"plugin.liqo:6001" and "http://plugin.liqo:8080" are' in str(said.value)
