"""Where a resource plugin listens, and which of the two protocols it speaks.

host:port   grpc://host:port    gRPC: the service `resource_reader` of Liqo 0.x
http://…    https://…           JSON over HTTP: one GET
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias
from urllib.parse import SplitResult, urlsplit

from liqo.errors import LiqoError

EXAMPLES = '"plugin.liqo:6001" and "http://plugin.liqo:8080" are'


@dataclass(frozen=True)
class GrpcAddress:
    host: str
    port: int

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"grpc://{host}:{self.port}"


@dataclass(frozen=True)
class HttpAddress:
    url: str  # without a slash at its end

    def __str__(self) -> str:
        return self.url


Address: TypeAlias = GrpcAddress | HttpAddress


def parse(text: str) -> Address:
    """Otherwise a LiqoError that says what is wrong with it."""
    try:
        parts = urlsplit(text if "://" in text else f"grpc://{text}")
        why = _flaw(parts)
    except ValueError as wrong:  # a port that is no number, a bracket too many
        parts, why = SplitResult("", "", "", "", ""), str(wrong)
    if why:
        raise LiqoError(f'"{text}" is not the address of a resource plugin: {why}; {EXAMPLES}')
    if parts.scheme == "grpc":
        return GrpcAddress(parts.hostname or "", parts.port or 0)
    return HttpAddress(text.rstrip("/"))


def _flaw(parts: SplitResult) -> str:
    if parts.scheme not in {"grpc", "http", "https"}:
        return f"nobody here speaks {parts.scheme}"
    if not parts.hostname or any(letter.isspace() for letter in parts.netloc):
        return "it names no host"
    if parts.username is not None or parts.query or parts.fragment:
        return "there is no place for a password, a query or a fragment"
    if parts.scheme != "grpc":
        return "it names the port 0" if parts.port == 0 else ""
    if not parts.port:
        return "it names no port"
    return "gRPC has no paths" if parts.path.strip("/") else ""
