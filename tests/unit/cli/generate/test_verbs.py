"""The flags of the command that prints a command."""

from __future__ import annotations

from liqo.cli.generate.verbs import peer_command as command


def test_a_command_lives_an_hour_unless_told_otherwise() -> None:
    said = command.make_context("x", []).params
    assert (said["lifetime"], said["only_command"], said["liqo_namespace"]) == (3600, False, "liqo")
    said = command.make_context("x", ["--only-command", "--lifetime", "10m"]).params
    assert (said["lifetime"], said["only_command"]) == (600, True)
