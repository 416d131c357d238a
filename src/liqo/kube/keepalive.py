"""Connections that were cut without a word: noticed in half a minute, not in two hours."""

from __future__ import annotations

import socket
import struct
from typing import Protocol

LONG = 30_000  # milliseconds
HOPELESS = 3  # questions in a row that nobody answered: whether there is room again

# The beginning of Linux' struct tcp_info: eight small fields and thirteen larger ones.
_INFO = struct.Struct("8B13I")
_RETRANSMITS, _PROBES, _SINCE_LAST_ACK = 2, 3, 20


class Options(Protocol):
    """A socket, or what an event loop shows of one."""

    def setsockopt(self, level: int, option: int, value: int, /) -> None: ...
    def getsockopt(self, level: int, option: int, size: int, /) -> bytes: ...


def attend(made: Options) -> None:
    """One that is silent is asked whether it lives."""
    made.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    made.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE, 15)
    made.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPINTVL, 5)
    made.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPCNT, 3)


def hurry(made: Options) -> None:
    """And what we send must be taken soon.

    Not where somebody may stop reading for a while, as behind a pager: Linux ends that, too.
    """
    made.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, LONG)


def is_deserted(made: Options) -> bool:
    """Whether the machine at the other end is silent; who only reads nothing still answers TCP."""
    try:
        info = made.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, _INFO.size)
    except OSError:
        return False  # closed meanwhile
    return tells_desertion(info)


def tells_desertion(info: bytes) -> bool:
    if len(info) < _INFO.size:
        return False
    fields: tuple[int, ...] = _INFO.unpack_from(info)
    asks_in_vain = fields[_RETRANSMITS] > 0 or fields[_PROBES] >= HOPELESS
    return asks_in_vain and fields[_SINCE_LAST_ACK] > LONG
