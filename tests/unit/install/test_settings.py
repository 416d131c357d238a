"""What follows from settings."""

from tests.unit.install.settled import settings


def test_the_tag_is_the_version_unless_it_is_set() -> None:
    assert settings().image == "localhost/liqo/liqo:1.2.3"
    assert settings(tag="v9").image == "localhost/liqo/liqo:v9"


def test_the_older_key_for_one_pod_cidr_counts_too() -> None:
    given = {"ipam.podCIDR": "10.1.0.0/16", "ipam.podCIDRs": ["10.2.0.0/16", "10.1.0.0/16"]}
    assert settings(**given).pod_cidrs == ("10.1.0.0/16", "10.2.0.0/16")


def test_labels_are_those_of_the_cluster() -> None:
    assert settings(**{"discovery.config.clusterLabels": {"a": "b"}}).labels == {"a": "b"}
