"""Every flag of `peer` is understood."""

from __future__ import annotations

import pytest

from liqo.cli.peer import command


def parsed(*words: str) -> dict[str, object]:
    return command.make_context("peer", list(words)).params


def test_switches_are_spelled_as_kubectl_spells_them() -> None:
    assert parsed()["create_resource_slice"] is True
    assert parsed("--create-resource-slice=false")["create_resource_slice"] is False
    assert parsed("--networking-disabled")["networking_disabled"] is True
    assert parsed("--networking-disabled", "--cpu", "4")["cpu"] == "4"


def test_what_is_asked_for_is_told_in_flags() -> None:
    said = parsed("--resource", "a=1", "--resource", "b=2", "--timeout", "1m", "--mtu", "1400")
    assert said["resource"] == ({"a": "1"}, {"b": "2"})
    assert said["timeout"] == 60.0
    assert said["resource_slice_class"] == "default"


@pytest.mark.parametrize("word", ["out-of-band", "oob"])
def test_the_older_spelling_is_a_command_below(word: str) -> None:
    context = command.make_context("peer", [word, "--help"], resilient_parsing=True)
    found = command.get_command(context, word)
    assert found is not None
    assert found.name == "out-of-band"
