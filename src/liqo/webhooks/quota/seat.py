"""Seat: where the replica that decides on quotas is found. Its name in the Lease says so.

The name holds something of each process's own: one that is started again in the same pod must not
be taken for the one before, which may have admitted what nobody has seen yet.
"""

from __future__ import annotations

from dataclasses import dataclass

SEPARATOR = "_"  # in no name of a pod, and in no address


@dataclass(frozen=True)
class Seat:
    pod: str
    process: str
    address: str  # with its port

    def __str__(self) -> str:
        return SEPARATOR.join((self.pod, self.process, self.address))


def address_in(holder: str) -> str:
    """Of who holds the lease, by that name; empty where it tells none."""
    parts = holder.split(SEPARATOR)
    return parts[-1] if len(parts) == 3 else ""


def address(host: str, port: int) -> str:
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
