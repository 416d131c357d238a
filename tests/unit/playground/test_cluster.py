"""Where the things of a cluster are, and what its components are called."""

from pathlib import Path

import pytest
import yaml

from liqo.playground.cluster import component_named, fail_if_not_running, write_files
from liqo.playground.errors import PlaygroundError
from liqo.playground.layout import Simulated
from tests.unit.playground.layouts import a_site


def test_a_node_has_its_folder_and_the_first_one_the_kubeconfig(tmp_path: Path) -> None:
    site = a_site(tmp_path, workers=1)
    assert [site.folder_of(member).name for member in site.cluster.nodes] == ["0", "1"]
    assert site.kubeconfig == tmp_path / "0" / "admin.kubeconfig"


def test_certificates_are_made_once_and_configuration_every_time(tmp_path: Path) -> None:
    write_files(a_site(tmp_path))
    kubeconfig, kubelet = tmp_path / "0" / "admin.kubeconfig", tmp_path / "0" / "kubelet.yaml"
    before = kubeconfig.read_bytes()
    kubelet.write_text("spoilt")
    write_files(a_site(tmp_path, workers=1))
    assert kubeconfig.read_bytes() == before
    assert yaml.safe_load(kubelet.read_text())["kind"] == "KubeletConfiguration"
    assert (tmp_path / "1" / "kubelet.kubeconfig").exists()
    assert not (tmp_path / "1" / "admin.kubeconfig").exists()


def test_what_an_interrupted_up_did_not_write_is_written_by_the_next(tmp_path: Path) -> None:
    write_files(a_site(tmp_path))
    (tmp_path / "0" / "kube-proxy.kubeconfig").unlink()  # the last one
    write_files(a_site(tmp_path))
    assert (tmp_path / "0" / "kube-proxy.kubeconfig").exists()


@pytest.mark.parametrize(
    ("called", "name"),
    [
        ("apiserver", "kube-apiserver"),
        ("kube-apiserver", "kube-apiserver"),
        ("proxy", "kube-proxy"),
        ("scheduler", "kube-scheduler"),
        ("etcd", "etcd"),
        ("kubelet", "kubelet"),
        ("kwok", "kwok"),
    ],
)
def test_a_component_may_be_called_by_its_short_name(
    tmp_path: Path, called: str, name: str
) -> None:
    site = a_site(tmp_path, simulated=Simulated(1))
    assert component_named(site, site.cluster.control_plane, called).name == name


def test_a_component_that_is_not_on_that_node_is_not_found(tmp_path: Path) -> None:
    site = a_site(tmp_path, workers=1)
    sentence = r'no component "etcd" on "venice-worker-1" \(there: containerd, kubelet, kube-proxy'
    with pytest.raises(PlaygroundError, match=sentence):
        component_named(site, site.cluster.nodes[1], "etcd")


def test_an_api_server_fails_with_the_etcd_below_it(tmp_path: Path) -> None:
    log = tmp_path / "0" / "logs" / "etcd.log"
    log.parent.mkdir(parents=True)
    log.write_text("starting\nerror: no space left\n")
    site = a_site(tmp_path)  # of which nothing runs
    with pytest.raises(PlaygroundError, match='etcd of "venice" ended: error: no space left'):
        fail_if_not_running(site, site.cluster.control_plane, "kube-apiserver")
    with pytest.raises(PlaygroundError, match='kubelet of "venice" ended: it left no word'):
        fail_if_not_running(site, site.cluster.control_plane, "kubelet")
    fail_if_not_running(
        site, site.cluster.control_plane, "dns=10.0.0.10"
    )  # a pod, not a process of ours
