"""A kubeconfig has the layout of the wire, and can be used."""

from __future__ import annotations

from base64 import b64encode

from liqo.kube.kubeconfig import from_text
from liqo.rules.kubeconfig import Login, kubeconfig

LOGIN = Login(
    cluster="milan",
    server="https://10.0.0.1:6443",
    user="controlplane-milan",
    certificate=b"certificate",
    key=b"key",
    authority=b"authority",
    proxy="http://10.0.0.2:8118",
    namespace="liqo-tenant-rome",
)


def encoded(text: str) -> str:
    return b64encode(text.encode()).decode()


def test_the_layout_is_the_wire_s() -> None:
    assert kubeconfig(LOGIN).decode().splitlines() == [
        "apiVersion: v1",
        "kind: Config",
        "current-context: default-context",
        "clusters:",
        "- name: milan",
        "  cluster:",
        "    server: https://10.0.0.1:6443",
        f"    certificate-authority-data: {encoded('authority')}",
        "    proxy-url: http://10.0.0.2:8118",
        "contexts:",
        "- name: default-context",
        "  context:",
        "    cluster: milan",
        "    user: controlplane-milan",
        "    namespace: liqo-tenant-rome",
        "users:",
        "- name: controlplane-milan",
        "  user:",
        f"    client-certificate-data: {encoded('certificate')}",
        f"    client-key-data: {encoded('key')}",
    ]


def test_what_is_empty_is_left_out() -> None:
    text = kubeconfig(Login("milan", "https://x", "me", b"c", b"k")).decode()
    assert "certificate-authority-data" not in text
    assert "proxy-url" not in text
    assert "namespace" not in text


def test_it_can_be_read_again() -> None:
    access = from_text(kubeconfig(LOGIN).decode(), "the test")
    assert (access.server, access.proxy) == (LOGIN.server, LOGIN.proxy)
    assert access.user.certificate.data == "certificate"
    assert access.namespace == "liqo-tenant-rome"
