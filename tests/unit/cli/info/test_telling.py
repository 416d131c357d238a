"""The whole of `liqoctl info`, word for word as the stock client prints it for the same objects."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
import yaml

from tests.unit.cli.installations import rome
from tests.unit.cli.liqoctl import Client, Said, transcript


@pytest.mark.parametrize(
    ("name", "moment"),
    [
        ("info", "2-peered"),
        ("info-provider", "2-peered"),
        ("info-unpeered", ""),
        ("info-json", "2-peered"),
        ("info-get", "2-peered"),
        ("info-get-bad", "2-peered"),
        ("info-peer", "2-peered"),
        ("info-peer-provider", "2-peered"),
        ("info-peer-json", "2-peered"),
        ("info-peer-unknown", "2-peered"),
    ],
)
def test_it_says_what_the_stock_client_says(name: str, moment: str, client: Client) -> None:
    stock = transcript(name)
    assert client.say(*stock.words, consumer=rome(moment)) == stock.said


def test_it_says_more_when_asked_and_labels_always_in_order(client: Client) -> None:
    """The stock client prints labels in any order: that day, region came first."""
    stock = transcript("info-verbose")
    lines = stock.said.out.splitlines(keepends=True)
    lines[5:7] = reversed(lines[5:7])
    ours = client.say(*stock.words)
    assert ours == replace(stock.said, out="".join(lines))


def test_yaml_has_its_keys_in_order(client: Client) -> None:
    said = client.say("info", "-o", "yaml")
    assert said.out.startswith("health:\n  healthy: true\nlocal:\n  APIServerAddr: https://")
    assert yaml.safe_load(said.out) == json.loads(transcript("info-json").said.out)


def test_a_structure_is_yaml_unless_json_is_asked_for(client: Client) -> None:
    words = ("info", "peer", "--get", "offloading.virtualNodes")
    node = {"name": "milan", "status": "Healthy", "resourceSlice": "milan"}
    for found in (
        yaml.safe_load(client.say(*words).out),
        json.loads(client.say(*words, "-o", "json").out),
    ):
        assert [node.items() <= each.items() for each in found] == [True]


def test_options_may_stand_before_the_word_peer(client: Client) -> None:
    said = client.say("info", "-g", "milan.info.role", "peer")
    assert said == Said(0, "Provider\n", "")


def test_without_peers_it_says_how_to_get_one(client: Client) -> None:
    said = client.say("info", "peer", consumer=rome(""))
    assert said == Said(0, "", "INFO: there are no peers yet; make one with: liqoctl peer\n")


@pytest.mark.parametrize("words", [["info"], ["info", "peer"]])
def test_a_cluster_without_liqo_is_told_in_a_sentence(words: list[str], client: Client) -> None:
    said = client.say(*words, consumer=[])
    assert (said.code, said.out) == (1, "")
    assert said.err.startswith("ERRO: Liqo is not installed in the current cluster! ")
    assert "liqoctl install" in said.err
    assert said.err.count("\n") == 1
