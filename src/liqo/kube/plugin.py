"""Credentials printed by a command: the `exec` plugins of a kubeconfig."""

from __future__ import annotations

import asyncio
import os
import sys
from dataclasses import dataclass
from datetime import datetime

import msgspec

from liqo.api.meta import JSON
from liqo.kube.access import Access, Plugin
from liqo.kube.errors import Misconfigured

TIMEOUT = 60.0  # seconds; long enough for a person to log in


class _Status(msgspec.Struct, rename="camel"):
    token: str = ""
    client_certificate_data: str = ""
    client_key_data: str = ""
    expiration_timestamp: datetime | None = None


class _Printed(msgspec.Struct):
    status: _Status


@dataclass(frozen=True)
class Issued:
    token: str
    certificate: str
    key: str
    expires: float | None  # as time.time() counts


async def ask(plugin: Plugin, access: Access) -> Issued:
    """Run the command and read what it printed."""
    talks = plugin.may_ask and sys.stdin.isatty()
    info = msgspec.json.encode(_info(plugin, access, interactive=talks)).decode()
    try:
        process = await asyncio.create_subprocess_exec(
            plugin.command,
            *plugin.arguments,
            env={**os.environ, **dict(plugin.environment), "KUBERNETES_EXEC_INFO": info},
            stdin=None if talks else asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=None if talks else asyncio.subprocess.PIPE,
        )
    except OSError as wrong:
        hint = f". {plugin.install_hint}" if plugin.install_hint else ""
        raise Misconfigured(f"cannot run {plugin.command}: {wrong.strerror}{hint}") from wrong
    out, err = await _result(process, plugin)
    if process.returncode:
        said = (err or b"").decode(errors="replace").strip()[-300:]
        raise Misconfigured(f"{plugin.command} failed with {process.returncode}: {said}")
    return _issued(out, plugin)


async def _result(
    process: asyncio.subprocess.Process, plugin: Plugin
) -> tuple[bytes, bytes | None]:
    try:
        async with asyncio.timeout(TIMEOUT):
            return await process.communicate()
    except TimeoutError as wrong:
        raise Misconfigured(f"{plugin.command} printed nothing in {TIMEOUT:.0f} s") from wrong
    finally:
        if process.returncode is None:
            process.kill()


def _issued(out: bytes, plugin: Plugin) -> Issued:
    try:
        status = msgspec.json.decode(out, type=_Printed).status
    except msgspec.DecodeError as wrong:
        raise Misconfigured(f"{plugin.command} did not print an ExecCredential: {wrong}") from wrong
    expires = status.expiration_timestamp
    return Issued(
        token=status.token,
        certificate=status.client_certificate_data,
        key=status.client_key_data,
        expires=expires.timestamp() if expires else None,
    )


def _info(plugin: Plugin, access: Access, *, interactive: bool) -> JSON:
    spec: JSON = {"interactive": interactive}
    if plugin.wants_cluster:
        spec["cluster"] = {
            "server": access.server,
            "tls-server-name": access.server_name,
            "insecure-skip-tls-verify": access.insecure,
            "certificate-authority-data": _base64(access.authority.read()),
        }
    return {"apiVersion": plugin.api_version, "kind": "ExecCredential", "spec": spec}


def _base64(text: str) -> bytes:
    return text.encode()  # msgspec writes bytes as base64
