"""A bare control plane on loopback, etcd and an API server: to be killed, paused and restarted.

It needs no rights and no network namespace. For what needs nodes there is the playground.
"""

from __future__ import annotations

import asyncio
import ctypes
import json
import signal
import socket
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import TracebackType
from typing import Any

import aiohttp

from liqo.kube.access import Access, Material, User
from liqo.playground import binaries
from liqo.rules import certificates, keys
from liqo.rules.certificates import Lifetime, Pair
from tests.e2e.eventually import eventually

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


def lifetime() -> Lifetime:
    return Lifetime(datetime.now(UTC), timedelta(days=1))


def new_authority() -> Pair:
    return certificates.authority("tests", lifetime())


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

    def signal(self, number: signal.Signals) -> bool:
        """False if it has ended by itself."""
        assert self.process is not None
        try:
            self.process.send_signal(number)
        except ProcessLookupError:
            return False
        return True

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
    authority: Pair = field(default_factory=new_authority)
    port: int = field(default_factory=free_port)
    _services: dict[str, Service] = field(default_factory=dict)

    async def __aenter__(self) -> ControlPlane:
        _write_files(self.folder, self.authority)
        found = await binaries.obtain(("etcd", "kube-apiserver"), say=print)
        etcd = free_port()
        arguments = {
            "etcd": _etcd_arguments(self.folder, etcd, free_port()),
            "kube-apiserver": _api_server_arguments(self.folder, etcd, self.port),
        }
        for name, given in arguments.items():
            command = [str(found[name]), *given]
            self._services[name] = Service(command, self.folder / f"{name}.log")
        try:
            await self._services["etcd"].start()
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
        await self._services["kube-apiserver"].start()
        await eventually(self._is_ready, within=START_UP)

    async def kill(self) -> None:
        await self._services["kube-apiserver"].kill()

    def pause(self) -> None:
        self._services["kube-apiserver"].signal(signal.SIGSTOP)

    def resume(self) -> None:
        self._services["kube-apiserver"].signal(signal.SIGCONT)

    def access(self, user: str, *groups: str, port: int | None = None) -> Access:
        """Who may talk to it, with a certificate in files; by another port it goes by a proxy."""
        certificate, key = self.folder / f"{user}.crt", self.folder / f"{user}.key"
        self.certify(user, *groups)
        return Access(
            server=f"https://127.0.0.1:{port or self.port}",
            authority=Material(data=self.authority.certificate_pem.decode()),
            user=User(certificate=Material(file=str(certificate)), key=Material(file=str(key))),
            source="the test",
        )

    def certify(self, user: str, *groups: str) -> None:
        """Replace the user's certificate by a new one."""
        pair = certificates.client(self.authority, user, groups, lifetime())
        for suffix, content in (("key", pair.key_pem), ("crt", pair.certificate_pem)):
            new = self.folder / f"{user}.{suffix}.new"
            new.write_bytes(content)
            new.replace(self.folder / f"{user}.{suffix}")

    def audit(self) -> list[dict[str, Any]]:
        """Every write, as the API server logged it, in the order in which they were answered."""
        written = (self.folder / "audit.log").read_bytes()
        whole, _, _ = written.rpartition(b"\n")  # behind the last one, one may be half written
        return sorted(
            map(json.loads, whole.splitlines()), key=lambda entry: str(entry["stageTimestamp"])
        )

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
        for service in reversed(self._services.values()):
            await service.kill()


def _write_files(folder: Path, authority: Pair) -> None:
    names = ("127.0.0.1", "localhost")
    server = certificates.server(authority, "kube-apiserver", names, lifetime())
    accounts = certificates.new_key()
    files = {
        "ca.crt": authority.certificate_pem,
        "server.crt": server.certificate_pem,
        "server.key": server.key_pem,
        "accounts.key": keys.private_pem(accounts),
        "accounts.pub": keys.public_pem(accounts.public_key()),
        "audit.yaml": json.dumps(AUDIT_POLICY).encode(),
    }
    for name, content in files.items():
        (folder / name).write_bytes(content)


def _etcd_arguments(folder: Path, port: int, peers: int) -> list[str]:
    here, peer = f"http://127.0.0.1:{port}", f"http://127.0.0.1:{peers}"
    return [
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
