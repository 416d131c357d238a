"""From what was said to settings."""

import pytest

from liqo.errors import LiqoError
from liqo.install.providers import Facts
from liqo.install.surroundings import Surroundings
from liqo.install.wish import ADDRESS, ID, LABELS, Place, Wish, settle

NETWORKS = {"ipam.podCIDRs": ["10.1.0.0/16"], "ipam.serviceCIDR": "10.2.0.0/16"}


def place(facts: Facts = Facts(NETWORKS), cluster_id: str = "") -> Place:  # noqa: B008
    return Place(facts, Surroundings(cluster_id), "https://10.0.0.1:6443")


def cluster_id(wish: Wish, there: Place) -> str:
    return settle(wish, there, "1.2.3", lambda: "new-name").cluster_id


def test_the_id_is_the_one_given_or_the_one_it_has_or_its_name_or_a_new_one() -> None:
    named = Facts(NETWORKS, name="venice")
    assert cluster_id(Wish(flags={ID: "rome"}), place(named, "milan")) == "rome"
    assert cluster_id(Wish(), place(named, "milan")) == "milan"
    assert cluster_id(Wish(), place(named)) == "venice"
    assert cluster_id(Wish(), place()) == "new-name"


def test_the_last_word_has_what_is_set() -> None:
    wish = Wish(
        flags={"tag": "flag"},
        files=[{"tag": "first file"}, {"tag": "second file"}],
        sets=[{"tag": "set"}, {"tag": "set as text"}],
    )
    assert wish.given(Facts({"tag": "fact"}))["tag"] == "set as text"


def test_of_several_files_the_first_wins() -> None:
    wish = Wish(flags={"tag": "flag"}, files=[{"tag": "first"}, {"tag": "second"}])
    assert wish.given(Facts())["tag"] == "first"


def test_a_flag_replaces_what_the_cluster_tells() -> None:
    wish = Wish(flags={"ipam.podCIDRs": ["10.9.0.0/16"]})
    assert wish.given(Facts(NETWORKS))["ipam.podCIDRs"] == ["10.9.0.0/16"]


def test_a_provider_is_one_of_the_labels_of_the_cluster() -> None:
    wish = Wish("kind", flags={LABELS: {"region": "north"}})
    assert wish.given(Facts())[LABELS] == {"liqo.io/provider": "kind", "region": "north"}
    assert LABELS not in Wish().given(Facts())


@pytest.mark.parametrize(
    ("missing", "flag"), [("ipam.podCIDRs", "--pod-cidr"), ("ipam.serviceCIDR", "--service-cidr")]
)
def test_networks_that_nobody_knows_are_asked_for(missing: str, flag: str) -> None:
    known = Facts({key: value for key, value in NETWORKS.items() if key != missing})
    with pytest.raises(LiqoError, match=f"{flag} is needed"):
        settle(Wish(), place(known), "1.2.3", lambda: "new-name")


def test_others_reach_the_api_server_as_we_do_unless_they_cannot() -> None:
    assert settle(Wish(), place(), "1", lambda: "x")[ADDRESS] == "https://10.0.0.1:6443"
    hidden = Facts(NETWORKS, is_reachable=False)
    assert settle(Wish(), place(hidden), "1", lambda: "x")[ADDRESS] == ""
    given = Wish(flags={ADDRESS: "https://rome.example:6443"})
    assert settle(given, place(), "1", lambda: "x")[ADDRESS] == "https://rome.example:6443"
