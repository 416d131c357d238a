"""The certificates and kubeconfigs of a cluster: made once, kept in its folder."""

from __future__ import annotations

import base64
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import yaml
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import load_pem_private_key

from liqo.playground.layout import Cluster, Node
from liqo.rules import certificates, keys
from liqo.rules.certificates import Lifetime, Pair

LIFETIME = timedelta(days=3650)  # a playground is thrown away before any of it expires
ADMIN = "kubernetes-admin"

# (file, user, groups): who talks to the API server from the control plane.
USERS = (
    ("admin", ADMIN, ("system:masters",)),
    ("controller-manager", "system:kube-controller-manager", ()),
    ("scheduler", "system:kube-scheduler", ()),
)


@dataclass(frozen=True)
class Authorities:
    """The two that a cluster has: one for everybody, one for its aggregation layer."""

    cluster: Pair
    front_proxy: Pair


def authorities(folder: Path, cluster: str) -> Authorities:
    """Those in the folder; new ones at first."""
    return Authorities(
        kept(folder, "ca", f"{cluster[:52]}-ca"), kept(folder, "front-proxy-ca", "front-proxy-ca")
    )


def kept(folder: Path, file: str, name: str) -> Pair:
    certificate, key = folder / f"{file}.crt", folder / f"{file}.key"
    if certificate.exists():
        loaded = load_pem_private_key(key.read_bytes(), None)
        assert isinstance(loaded, ec.EllipticCurvePrivateKey)
        return Pair(x509.load_pem_x509_certificate(certificate.read_bytes()), loaded)
    made = certificates.authority(name, lifetime())
    write_pair(folder, file, made)
    return made


def lifetime() -> Lifetime:
    return Lifetime(datetime.now(UTC), LIFETIME)


def write_control_plane(folder: Path, cluster: Cluster, signers: Authorities) -> None:
    """What the control plane's components read, beside what every node's do."""
    pki = folder / "pki"
    write_pair(pki, "ca", signers.cluster)
    write_pair(pki, "front-proxy-ca", signers.front_proxy)
    write_pair(
        pki,
        "apiserver",
        certificates.server(
            signers.cluster, "kube-apiserver", api_server_names(cluster), lifetime()
        ),
    )
    write_client(pki, "apiserver-kubelet-client", signers.cluster, ("system:masters",))
    write_client(pki, "front-proxy-client", signers.front_proxy)
    accounts = certificates.new_key()
    write(pki / "sa.key", keys.private_pem(accounts))
    write(pki / "sa.pub", keys.public_pem(accounts.public_key()))
    for file, user, groups in USERS:
        pair = certificates.client(signers.cluster, user, groups, lifetime())
        write(folder / f"{file}.kubeconfig", kubeconfig(cluster, signers.cluster, user, pair))


def write_node(folder: Path, cluster: Cluster, node: Node, signers: Authorities) -> None:
    """What a kubelet and a kube-proxy read."""
    pki = folder / "pki"
    write(pki / "ca.crt", signers.cluster.certificate_pem)
    names = (node.name, node.address, "127.0.0.1")
    user = f"system:node:{node.name}"
    write_pair(pki, "kubelet", certificates.server(signers.cluster, user, names, lifetime()))
    for file, who, groups in (
        ("kubelet", user, ("system:nodes",)),
        ("kube-proxy", "system:kube-proxy", ()),
    ):
        pair = certificates.client(signers.cluster, who, groups, lifetime())
        write(folder / f"{file}.kubeconfig", kubeconfig(cluster, signers.cluster, who, pair))


def api_server_names(cluster: Cluster) -> tuple[str, ...]:
    service = "kubernetes.default.svc.cluster.local"
    parts = service.split(".")
    names = (".".join(parts[:length]) for length in (1, 2, 3, 5))
    local = (cluster.control_plane.address, cluster.service_address(1), "127.0.0.1", "localhost")
    return (*names, *local)


def kubeconfig(cluster: Cluster, authority: Pair, user: str, pair: Pair) -> bytes:
    def encoded(pem: bytes) -> str:
        return base64.b64encode(pem).decode()

    document: dict[str, Any] = {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [
            {
                "name": cluster.name,
                "cluster": {
                    "server": cluster.server,
                    "certificate-authority-data": encoded(authority.certificate_pem),
                },
            }
        ],
        "users": [
            {
                "name": user,
                "user": {
                    "client-certificate-data": encoded(pair.certificate_pem),
                    "client-key-data": encoded(pair.key_pem),
                },
            }
        ],
        "contexts": [{"name": cluster.name, "context": {"cluster": cluster.name, "user": user}}],
        "current-context": cluster.name,
    }
    return yaml.safe_dump(document, sort_keys=False).encode()


def write_client(folder: Path, name: str, signer: Pair, groups: Iterable[str] = ()) -> None:
    write_pair(folder, name, certificates.client(signer, name, groups, lifetime()))


def write_pair(folder: Path, file: str, pair: Pair) -> None:
    write(folder / f"{file}.key", pair.key_pem)
    write(folder / f"{file}.crt", pair.certificate_pem)


def write(path: Path, content: bytes) -> None:
    """For its owner only, whatever the umask."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch(mode=0o600)
    path.chmod(0o600)  # one that was there before
    path.write_bytes(content)
