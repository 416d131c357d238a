"""Certificates for both ends of a kubelet's port."""

from __future__ import annotations

import ssl
from datetime import UTC, datetime, timedelta

from liqo.api.kubernetes import ConfigMap
from liqo.api.meta import Meta
from liqo.kube.tls import load_chain
from liqo.rules import certificates
from liqo.rules.certificates import Lifetime, Pair
from tests.unit.provider.things import raw

LIFETIME = Lifetime(datetime.now(UTC), timedelta(days=1))


def chain(pair: Pair) -> bytes:
    return pair.certificate_pem + pair.key_pem


def an_authority() -> Pair:
    return certificates.authority("rome", LIFETIME)


def a_server(authority: Pair) -> bytes:
    return chain(certificates.server(authority, "system:node:milan", ["127.0.0.1"], LIFETIME))


def a_client(server: Pair, name: str = "", *, of: Pair | None = None) -> ssl.SSLContext:
    """Who trusts that server's authority, and shows a certificate of that name, if any."""
    context = ssl.create_default_context(cadata=server.certificate_pem.decode())
    if name:
        load_chain(context, chain(certificates.client(of or server, name, [], LIFETIME)))
    return context


def told(authority: Pair, version: str = "1") -> ConfigMap:
    """As Kubernetes tells all who serve."""
    return ConfigMap(
        metadata=Meta(
            name="extension-apiserver-authentication",
            namespace="kube-system",
            resource_version=version,
        ),
        raw_data=raw({"client-ca-file": authority.certificate_pem.decode()}),
    )
