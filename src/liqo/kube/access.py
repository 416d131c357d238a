"""Access: where an API server is, whom to trust there, and who we are to it, as a value."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from liqo.kube.errors import Misconfigured


@dataclass(frozen=True)
class Material:
    """Something that is given in place, or in a file that may be replaced while we run."""

    data: str = ""
    file: str = ""

    def __bool__(self) -> bool:
        return bool(self.data or self.file)

    def read(self) -> str:
        if not self.file:
            return self.data
        try:
            return Path(self.file).read_text()
        except OSError as wrong:
            raise Misconfigured(f"cannot read {self.file}: {wrong.strerror}") from wrong

    def version(self) -> tuple[int, int, int]:
        """Changes when the file is replaced, also through a link, as Kubernetes does it."""
        if not self.file:
            return (0, 0, 0)
        try:
            seen = Path(self.file).stat()
        except OSError as wrong:
            raise Misconfigured(f"cannot read {self.file}: {wrong.strerror}") from wrong
        return (seen.st_mtime_ns, seen.st_ino, seen.st_size)


NOTHING = Material()


@dataclass(frozen=True)
class Plugin:
    """A command that prints credentials (`exec` in a kubeconfig)."""

    command: str
    arguments: tuple[str, ...] = ()
    environment: tuple[tuple[str, str], ...] = ()
    api_version: str = "client.authentication.k8s.io/v1"
    install_hint: str = ""
    wants_cluster: bool = False
    may_ask: bool = False  # the user, on the terminal


@dataclass(frozen=True)
class User:
    certificate: Material = NOTHING
    key: Material = NOTHING
    token: Material = NOTHING
    basic: tuple[str, str] | None = None
    plugin: Plugin | None = None
    headers: tuple[tuple[str, str], ...] = ()  # of impersonation


@dataclass(frozen=True)
class Access:
    server: str
    authority: Material = NOTHING
    insecure: bool = False
    server_name: str = ""  # in the certificate, where it is not the host of the address
    proxy: str = ""
    user: User = User()
    namespace: str = "default"
    source: str = ""  # for messages: "context rome of ~/.kube/config"
