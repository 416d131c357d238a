"""What clusters tell about themselves."""

import json

import msgspec
import pytest

from liqo.api.kubernetes import Pod
from liqo.errors import LiqoError
from liqo.install.providers import PROVIDERS, check, flags_of, networks_of


def test_flags_are_found_wherever_they_are_written() -> None:
    containers = [
        {"command": ["kube-controller-manager", "--cluster-cidr=10.1.0.0/16"], "args": ["--v=2"]}
    ]
    pod = Pod(raw_spec=msgspec.Raw(json.dumps({"containers": containers}).encode()))
    assert flags_of(pod)["--cluster-cidr"] == "10.1.0.0/16"
    assert flags_of(pod)["--v"] == "2"


def test_of_two_families_the_first_is_ours() -> None:
    flags = {"--cluster-cidr": "10.1.0.0/16,fd00::/64", "--service-cluster-ip-range": "10.2.0.0/16"}
    assert networks_of(flags) == {
        "ipam.podCIDRs": ["10.1.0.0/16"],
        "ipam.serviceCIDR": "10.2.0.0/16",
    }


def test_kubeadm_has_defaults() -> None:
    assert networks_of({}) == {
        "ipam.podCIDRs": ["172.16.0.0/16"],
        "ipam.serviceCIDR": "10.96.0.0/12",
    }


@pytest.mark.parametrize("provider", PROVIDERS)
def test_those_we_know_pass(provider: str) -> None:
    check(provider)


@pytest.mark.parametrize("provider", ["aks", "eks", "gke", "openshift"])
def test_a_cloud_is_refused_with_what_works_instead(provider: str) -> None:
    with pytest.raises(
        LiqoError, match=f'"{provider}" is not supported: install without naming one'
    ):
        check(provider)


def test_another_word_is_refused_with_those_that_are_known() -> None:
    with pytest.raises(LiqoError, match="playground, kind, kubeadm, k3s"):
        check("minikube")
