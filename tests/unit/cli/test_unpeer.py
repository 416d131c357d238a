"""Every flag of `unpeer` is understood."""

from __future__ import annotations

from liqo.cli.unpeer import command


def test_it_waits_and_keeps_the_namespaces_unless_told_otherwise() -> None:
    said = command.make_context("unpeer", []).params
    assert (said["wait"], said["delete_namespaces"], said["timeout"]) == (True, False, 120.0)
    said = command.make_context("unpeer", ["--wait=false", "--delete-namespaces"]).params
    assert (said["wait"], said["delete_namespaces"]) == (False, True)


def test_the_older_spelling_is_a_command_below() -> None:
    context = command.make_context("unpeer", ["oob"], resilient_parsing=True)
    found = command.get_command(context, "oob")
    assert found is not None
    assert next(param.name for param in found.params) == "name"
