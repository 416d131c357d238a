"""A server's end of TLS."""

from __future__ import annotations

import ssl

import pytest

from liqo.kube.tls import RECORD, ask_clients, load_chain, reads_modestly, server
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


def test_nobody_is_given_more_than_a_record_however_much_is_asked_for() -> None:
    authority = Authority()
    pair = authority.pair("server")
    sent, received = ssl.MemoryBIO(), ssl.MemoryBIO()
    trusting = reads_modestly(ssl.create_default_context(cadata=authority.certificate))
    trusting.check_hostname = False
    client = trusting.wrap_bio(received, sent)
    chained = server(f"{pair.certificate}{pair.key}".encode())
    shown = chained.wrap_bio(sent, received, server_side=True)
    _shake_hands(client, shown)
    shown.write(bytes(3 * RECORD))
    assert [len(client.read(16 * RECORD)) for _ in range(3)] == [RECORD] * 3


def _shake_hands(*ends: ssl.SSLObject) -> None:
    waiting = list(ends)
    while waiting:
        end = waiting.pop(0)
        try:
            end.do_handshake()
        except ssl.SSLWantReadError:
            waiting.append(end)
