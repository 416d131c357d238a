"""The metric agent's program: what its flags mean, and that it says what is wrong with them."""

from datetime import UTC, datetime

import pytest

from liqo.programs.metrics import Config, main, read, shown
from liqo.rules import certificates

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def test_without_flags_it_is_what_an_installation_starts() -> None:
    assert read(["--cluster-id=milan"]) == Config("milan", "liqo-metric-agent", "", 8443, None)


def test_every_flag_counts() -> None:
    flags = ["--service-name=asked", "--kubeconfig=here", "--port=443", "--health-port=8081"]
    assert read(["--cluster-id=milan", *flags]) == Config("milan", "asked", "here", 443, 8081)


def test_it_shows_a_certificate_of_its_own() -> None:
    made = shown("asked", lambda: NOW)
    assert list(certificates.addresses(made.certificate_pem)) == ["asked"]


def test_a_kubeconfig_that_is_not_there_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--cluster-id=milan", "--kubeconfig=nowhere.yaml"]) == 1
    assert "nowhere.yaml" in capsys.readouterr().err
