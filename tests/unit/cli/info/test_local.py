"""The report about an installation, also about one that is not whole."""

from __future__ import annotations

import msgspec

from liqo.api.core import ForeignCluster
from liqo.api.ipam import Network
from liqo.api.kubernetes import ConfigMap, Deployment, Pod
from liqo.api.offloading import NamespaceOffloading
from liqo.cli.info.facts import Local
from liqo.cli.info.local import report
from tests.unit.cli.installations import a_pod, an_object, controllers, network
from tests.unit.cli.offload.things import an_offloading, selected
from tests.unit.cli.served import captured, decoded

IDS = decoded(ConfigMap, an_object("v1", "ConfigMap", "id", data={"CLUSTER_ID": "rome"}))


def test_what_is_missing_is_a_warning_and_an_empty_value() -> None:
    told = report(Local("liqo"), with_network=False)
    assert told.values["local"] == {
        "clusterID": "",
        "version": "",
        "labels": {},
        "APIServerAddr": "",
    }
    assert [warning.partition(":")[0] for warning in told.warnings] == [
        "unable to get cluster id",
        "unable to get Liqo version",
    ]


def test_what_was_told_about_the_api_server_counts_more_than_what_is_seen() -> None:
    told = controllers("--api-server-address-override=rome.example:443", "--cluster-labels=b=2,a=1")
    facts = Local("liqo", ids=IDS, deployments=decoded(Deployment, told))
    known = report(facts, with_network=False)
    assert known.warnings == []
    assert known.values["local"] == {
        "clusterID": "rome",
        "version": "v1.2.0",
        "labels": {"a": "1", "b": "2"},
        "APIServerAddr": "https://rome.example:443",
    }


def test_a_webhook_that_does_not_run_is_told() -> None:
    silent = an_object("apps/v1", "Deployment", "liqo-webhook", status={})
    works = an_object("apps/v1", "Deployment", "liqo-webhook", status={"availableReplicas": 1})
    for deployment, times in ((silent, 1), (works, 0)):
        facts = Local("liqo", ids=IDS, deployments=decoded(Deployment, deployment))
        told = [each for each in report(facts, with_network=False).warnings if "webhook" in each]
        assert len(told) == times


def test_a_namespace_that_is_not_where_it_should_be_is_told() -> None:
    failed = an_offloading("SomeFailed", milan=selected("False", "it is taken"))
    nowhere, fine = an_offloading("NoClusterSelected", milan=[]), an_offloading("Ready")
    found = decoded(NamespaceOffloading, failed, nowhere, fine)
    told = report(Local("liqo", ids=IDS, offloadings=found), with_network=False).warnings
    first, second = (each for each in told if "offloading" in each)
    assert first == (
        'the offloading of namespace "shop" is in "SomeFailed" state: cluster "milan": it is taken'
    )
    assert second.startswith(
        'the offloading of namespace "shop" is in "NoClusterSelected" state: the labels of no'
    )


def test_flags_are_shown_even_if_the_image_has_no_tag() -> None:
    facts = Local(
        "liqo", deployments=decoded(Deployment, controllers("--cluster-labels=a=1", image="x"))
    )
    assert report(facts, with_network=False).values["local"]["labels"] == {"a": "1"}


def test_networks_are_those_that_others_know() -> None:
    networks = [
        network("pod", "one", "10.1.0.0/16"),
        network("pod", "two", "10.2.0.0/16"),
        network("pod", "three"),
        network("external", cidr="10.70.0.0/16"),
    ]
    told = report(Local("liqo", networks=decoded(Network, *networks)), with_network=True)
    assert told.values["network"] == {
        "podCIDRs": ["10.1.0.0/16", "10.2.0.0/16"],
        "serviceCIDR": "",
        "externalCIDR": "10.70.0.0/16",
        "internalCIDR": "",
    }
    assert [each for each in told.warnings if "CIDR" in each] == [
        "unable to get PodCIDRs: the pod CIDR is not yet configured: "
        'missing status on Network "three"'
    ]


def test_pods_that_are_not_well_are_named() -> None:
    facts = Local("liqo", pods=decoded(Pod, a_pod("well"), a_pod("ill", ready=False)))
    told = report(facts, with_network=False).values["health"]
    assert (told["healthy"], list(told["unhealthyPods"])) == (False, ["ill"])


def test_a_peering_that_is_not_well_says_why() -> None:
    (seen,) = [each for each in captured("2-peered-consumer") if each["kind"] == "ForeignCluster"]
    offloading = seen["status"]["modules"]["offloading"]["conditions"]
    offloading[0] |= {"status": "NotReady", "message": "All virtual nodes are not ready"}
    seen["status"]["conditions"][0] |= {"status": "Error", "message": "It does not answer"}
    peers = (msgspec.convert(seen, ForeignCluster),)
    (told,) = report(Local("liqo", peers=peers), with_network=False).values["peerings"]["peers"]
    assert told["offloadingStatus"] == "Unhealthy"
    assert told["authenticationStatus"] == "Healthy"
    assert told["alerts"] == ["It does not answer", "All virtual nodes are not ready"]
