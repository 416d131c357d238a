"""Paths into a report, and what is said about those that lead nowhere."""

from typing import Any

import pytest

from liqo.cli.info.query import get, get_local, get_of_peers, scalar
from liqo.errors import LiqoError

LOCAL = {
    "local": {"clusterID": "rome", "version": "", "labels": {"region": "north"}},
    "health": {"healthy": False, "restarts": 0},
    "peerings": {"peers": [{"clusterID": "milan"}]},
}
PEERS = {"milan": {"info": {"role": "Provider"}}, "turin": {"info": {"role": "Consumer"}}}


@pytest.mark.parametrize(
    ("query", "value"),
    [
        ("local.clusterID", "rome"),
        ("LOCAL.clusterid", "rome"),
        (".local.clusterid", "rome"),
        ("clusterID", "rome"),
        ("local.labels.region", "north"),
        ("health.healthy", False),
        ("health.restarts", 0),
        ("peerings.peers", [{"clusterID": "milan"}]),
    ],
)
def test_a_path_leads_to_a_value_whatever_its_case(query: str, value: Any) -> None:
    assert get_local(LOCAL, query) == value


@pytest.mark.parametrize(
    ("query", "sentence"),
    [
        ("local.nope", 'invalid query "local.nope": "nope" not found'),
        ("nope", 'invalid query "nope": "nope" not found'),
        ("local.version", 'invalid query "local.version": "version" not found'),
        ("local.clusterID.x", 'invalid query "local.clusterID.x": "clusterID" is not an object'),
        ("peerings.peers.milan", 'invalid query "peerings.peers.milan": "peers" is not an object'),
    ],
)
def test_a_path_that_leads_nowhere_says_where_it_ends(query: str, sentence: str) -> None:
    with pytest.raises(LiqoError) as wrong:
        get(LOCAL, query)
    assert str(wrong.value) == sentence


def test_a_path_into_peers_begins_with_one_of_them() -> None:
    assert get_of_peers(PEERS, "turin.info.role") == "Consumer"
    assert get_of_peers(PEERS, "milan") == PEERS["milan"]
    with pytest.raises(LiqoError, match='cluster "info" in query'):
        get_of_peers(PEERS, "info.role")


def test_of_a_single_peer_the_name_may_be_left_out() -> None:
    single = {"milan": PEERS["milan"]}
    assert get_of_peers(single, "info.role") == "Provider"
    assert get_of_peers(single, "milan.info.role") == "Provider"


def test_nobody_asked_about_is_nobody_found() -> None:
    with pytest.raises(LiqoError, match="is not among the requested clusters"):
        get_of_peers({}, "info.role")


def test_scripts_read_true_and_numbers_and_documents_are_none() -> None:
    values: list[Any] = [True, 5, "rome", [], {}]
    assert [scalar(value) for value in values] == [
        "true",
        "5",
        "rome",
        None,
        None,
    ]
