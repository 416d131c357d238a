"""The older spellings, as the printed command has them."""

from __future__ import annotations

import click
import pytest

from liqo.cli.outofband import peer, unpeer


def test_a_printed_command_is_understood() -> None:
    words = "milan --auth-url https://m --cluster-id milan --auth-token a.b.c --auth-ca UEVN"
    said = peer.make_context("x", words.split()).params
    assert (said["name"], said["auth_ca"]) == ("milan", "UEVN")


def test_half_a_command_is_refused() -> None:
    with pytest.raises(click.UsageError, match="auth_token"):
        peer.make_context("x", ["milan", "--auth-url", "u", "--cluster-id", "milan"])


def test_leaving_needs_a_name() -> None:
    assert unpeer.make_context("x", ["milan"]).params["name"] == "milan"
    with pytest.raises(click.UsageError):
        unpeer.make_context("x", [])
