"""Authentication alone has few flags."""

from __future__ import annotations

from liqo.cli.authenticate import authenticate, unauthenticate


def test_both_end_after_two_minutes_by_default() -> None:
    for verb in (authenticate, unauthenticate):
        assert verb.make_context("x", []).params["timeout"] == 120.0


def test_their_own_flags_are_understood() -> None:
    said = authenticate.make_context("x", ["--proxy-url", "http://p", "--in-band"]).params
    assert (said["proxy_url"], said["in_band"]) == ("http://p", True)
    assert unauthenticate.make_context("x", ["--no-wait"]).params["wait"] is False
