"""The head of a request: what is asked for, read before any library has seen the connection."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import unquote

END = b"\r\n\r\n"
LONGEST = 2**20 + 4096  # bytes, as Go's servers have it: a longer one never came through those


@dataclass(frozen=True)
class Target:
    """Where a request goes; nothing in it is resolved, so that all of us see the same path."""

    path: str
    query: str = ""  # still escaped

    @property
    def parts(self) -> list[str]:
        return self.path.strip("/").split("/")


@dataclass(frozen=True)
class Head:
    method: str
    target: Target
    headers: tuple[tuple[str, str], ...] = ()  # names in lower case; some come several times

    def all(self, name: str) -> list[str]:
        return [value for each, value in self.headers if each == name]

    def first(self, name: str) -> str:
        return next(iter(self.all(name)), "")

    @property
    def upgrade(self) -> str:
        """The protocol that HTTP is to be left for; empty: none."""
        wishes = ",".join(self.all("connection")).lower().split(",")
        return self.first("upgrade") if "upgrade" in map(str.strip, wishes) else ""


def parse(raw: bytes) -> Head:
    """ValueError where it is no head of HTTP/1."""
    first, *lines = raw.removesuffix(END).decode("latin-1").split("\r\n")
    method, wanted, version = first.split(" ")
    if not method.isalpha() or not version.startswith("HTTP/1."):
        raise ValueError("no request of HTTP/1")
    return Head(method, target(wanted), tuple(map(_header, lines)))


def target(wanted: str) -> Target:
    if not wanted.startswith("/"):
        raise ValueError("not a path")
    path, _, query = wanted.partition("?")
    return Target(unquote(path), query)


def _header(line: str) -> tuple[str, str]:
    name, colon, value = line.partition(":")
    if not colon or not name or name != name.strip() or "\n" in line or "\r" in line:
        raise ValueError("not a header")
    return name.lower(), value.strip()
