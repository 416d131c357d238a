"""The whole of `liqoctl status`, in boxes as of old."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.golden import assert_golden
from tests.unit.cli.installations import network, rome
from tests.unit.cli.liqoctl import Client, Said

GOLDEN = Path(__file__).parent / "golden"


def test_status_shows_the_control_plane_and_the_cluster_labels(client: Client) -> None:
    said = client.say("status", consumer=_without_networks())
    assert (said.code, said.err) == (0, "")
    assert_golden(said.out, GOLDEN / "status.txt")


def test_verbose_shows_images_too_and_networks_are_shown_where_there_are_any(
    client: Client,
) -> None:
    networks = [network(name, cidr=f"10.{name}") for name in ("pod", "service", "external")]
    said = client.say("status", "-v", consumer=[*_without_networks(), *networks])
    assert_golden(said.out, GOLDEN / "verbose.txt")


@pytest.mark.parametrize("name", ["rome", "milan"])
def test_status_peer_shows_directions_and_resources(client: Client, name: str) -> None:
    said = client.say("status", "peer", "--kubeconfig", f"{name}.kubeconfig")
    assert (said.code, said.err) == (0, "")
    assert_golden(said.out, GOLDEN / f"peer-of-{name}.txt")


def test_a_peer_that_nobody_knows_is_an_error(client: Client) -> None:
    said = client.say("status", "peer", "turin", "milan")
    assert said == Said(1, "", 'ERRO: Peer clusters "turin" not found in active peerings\n')


def test_without_peers_it_says_how_to_get_one(client: Client) -> None:
    said = client.say("status", "peer", consumer=rome(""))
    assert said == Said(0, "", "INFO: there are no peers yet; make one with: liqoctl peer\n")


def test_a_cluster_without_liqo_is_told_in_a_sentence(client: Client) -> None:
    said = client.say("status", consumer=[])
    assert (said.code, said.out) == (1, "")
    assert said.err.startswith("ERRO: Liqo is not installed in the current cluster! ")


def _without_networks() -> list[dict[str, object]]:
    return [each for each in rome() if each["kind"] != "Network"]
