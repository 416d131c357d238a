"""A cut is noticed."""

from __future__ import annotations

import socket
import struct

import pytest

from liqo.kube.keepalive import attend, hurry, is_deserted, tells_desertion


def test_a_silent_connection_is_asked_whether_it_lives() -> None:
    with socket.socket() as made:
        attend(made)
        assert made.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE) == 1
        assert made.getsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE) == 15
        assert made.getsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT) == 0


def test_who_hurries_waits_half_a_minute_for_what_it_sent() -> None:
    with socket.socket() as made:
        hurry(made)
        assert made.getsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT) == 30_000


@pytest.mark.parametrize(
    ("retransmits", "probes", "since_last_ack", "deserted"),
    [
        (0, 0, 3_600_000, False),  # nobody said anything: keep-alive asks
        (7, 0, 31_000, True),
        (2, 0, 1_000, False),  # a packet was lost
        (0, 1, 119_000, False),  # its reader rests, and it answered when it was asked last
        (0, 3, 119_000, True),
    ],
)
def test_who_rests_has_not_deserted(
    retransmits: int, probes: int, since_last_ack: int, deserted: bool
) -> None:
    info = struct.pack("8B13I", 1, 0, retransmits, probes, *[0] * 4, *[0] * 12, since_last_ack)
    assert tells_desertion(info) is deserted


def test_an_open_connection_and_a_closed_one_are_not_deserted() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        made = socket.create_connection(server.getsockname())
        assert not is_deserted(made)
        made.close()
        assert not is_deserted(made)
    assert not tells_desertion(b"")
