"""Two versions, and what is said when they differ or one is not known."""

from __future__ import annotations

from importlib import metadata

import pytest

from liqo.api.meta import JSON
from liqo.cli.version import released
from tests.unit.cli.installations import controllers, rome
from tests.unit.cli.liqoctl import Client, transcript

OURS = metadata.version("liqo")


def running(version: str) -> list[JSON]:
    others = [each for each in rome() if each["kind"] != "Deployment"]
    return [*others, controllers(image=f"ghcr.io/some/controllers:{version}")]


def test_versions_that_differ_are_a_warning_and_no_error(client: Client) -> None:
    stock = transcript("version").said
    said = client.say("version", consumer=running("v1.2.0"))
    assert said.out == stock.out.replace("unknown", OURS)
    assert (said.code, said.err) == (stock.code, stock.err)


def test_versions_that_agree_need_no_word(client: Client) -> None:
    said = client.say("version", consumer=running(f"v{OURS}"))
    assert (said.code, said.err) == (0, "")


def test_the_cluster_is_not_asked_when_only_the_client_is_meant(client: Client) -> None:
    said = client.say("version", "--client", consumer=[])
    assert (said.code, said.out, said.err) == (0, f"Client version: {OURS}\n", "")


def test_a_version_that_is_not_known_is_two_warnings_and_exit_code_1(client: Client) -> None:
    said = client.say("version", consumer=[])
    assert said.code == 1
    assert said.out == f"Client version: {OURS}\nServer version: Unknown\n"
    first, second = said.err.splitlines()
    assert first.startswith("WARN: Failed to retrieve Liqo server version: there is no Deployment")
    assert second.startswith("WARN: ")


@pytest.mark.parametrize("tag", ["0.1.0", "v0.1.0", "0.1.0-ec943d74ca5520d9"])
def test_a_build_of_the_playground_is_the_version_it_is_built_of(tag: str) -> None:
    assert released(tag) == "0.1.0"


def test_another_release_is_another_version() -> None:
    assert released("0.1.0-rc.1") == "0.1.0-rc.1"
