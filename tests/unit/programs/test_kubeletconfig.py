"""A virtual kubelet is started by whoever made its Deployment."""

from __future__ import annotations

import pytest

from liqo.api.meta import Key
from liqo.api.offloading import VirtualNode
from liqo.errors import LiqoError
from liqo.kubelet.node.health import Patience
from liqo.programs.kubeletconfig import read
from liqo.runtime.leader import Candidacy
from tests import wire

LEAST = (
    "--foreign-cluster-id=milan",
    "--home-cluster-id=rome",
    "--foreign-kubeconfig-secret-name=kubeconfig-resourceslice-milan",
)


def test_all_arguments_of_a_captured_deployment_are_understood() -> None:
    [captured, *_] = wire.captured(VirtualNode)
    template = captured["spec"]["template"]["spec"]["template"]
    arguments = template["spec"]["containers"][0]["args"]
    told = read([each.replace("$(POD_IP)", "10.71.0.7") for each in arguments])
    assert told.unknown == ()
    assert (told.home, told.provider, told.node) == ("rome", "milan", "milan")
    assert (told.namespace, told.credential) == (
        "liqo-tenant-milan",
        "kubeconfig-resourceslice-milan",
    )
    assert (told.node_ip, told.port, told.metrics) == ("10.71.0.7", 10250, ("", 5872))
    assert told.creates_node
    assert told.checks_network
    assert told.supports_api_server


# All of virtual-kubelet.md, 1.2, but for those of klog.
REMAPS = ("", "-remap")
RESOURCES = (
    "pod",
    "service",
    "endpointslice",
    "ingress",
    "configmap",
    "secret",
    "serviceaccount",
    "persistentvolumeclaim",
    "event",
)
SWITCHES = (
    "disable-ip-reflection",
    "enable-profiling",
    "node-check-network",
    "enable-apiserver-support",
    "enable-storage",
    "enable-ingress",
    "enable-load-balancer",
    "metrics-enabled",
    "create-node",
    "vk-lease-enabled",
)
SPELLED = ("", "=true", "=false", "=1", "=0", "=t", "=f", "=T", "=F", "=TRUE", "=FALSE")
TABLE = (
    "home-kubeconfig=/etc/kubeconfig",
    "foreign-kubeconfig-secret-name=kubeconfig",
    "nodename=milan",
    "tenant-namespace=liqo-tenant-milan",
    "liqo-namespace=liqo",
    "resync-period=10h0m0s",
    "home-cluster-id=rome",
    "foreign-cluster-id=milan",
    "local-podcidr=10.0.0.0/16,10.1.0.0/16",
    "node-ip=10.71.0.7",
    "certificate-type=kubelet",
    "certificate-type=self-signed",
    "listen-port=10250",
    *(f"{name}-reflection-workers={count}" for name in RESOURCES for count in (0, 10)),
    *(
        f"{name}-reflection-type={policy}"
        for name in ("service", "ingress", "configmap", "secret", "event")
        for policy in ("DenyList", "AllowList")
    ),
    "node-lease-duration=40s",
    "node-ping-interval=10s",
    "node-ping-timeout=1s",
    "node-extra-annotations=a=1,b=2=3",
    "node-extra-labels=a=1",
    "virtual-storage-class-name=liqo",
    "remote-real-storage-class-name=fast",
    "remote-real-ingress-class-name=nginx",
    "remote-real-load-balancer-class-name=lb",
    "metrics-address=:8082",
    "home-api-server-host=rome.example",
    "home-api-server-port=443",
    *(f"remote-{net}-cidr{end}=10.2.0.0/16" for net in ("pod", "external") for end in REMAPS),
    "vk-lease-duration=15s",
    "vk-lease-renew-interval=10s",
    "vk-lease-retry-period=5s",
    "client-qps=100",
    "client-max-burst=100",
    "client-timeout=0",
    "client-timeout=30s",
)


@pytest.mark.parametrize(
    "argument", [*TABLE, *(f"{name}{value}" for name in SWITCHES for value in SPELLED)]
)
def test_every_flag_of_the_wire_is_understood(argument: str) -> None:
    assert read((*LEAST, f"--{argument}")).unknown == ()


def test_a_rate_that_has_no_effect_may_be_a_fraction() -> None:
    assert read((*LEAST, "--client-qps=100.5", "--client-max-burst=100")).unknown == ()


def test_A15_how_the_provider_is_asked_are_options() -> None:
    assert read(LEAST).patience == Patience(10.0, 1.0, 3)
    flags = ("--node-ping-interval=2s", "--node-ping-timeout=500ms", "--node-ping-failures=5")
    assert read((*LEAST, *flags)).patience == Patience(2.0, 0.5, 5)


def test_a_stream_may_be_silent_for_four_hours_or_as_long_as_one_says() -> None:
    assert read(LEAST).idle == 4 * 3600
    assert read((*LEAST, "--streaming-connection-idle-timeout=2s")).idle == 2


def test_who_signs_its_certificate_is_an_option() -> None:
    assert not read(LEAST).signs_itself
    assert not read((*LEAST, "--certificate-type=kubelet")).signs_itself
    assert read((*LEAST, "--certificate-type=self-signed")).signs_itself
    aws = read((*LEAST, "--certificate-type=aws"))
    assert (aws.signs_itself, aws.unknown) == (False, ("--certificate-type=aws",))


def test_a_signer_that_nobody_knows_is_an_error(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        read((*LEAST, "--certificate-type=somebody"))
    assert "--certificate-type" in capsys.readouterr().err


def test_a_flag_of_a_newer_liqo_is_no_error() -> None:
    assert read((*LEAST, "--klog.v=4", "--shiny")).unknown == ("--klog.v=4", "--shiny")


@pytest.mark.parametrize("number", range(len(LEAST)))
def test_what_it_cannot_do_without_must_be_told(number: int) -> None:
    missing = LEAST[number].partition("=")[0]
    with pytest.raises(LiqoError, match=missing):
        read([each for each in LEAST if not each.startswith(missing)])


def test_it_stands_for_the_lease_of_its_node_under_the_name_of_its_pod() -> None:
    flags = (*LEAST, "--nodename=milan", "--tenant-namespace=liqo-tenant-milan")
    candidacy = read(flags, {"POD_NAME": "vk-milan-1"}).candidacy
    assert (candidacy.lease, candidacy.identity) == (
        Key("liqo-tenant-milan", "milan"),
        "vk-milan-1",
    )
    assert read(LEAST, {}).candidacy.identity


def test_of_all_kubelets_of_a_provider_one_reflects_by_the_lease_of_the_wire() -> None:
    flags = (*LEAST, "--tenant-namespace=liqo-tenant-milan", "--vk-lease-duration=7s")
    told = read(flags, {"POD_NAME": "vk-milan-1"})
    assert told.reflecting == Candidacy(
        Key("liqo-tenant-milan", "virtual-kubelet-leader-election"), "vk-milan-1", 7.0
    )
    assert told.candidacy.duration == 7.0


def test_P_RACE7_without_an_election_it_reflects_all_the_same() -> None:
    assert read((*LEAST, "--vk-lease-enabled=false")).reflecting is None


def test_what_is_reflected_and_by_which_policy_are_options() -> None:
    told = read((*LEAST, "--liqo-namespace=here"))
    assert {"pod", "configmap", "secret", "serviceaccount"} <= told.reflected
    assert told.policies.installation == "here"
    assert told.policies.flags["configmap"] == "DenyList"
    off = read((*LEAST, "--secret-reflection-workers=0", "--configmap-reflection-type=AllowList"))
    assert "secret" not in off.reflected
    assert off.policies.flags["configmap"] == "AllowList"
    assert off.policies.off == {"secret"}
    mentioned = read((*LEAST, "--secret-reflection-type=onlyreferenced"))
    assert mentioned.policies.flags["secret"] == "OnlyReferenced"


@pytest.mark.parametrize(
    "flag", ["secret-reflection-type=Everything", "service-reflection-type=OnlyReferenced"]
)
def test_a_policy_that_nobody_knows_is_an_error(
    flag: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        read((*LEAST, f"--{flag}"))
    assert f"--{flag.partition('=')[0]}" in capsys.readouterr().err


def test_who_hides_addresses_tells_no_endpoints() -> None:
    assert read((*LEAST, "--disable-ip-reflection")).policies.off == {"endpointslice"}


def test_further_kinds_may_be_named() -> None:
    [kind] = read((*LEAST, "--custom-resources=widgets.v1.example.org/Widget")).customs
    assert (str(kind), kind.plural, kind.version) == ("Widget.example.org", "widgets", "v1")
    assert read(LEAST).customs == ()


def test_pods_that_fit_on_no_node_are_refused_where_that_is_wanted() -> None:
    assert not read(LEAST).refuses_too_large
    assert read((*LEAST, "--refuse-too-large-pods")).refuses_too_large


def test_L19_classes_count_where_they_are_offered() -> None:
    told = read((*LEAST, "--enable-ingress", "--remote-real-ingress-class-name=nginx"))
    assert (told.ingress_class, told.load_balancer_class) == ("nginx", "")
    assert read((*LEAST, "--remote-real-load-balancer-class-name=lb")).load_balancer_class == ""


def test_without_metrics_no_port_is_opened() -> None:
    assert read(LEAST).metrics is None


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        (":8082", ("", 8082)),
        ("127.0.0.1:1", ("127.0.0.1", 1)),
        ("[::1]:1", ("::1", 1)),
    ],
)
def test_metrics_are_served_where_it_is_told(address: str, expected: tuple[str, int]) -> None:
    assert read((*LEAST, "--metrics-enabled", f"--metrics-address={address}")).metrics == expected


def test_an_address_without_a_port_is_refused() -> None:
    with pytest.raises(LiqoError, match="has no port"):
        read((*LEAST, "--metrics-enabled", "--metrics-address=here"))
