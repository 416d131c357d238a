"""What `offload` and `unoffload` take."""

from __future__ import annotations

import pytest

from tests.unit.cli.liqoctl import Client


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("--pod-offloading-strategy", "Moon"), "'Moon' is not one of"),
        (("--namespace-mapping-strategy", "x"), "'x' is not one of"),
        (("-l", "region south"), '"region south" is no label selector'),
        (("--ns-selector", "a in b"), '"a in b" is no label selector'),
        (("-o", "table"), "'table' is not one of 'yaml', 'json'"),
    ],
)
def test_bad_input_is_refused_with_what_was_given(
    words: tuple[str, ...], why: str, client: Client
) -> None:
    said = client.say("offload", "namespace", "shop", *words)
    assert said.code == 1
    assert said.err.startswith("ERRO: invalid value for ")
    assert why in said.err
    assert said.err.endswith("see: liqoctl offload namespace --help\n")


@pytest.mark.parametrize("noun", ["namespace", "ns", "namespaces"])
def test_a_namespace_has_three_names(noun: str, client: Client) -> None:
    assert client.say("offload", noun, "shop", "-o", "json").code == 0
