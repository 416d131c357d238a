"""TLS as of now."""

from __future__ import annotations

import pytest

from liqo.kubelet.api.tls import Tls
from tests.unit.kubelet.api.authorities import a_server, an_authority, told


def test_without_a_certificate_nothing_is_served() -> None:
    tls = Tls()
    tls.believe(None, told(an_authority()))
    assert not tls.ready.is_set()
    with pytest.raises(AssertionError):
        _ = tls.context


def test_what_is_new_is_for_those_who_come() -> None:
    authority, tls = an_authority(), Tls()
    tls.show(a_server(authority))
    assert tls.ready.is_set()
    first = tls.context
    assert first.get_ca_certs() == []
    tls.believe(None, told(authority))
    second = tls.context
    assert second is not first
    assert len(second.get_ca_certs()) == 1
    tls.believe(told(authority), None)
    assert tls.context.get_ca_certs() == []


def test_what_is_broken_changes_nothing() -> None:
    tls = Tls()
    tls.show(a_server(an_authority()))
    shown = tls.context
    tls.show(b"broken")
    assert tls.context is shown
