"""A bare control plane on loopback, etcd and an API server: to be killed, paused and restarted.

It needs no rights and no network namespace. For what needs nodes there is the playground.
"""

from __future__ import annotations

import asyncio
import ctypes
import json
import os
import shutil
import signal
import socket
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from types import TracebackType
from typing import Any

import aiohttp

from liqo.kube.access import Access, Material, User
from tests.e2e.certificates import LONG, Authority, new_authority, new_key, private_pem, public_pem

START_UP = 60.0  # seconds: five on an idle machine
PR_SET_PDEATHSIG = 1

AUDIT_POLICY: dict[str, Any] = {
    "apiVersion": "audit.k8s.io/v1",
    "kind": "Policy",
    "omitStages": ["RequestReceived"],
    "rules": [
        {"level": "None", "verbs": ["get", "list", "watch"]},
        {"level": "None", "userGroups": ["system:apiserver"]},
        {"level": "Request"},
    ],
}


def binary(name: str) -> Path:
    """A program of Kubernetes: from the directory in LIQO_KUBE_BIN, or the PATH."""
    folder = os.environ.get("LIQO_KUBE_BIN")
    found = Path(folder) / name if folder else shutil.which(name)
    if found is None or not Path(found).exists():
        raise FileNotFoundError(f"no {name}: put its folder into LIQO_KUBE_BIN")
    return Path(found)


async def eventually(
    holds: Callable[[], Awaitable[bool]], *, within: float, every: float = 0.1
) -> None:
    """Return when it holds; raises TimeoutError when it does not in so many seconds."""
    async with asyncio.timeout(within):
        while True:
            if await holds():
                return
            await asyncio.sleep(every)


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
        return port


@dataclass
class Service:
    """One program that is started, killed and started again with the same arguments."""

    arguments: list[str]
    log: Path
    process: asyncio.subprocess.Process | None = None

    async def start(self) -> None:
        with self.log.open("ab") as log:
            self.process = await asyncio.create_subprocess_exec(
                *self.arguments, stdout=log, stderr=log, preexec_fn=_die_with_parent
            )

    def signal(self, number: signal.Signals) -> None:
        assert self.process is not None
        self.process.send_signal(number)

    async def kill(self) -> None:
        if self.process is not None and self.process.returncode is None:
            self.process.kill()
            await self.process.wait()


def _die_with_parent() -> None:
    """However a test ends, what it started ends with it."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


@dataclass
class ControlPlane:
    """`async with` starts it, and leaves nothing behind."""

    folder: Path
    authority: Authority = field(default_factory=new_authority)
    port: int = field(default_factory=free_port)

    def __post_init__(self) -> None:
        etcd, peers = free_port(), free_port()
        self._etcd = Service(_etcd_arguments(self.folder, etcd, peers), self.folder / "etcd.log")
        arguments = _api_server_arguments(self.folder, etcd, self.port)
        self._api_server = Service(arguments, self.folder / "kube-apiserver.log")

    async def __aenter__(self) -> ControlPlane:
        _write_files(self.folder, self.authority)
        try:
            await self._etcd.start()
            await self.start()
        except BaseException:
            await self._end()
            raise
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self._end()

    async def start(self) -> None:
        """Start the API server, and return when it is ready."""
        await self._api_server.start()
        await eventually(self._is_ready, within=START_UP)

    async def kill(self) -> None:
        await self._api_server.kill()

    def pause(self) -> None:
        self._api_server.signal(signal.SIGSTOP)

    def resume(self) -> None:
        self._api_server.signal(signal.SIGCONT)

    def access(
        self, user: str, *groups: str, port: int | None = None, valid_for: timedelta = LONG
    ) -> Access:
        """Who may talk to it, with a certificate in files; by another port it goes by a proxy."""
        certificate, key = self.folder / f"{user}.crt", self.folder / f"{user}.key"
        self.certify(user, *groups, valid_for=valid_for)
        return Access(
            server=f"https://127.0.0.1:{port or self.port}",
            authority=Material(data=self.authority.pem),
            user=User(certificate=Material(file=str(certificate)), key=Material(file=str(key))),
            source="the test",
        )

    def certify(self, user: str, *groups: str, valid_for: timedelta = LONG) -> None:
        """Replace the user's certificate by a new one."""
        pair = self.authority.client(user, *groups, valid_for=valid_for)
        for suffix, content in (("key", pair.key), ("crt", pair.certificate)):
            new = self.folder / f"{user}.{suffix}.new"
            new.write_text(content)
            new.replace(self.folder / f"{user}.{suffix}")

    def audit(self) -> list[dict[str, Any]]:
        """Every write, as the API server logged it, in the order in which they were answered."""
        lines = (self.folder / "audit.log").read_bytes().splitlines()
        return sorted(map(json.loads, lines), key=lambda entry: str(entry["stageTimestamp"]))

    async def _is_ready(self) -> bool:
        try:
            async with (
                aiohttp.ClientSession() as session,
                session.get(f"https://127.0.0.1:{self.port}/readyz", ssl=False) as answer,
            ):
                return answer.status == 200
        except aiohttp.ClientError:
            return False

    async def _end(self) -> None:
        await self._api_server.kill()
        await self._etcd.kill()


def _write_files(folder: Path, authority: Authority) -> None:
    server, accounts = authority.server(), new_key()
    files = {
        "ca.crt": authority.pem,
        "server.crt": server.certificate,
        "server.key": server.key,
        "accounts.key": private_pem(accounts),
        "accounts.pub": public_pem(accounts),
        "audit.yaml": json.dumps(AUDIT_POLICY),
    }
    for name, content in files.items():
        (folder / name).write_text(content)


def _etcd_arguments(folder: Path, port: int, peers: int) -> list[str]:
    here, peer = f"http://127.0.0.1:{port}", f"http://127.0.0.1:{peers}"
    return [
        str(binary("etcd")),
        f"--data-dir={folder / 'etcd'}",
        f"--listen-client-urls={here}",
        f"--advertise-client-urls={here}",
        f"--listen-peer-urls={peer}",
        f"--initial-advertise-peer-urls={peer}",
        f"--initial-cluster=default={peer}",
        "--unsafe-no-fsync",
        "--log-level=warn",
    ]


def _api_server_arguments(folder: Path, etcd: int, port: int) -> list[str]:
    return [
        str(binary("kube-apiserver")),
        f"--etcd-servers=http://127.0.0.1:{etcd}",
        "--bind-address=127.0.0.1",
        f"--secure-port={port}",
        f"--tls-cert-file={folder / 'server.crt'}",
        f"--tls-private-key-file={folder / 'server.key'}",
        f"--client-ca-file={folder / 'ca.crt'}",
        "--authorization-mode=RBAC",
        "--service-account-issuer=https://kubernetes.default.svc",
        f"--service-account-key-file={folder / 'accounts.pub'}",
        f"--service-account-signing-key-file={folder / 'accounts.key'}",
        "--service-cluster-ip-range=10.96.0.0/16",
        "--disable-admission-plugins=ServiceAccount",  # nobody makes the default ones here
        f"--audit-policy-file={folder / 'audit.yaml'}",
        f"--audit-log-path={folder / 'audit.log'}",
        "--audit-log-mode=blocking",  # an entry is there before its answer is
    ]
