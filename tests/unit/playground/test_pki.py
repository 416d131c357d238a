"""The files of a cluster: who signed them, for whom, and who may read them."""

import base64
import stat
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import yaml
from cryptography import x509
from cryptography.hazmat.primitives.serialization import load_pem_private_key, load_pem_public_key

from liqo.playground.components import PKI, Component, components
from liqo.playground.pki import (
    Authorities,
    api_server_names,
    authorities,
    write,
    write_control_plane,
    write_node,
)
from tests.unit.playground.layouts import a_cluster

CLUSTER = a_cluster(workers=1)
WORKER = CLUSTER.nodes[1]


@pytest.fixture
def signers(tmp_path: Path) -> Authorities:
    return authorities(tmp_path / "authorities", "venice")


@pytest.fixture
def control_plane(tmp_path: Path, signers: Authorities) -> Path:
    write_control_plane(tmp_path / "0", CLUSTER, signers)
    write_node(tmp_path / "0", CLUSTER, CLUSTER.control_plane, signers)
    return tmp_path / "0"


@pytest.fixture
def worker(tmp_path: Path, signers: Authorities) -> Path:
    write_node(tmp_path / "1", CLUSTER, WORKER, signers)
    return tmp_path / "1"


def certificate(file: Path) -> x509.Certificate:
    return x509.load_pem_x509_certificate(file.read_bytes())


def valid_for(file: Path) -> list[str]:
    names = certificate(file).extensions.get_extension_for_class(x509.SubjectAlternativeName)
    return [str(name.value) for name in names.value]


def user_of(kubeconfig: Path) -> x509.Certificate:
    document = yaml.safe_load(kubeconfig.read_text())
    encoded = document["users"][0]["user"]["client-certificate-data"]
    return x509.load_pem_x509_certificate(base64.b64decode(encoded))


def flags_with_files(every: list[Component], prefix: str) -> set[str]:
    values = (flag.partition("=")[2] for component in every for flag in component.arguments)
    return {value.removeprefix(prefix) for value in values if value.startswith(prefix)}


def test_every_file_that_a_flag_names_is_written(control_plane: Path, worker: Path) -> None:
    for folder, node in ((control_plane, CLUSTER.control_plane), (worker, WORKER)):
        named = flags_with_files(components(CLUSTER, node), f"{PKI}/")
        assert named <= {path.name for path in (folder / "pki").iterdir()}
        kubeconfigs = flags_with_files(components(CLUSTER, node), f"{Path(PKI).parent}/")
        wanted = {name for name in kubeconfigs if name.endswith(".kubeconfig")}
        assert wanted <= {path.name for path in folder.iterdir()}


def test_a_worker_holds_no_key_of_the_control_plane(worker: Path) -> None:
    files = {path.relative_to(worker).as_posix() for path in worker.rglob("*") if path.is_file()}
    assert files == {
        "kubelet.kubeconfig",
        "kube-proxy.kubeconfig",
        "pki/ca.crt",
        "pki/kubelet.crt",
        "pki/kubelet.key",
    }


def test_everything_is_signed_by_the_cluster_or_its_front_proxy(
    control_plane: Path, signers: Authorities
) -> None:
    proxied = {"front-proxy-client.crt", "front-proxy-ca.crt"}
    for file in (control_plane / "pki").glob("*.crt"):
        signer = signers.front_proxy if file.name in proxied else signers.cluster
        certificate(file).verify_directly_issued_by(signer.certificate)
    for file in control_plane.glob("*.kubeconfig"):
        user_of(file).verify_directly_issued_by(signers.cluster.certificate)


def test_every_key_belongs_to_its_certificate(control_plane: Path) -> None:
    for file in (control_plane / "pki").glob("*.crt"):
        key = load_pem_private_key(file.with_suffix(".key").read_bytes(), None)
        assert key.public_key() == certificate(file).public_key()


def test_accounts_are_checked_with_the_key_that_signs_them(control_plane: Path) -> None:
    private = load_pem_private_key((control_plane / "pki" / "sa.key").read_bytes(), None)
    public = load_pem_public_key((control_plane / "pki" / "sa.pub").read_bytes())
    assert private.public_key() == public


def test_the_api_server_is_valid_under_every_name_it_is_called_by(control_plane: Path) -> None:
    assert valid_for(control_plane / "pki" / "apiserver.crt") == [
        "kubernetes",
        "kubernetes.default",
        "kubernetes.default.svc",
        "kubernetes.default.svc.cluster.local",
        "172.30.0.16",
        "10.192.0.1",
        "127.0.0.1",
        "localhost",
    ]
    assert len(api_server_names(CLUSTER)) == 8


def test_a_kubelet_is_valid_under_its_nodes_name_and_address(worker: Path) -> None:
    assert valid_for(worker / "pki" / "kubelet.crt") == [
        "venice-worker-1",
        "172.30.0.17",
        "127.0.0.1",
    ]


@pytest.mark.parametrize(
    ("file", "subject"),
    [
        ("admin", "CN=kubernetes-admin,O=system:masters"),
        ("controller-manager", "CN=system:kube-controller-manager"),
        ("scheduler", "CN=system:kube-scheduler"),
        ("kubelet", "CN=system:node:venice,O=system:nodes"),
        ("kube-proxy", "CN=system:kube-proxy"),
    ],
)
def test_a_kubeconfig_says_who_one_is(control_plane: Path, file: str, subject: str) -> None:
    found = user_of(control_plane / f"{file}.kubeconfig")
    assert found.subject.rfc4514_string() == subject
    assert found.not_valid_before_utc < datetime.now(UTC) < found.not_valid_after_utc


def test_a_kubeconfig_leads_to_its_cluster(control_plane: Path, signers: Authorities) -> None:
    document: dict[str, Any] = yaml.safe_load((control_plane / "admin.kubeconfig").read_text())
    [cluster], [context], [user] = document["clusters"], document["contexts"], document["users"]
    assert document["current-context"] == context["name"] == cluster["name"] == "venice"
    assert context["context"] == {"cluster": "venice", "user": user["name"]}
    assert cluster["cluster"]["server"] == "https://172.30.0.16:6443"
    trusted = base64.b64decode(cluster["cluster"]["certificate-authority-data"])
    assert trusted == signers.cluster.certificate_pem


def test_nobody_else_may_read_any_of_it(tmp_path: Path, control_plane: Path, worker: Path) -> None:
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert len(files) > 20
    assert {stat.S_IMODE(path.stat().st_mode) for path in files} == {0o600}


def test_a_file_that_somebody_else_could_read_is_closed(tmp_path: Path) -> None:
    file = tmp_path / "ca.key"
    file.touch(mode=0o644)
    write(file, b"secret")
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_authorities_are_made_once(tmp_path: Path) -> None:
    made, again = authorities(tmp_path, "venice"), authorities(tmp_path, "venice")
    assert again.cluster.certificate == made.cluster.certificate
    assert again.cluster.key_pem == made.cluster.key_pem
    assert again.front_proxy.certificate == made.front_proxy.certificate
    assert made.cluster.certificate.subject.rfc4514_string() == "CN=venice-ca"


def test_a_cluster_with_a_long_name_has_an_authority_too(tmp_path: Path) -> None:
    [name] = authorities(tmp_path, 63 * "x").cluster.certificate.subject
    assert len(name.value) <= 64
