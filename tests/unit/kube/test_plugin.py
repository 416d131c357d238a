"""Credentials that a command prints."""

from __future__ import annotations

import json
import stat
from dataclasses import replace
from pathlib import Path

import pytest

from liqo.kube.access import Access, Material, Plugin
from liqo.kube.errors import Misconfigured
from liqo.kube.plugin import Issued, ask

ROME = Access("https://rome:6443", authority=Material(data="PEM"))


def a_plugin(folder: Path, script: str) -> Plugin:
    file = folder / "login"
    file.write_text(f"#!/bin/sh\n{script}\n")
    file.chmod(file.stat().st_mode | stat.S_IXUSR)
    return Plugin(str(file))


def printing(**status: str) -> str:
    return f"echo '{json.dumps({'kind': 'ExecCredential', 'status': status})}'"


async def test_a_token_with_its_end(tmp_path: Path) -> None:
    script = printing(token="t", expirationTimestamp="1970-01-01T00:01:00Z")
    assert await ask(a_plugin(tmp_path, script), ROME) == Issued("t", "", "", 60.0)


async def test_a_certificate_without_an_end(tmp_path: Path) -> None:
    script = printing(clientCertificateData="c", clientKeyData="k")
    assert await ask(a_plugin(tmp_path, script), ROME) == Issued("", "c", "k", None)


async def test_a_plugin_is_told_what_it_asked_for(tmp_path: Path) -> None:
    plugin = a_plugin(tmp_path, f'echo "$KUBERNETES_EXEC_INFO" > {tmp_path}/info; {printing()}')
    await ask(replace(plugin, wants_cluster=True), ROME)
    info = json.loads((tmp_path / "info").read_text())
    assert info["spec"]["cluster"]["server"] == "https://rome:6443"
    assert info["spec"]["cluster"]["certificate-authority-data"] == "UEVN"
    assert info["spec"]["interactive"] is False


async def test_arguments_and_environment_reach_it(tmp_path: Path) -> None:
    plugin = a_plugin(tmp_path, f'echo "$1 $WHO" > {tmp_path}/seen; {printing()}')
    await ask(replace(plugin, arguments=("hello",), environment=(("WHO", "rome"),)), ROME)
    assert (tmp_path / "seen").read_text() == "hello rome\n"


@pytest.mark.parametrize(
    ("script", "sentence"),
    [
        ("echo log in first >&2; exit 3", "login failed with 3: log in first"),
        ("echo hello", "did not print an ExecCredential"),
    ],
)
async def test_a_plugin_that_fails_is_quoted(tmp_path: Path, script: str, sentence: str) -> None:
    with pytest.raises(Misconfigured, match=sentence):
        await ask(a_plugin(tmp_path, script), ROME)


async def test_a_plugin_that_is_missing_says_how_to_get_it() -> None:
    with pytest.raises(Misconfigured, match=r"cannot run not-there: No such file.*get it there"):
        await ask(Plugin("not-there", install_hint="get it there"), ROME)
