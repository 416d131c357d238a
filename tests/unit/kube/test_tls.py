"""A server's end of TLS."""

from __future__ import annotations

import ssl

import pytest

from liqo.kube.tls import ask_clients, load_chain, server
from tests.unit.kube.certificates import Authority


def test_a_chain_and_its_key_are_loaded_from_memory() -> None:
    pair = Authority().pair("server")
    load_chain(ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER), f"{pair.certificate}{pair.key}".encode())


def test_a_certificate_without_its_key_is_none() -> None:
    pair = Authority().pair("server")
    with pytest.raises(ssl.SSLError):
        load_chain(ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER), pair.certificate.encode())


def test_clients_are_asked_for_certificates_once_an_authority_is_known() -> None:
    authority = Authority()
    pair = authority.pair("server")
    context = server(f"{pair.certificate}{pair.key}".encode())
    assert context.get_ca_certs() == []
    ask_clients(context, authority.certificate)
    assert len(context.get_ca_certs()) == 1
    assert context.verify_mode == ssl.CERT_OPTIONAL
