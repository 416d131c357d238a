"""What virtual kubelets are started with."""

import msgspec
import pytest

from liqo.api.offloading import VkOptionsTemplate
from liqo.install.offloading import manifests, options
from liqo.programs.kubeletconfig import read
from tests.unit.install.settled import settings

LEAST = (
    "--foreign-cluster-id=milan",
    "--home-cluster-id=rome",
    "--foreign-kubeconfig-secret-name=kubeconfig-resourceslice-milan",
)


def test_the_runtime_class_leads_to_virtual_nodes() -> None:
    runtime_class, _ = manifests(settings())
    assert runtime_class["handler"] == "liqo"
    assert runtime_class["scheduling"]["nodeSelector"] == {"liqo.io/type": "virtual-node"}
    [toleration] = runtime_class["scheduling"]["tolerations"]
    assert toleration["key"] == "virtual-node.liqo.io/not-allowed"


def test_the_runtime_class_can_be_left_out() -> None:
    given = {"offloading.runtimeClass.enabled": False}
    assert [each["kind"] for each in manifests(settings(**given))] == ["VkOptionsTemplate"]


def test_the_template_is_one_that_everybody_can_read() -> None:
    *_, template = manifests(settings())
    read = msgspec.convert(template, VkOptionsTemplate)
    assert read.metadata.name == "virtual-kubelet-default"
    assert read.spec.container_image == "localhost/liqo/liqo:1.2.3"
    assert read.spec.reflectors_config["pod"].workers == 10
    assert read.spec.reflectors_config["service"].type == "DenyList"
    assert read.spec.reflectors_config["pod"].type == ""
    assert not read.spec.metrics_enabled


def test_metrics_have_an_address_when_they_are_wanted() -> None:
    assert options(settings(**{"metrics.enabled": True}))["metricsAddress"] == ":5872"


def test_prometheus_is_told_where_kubelets_are_if_both_are_wanted() -> None:
    wanted = {
        "metrics.enabled": True,
        "metrics.prometheusOperator.enabled": True,
        "virtualKubelet.metrics.podMonitor.interval": "15s",
        "virtualKubelet.metrics.podMonitor.labels": {"release": "prometheus"},
    }
    *_, monitor = manifests(settings(**wanted))
    assert monitor["kind"] == "PodMonitor"
    assert monitor["metadata"]["labels"]["release"] == "prometheus"
    assert monitor["spec"] == {
        "namespaceSelector": {"any": True},
        "selector": {"matchLabels": {"offloading.liqo.io/component": "virtual-kubelet"}},
        "podMetricsEndpoints": [{"port": "metrics", "interval": "15s"}],
    }
    *_, last = manifests(settings(**{"metrics.prometheusOperator.enabled": True}))
    assert last["kind"] == "VkOptionsTemplate"


def test_addresses_can_be_kept_to_oneself() -> None:
    hidden = options(settings(**{"networking.reflectIPs": False}))
    assert "--disable-ip-reflection" in hidden["extraArgs"]
    assert "--disable-ip-reflection" not in options(settings())["extraArgs"]


def home_in(*arguments: str, **given: object) -> tuple[str, str]:
    """Where a kubelet that is started so sends pods."""
    made = options(settings(**{"virtualKubelet.extra.args": [*arguments], **given}))
    return read((*LEAST, *made["extraArgs"])).api_server


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("https://10.0.0.1:8443", ("10.0.0.1", "8443")),
        ("https://rome.eks.example", ("rome.eks.example", "443")),
        ("https://proxy.example/k8s/clusters/rome", ("", "")),
        ("https://127.0.0.1:6443", ("", "")),  # with --skip-validation
        ("", ("", "")),
    ],
)
def test_pods_find_the_api_server_where_the_administrator_says(
    address: str, expected: tuple[str, str]
) -> None:
    assert home_in(**{"apiServer.address": address}) == expected


def test_who_says_it_in_an_argument_is_believed() -> None:
    told = ("--home-api-server-host=h", "--home-api-server-port=1")
    assert home_in(*told, **{"apiServer.address": "https://10.0.0.1:6443"}) == ("h", "1")


@pytest.mark.parametrize("other", [{"apiServer.ca": "Q0E="}, {"apiServer.trustedCA": True}])
def test_pods_are_not_sent_to_who_presents_an_authority_that_they_do_not_know(
    other: dict[str, object],
) -> None:
    assert home_in(**{"apiServer.address": "https://10.0.0.1:6443", **other}) == ("", "")
