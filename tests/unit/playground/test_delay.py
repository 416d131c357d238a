"""The routes of a slow link, and the program that holds packets back."""

import asyncio
import os
import subprocess
from contextlib import closing
from socket import socketpair

from liqo.playground.delay import device, hold_back, no_routes, routes, runs, table
from liqo.playground.layout import Options
from tests.golden import assert_golden
from tests.unit.playground.layouts import GOLDEN, a_layout

FLAT = Options(flat=True)


def test_all_for_the_other_cluster_goes_through_the_device() -> None:
    layout = a_layout(venice=FLAT, florence=Options(flat=True, workers=1))
    member, peers = layout.cluster("venice").nodes[0], layout.cluster("florence").nodes
    assert_golden(routes(device("florence"), member, peers, peers[:1]), GOLDEN / "slow.sh")


def test_what_leads_through_the_device_is_taken_away_again() -> None:
    name, number = device("florence"), table(device("florence"))
    assert no_routes(name) == (
        f"ip rule delete iif {name} table {number}\nip route flush table {number}\n"
    )


def test_two_clusters_have_two_devices_and_two_tables() -> None:
    devices = {device(name) for name in ("venice", "florence", "naples")}
    assert len({table(name) for name in devices}) == len(devices) == 3


def test_the_table_is_none_of_the_kernels_own() -> None:
    assert all(1000 <= table(f"slow-{digits}") < 1_001_000 for digits in ("00000000", "ffffffff"))


def test_the_program_of_a_device_is_known_by_its_command_line() -> None:
    waits = ["sh", "-c", "echo ready; read end", "liqo.playground.delay", "slow-1", "0.05"]
    pipe = subprocess.PIPE
    with subprocess.Popen(waits, stdin=pipe, stdout=pipe) as program:
        assert program.stdout is not None
        program.stdout.readline()  # from here on it is what it was started as
        assert runs(program.pid, "slow-1")
        assert not runs(program.pid, "slow-2")
        assert not runs(os.getpid(), "slow-1")
        program.communicate()
    assert not runs(program.pid, "slow-1")


async def test_a_packet_comes_back_after_a_while_and_not_before() -> None:
    ours, device_end = socketpair()
    loop = asyncio.get_running_loop()
    with closing(ours), closing(device_end):
        ours.setblocking(False)
        device_end.setblocking(False)
        async with asyncio.TaskGroup() as tasks:
            holding = tasks.create_task(hold_back(device_end.fileno(), 0.05))
            began = loop.time()
            await loop.sock_sendall(ours, b"packet")
            assert await loop.sock_recv(ours, 100) == b"packet"
            assert loop.time() - began >= 0.05
            holding.cancel()
        loop.remove_reader(device_end.fileno())
