"""The list of controllers."""

from importlib import import_module

import pytest

from liqo.consumer.home import Home
from liqo.consumer.replication.remotes import replication
from liqo.kube.access import Access as Target
from liqo.kube.cache import Caches
from liqo.kube.cluster import Cluster
from liqo.plugin.answers import Answers
from liqo.programs.config import read
from liqo.programs.controllers import answers, controllers, main
from liqo.provider.share.telling import Telling


def listed(*flags: str) -> list[str]:
    here = Caches(Cluster(Target(server="https://milan.invalid")))
    told = read(["--cluster-id=milan", *flags])
    remotes = replication(here, Home("milan"))
    return [each.name for each in controllers(here, told, told.access(""), remotes)]


def test_every_name_leads_to_its_file() -> None:
    for name in listed():
        module = import_module(f"liqo.{name.replace('/', '.')}")
        assert hasattr(module, "controller")


def test_no_controller_is_there_twice() -> None:
    assert len(set(listed())) == len(listed())


def test_a_plugin_that_is_configured_runs_beside_them_and_decides_about_shares() -> None:
    here = Caches(Cluster(Target(server="https://milan.invalid")))
    told = read(["--cluster-id=milan", "--resource-plugin-address=http://plugin.liqo:8080"])
    plugin = answers(told)
    assert isinstance(plugin, Answers)
    made = controllers(here, told, told.access(""), replication(here, Home("milan")), plugin)
    [quota] = [each for each in made if each.name == "provider/quota"]
    assert any(isinstance(source, Telling) for source in quota.watches)
    assert answers(read(["--cluster-id=milan"])) is None


def test_what_needs_a_module_goes_with_it() -> None:
    without = set(listed()) - set(listed("--offloading-enabled=false"))
    assert without == {
        "consumer/kubelet/availability",
        "consumer/kubelet/eviction",
        "consumer/kubelet/life",
        "consumer/kubelet/namespaces",
        "consumer/kubelet/addedrights",
        "consumer/offloading/forerunner",
        "consumer/offloading/closing",
        "consumer/offloading/homebound",
        "consumer/offloading/mapping",
        "consumer/offloading/namespace",
        "consumer/offloading/quick",
        "consumer/virtualnode",
        "peering/servingcertificates",
        "provider/namespacemap",
        "provider/addedrights",
        "provider/quota",
        "provider/shadowendpointslice",
        "provider/shadowpod",
        "provider/stray",
    }
    assert set(listed("--authentication-enabled=false")) == {
        "peering/keys",
        "peering/tenantnamespace",
        "peering/foreigncluster",
        "provider/metricsapi",
    }


def test_nodes_are_given_up_only_where_somebody_wants_it() -> None:
    added = set(listed("--enable-node-failure-controller")) - set(listed())
    assert added == {"provider/nodefailure"}


def test_what_is_wrong_with_the_flags_is_said_in_a_sentence(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["--cluster-id=Milan"]) == 1
    assert 'the cluster ID "Milan" must consist of' in capsys.readouterr().err
