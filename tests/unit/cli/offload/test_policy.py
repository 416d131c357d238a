"""What the flags of `offload namespace` mean together."""

from __future__ import annotations

from typing import Any

import pytest

from liqo.cli.offload.policy import Policy, manifest, one_name_each, policy
from liqo.errors import LiqoError


def said(**flags: Any) -> dict[str, Any]:
    unsaid = {"pods": "LocalAndRemote", "mapping": "DefaultName", "remote_name": ""}
    return {**unsaid, "selectors": (), **flags}


def test_without_flags_it_is_the_default() -> None:
    assert policy(said()) == Policy()


@pytest.mark.parametrize(
    ("flags", "why"),
    [
        ({"mapping": "SelectedName"}, "say it with --remote-namespace-name"),
        ({"remote_name": "market"}, "add --namespace-mapping-strategy SelectedName"),
    ],
)
def test_a_name_and_its_strategy_go_together(flags: dict[str, str], why: str) -> None:
    with pytest.raises(LiqoError, match=why):
        policy(said(**flags))


def test_two_namespaces_cannot_have_one_name() -> None:
    chosen = policy(said(mapping="SelectedName", remote_name="market"))
    one_name_each(chosen, ["shop"])
    with pytest.raises(LiqoError, match='"a", "b" cannot all be called "market"'):
        one_name_each(chosen, ["a", "b"])
    assert manifest("shop", chosen).body["spec"]["remoteNamespaceName"] == "market"
