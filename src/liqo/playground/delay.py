"""A slow link: packets to another cluster pass a device that holds them back for a while.

    process ─▶ route to the other cluster ─▶ slow-… (TUN) ─▶ this program, after a while
                                                                     │
    cable ◀─ a table of routes for what comes from slow-… ◀──────────┘

The kernel's own queue for this (netem) is missing in many small kernels; TUN is not. The program
runs on the node: python -m liqo.playground.delay LINK SECONDS
"""

from __future__ import annotations

import asyncio
import fcntl
import os
import struct
import sys
from collections.abc import Iterable
from pathlib import Path

from liqo.playground.components import NODE
from liqo.playground.layout import Node, short

SLOW = "slow-"  # begins the name of every such device
LOG = f"{NODE}/logs/delay.log"
TUNSETIFF = 0x400454CA
IFF_TUN, IFF_NO_PI = 0x0001, 0x1000
LARGEST = 65536  # of a packet
BATCH = 64  # packets taken at one go, so that timers are not starved


def device(cluster: str) -> str:
    """The device for packets to that cluster; a link's name has at most 15 characters."""
    return SLOW + short(cluster)


def table(name: str) -> int:
    """A table of routes of its own, by the device's name."""
    return 1000 + int(name.removeprefix(SLOW), 16) % 1_000_000


def routes(name: str, member: Node, peers: Iterable[Node], direct: Iterable[Node]) -> str:
    """All for these nodes, and for the pods of the direct ones, goes through the device."""
    number = table(name)
    through = f"dev {name} src {member.address}"
    lines = "".join(
        f"route replace {peer.address}/32 dev eth0 table {number}\n"
        f"route replace {peer.address}/32 {through}\n"
        for peer in peers
    ) + "".join(
        f"route replace {peer.pod_cidr} via {peer.address} dev eth0 table {number}\n"
        f"route replace {peer.pod_cidr} {through}\n"
        for peer in direct
    )
    return (
        # Its packets come in with this node's own address, as no packet from outside may.
        f"echo 1 >/proc/sys/net/ipv4/conf/{name}/accept_local\n"
        "echo 0 >/proc/sys/net/ipv4/conf/all/rp_filter\n"
        f"echo 0 >/proc/sys/net/ipv4/conf/{name}/rp_filter\n"
        "ip -batch - <<end\n"
        f"link set {name} up\n"
        f"rule add iif {name} table {number}\n"
        f"{lines}"
        "end\n"
    )


def no_routes(name: str) -> str:
    number = table(name)
    return f"ip rule delete iif {name} table {number}\nip route flush table {number}\n"


def runs(pid: int, name: str) -> bool:
    """Whether that process is this program for that device."""
    try:
        words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
    except OSError:
        return False
    return b"liqo.playground.delay" in words and name.encode() in words


def open_device(name: str) -> int:
    handle = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
    fcntl.ioctl(handle, TUNSETIFF, struct.pack("16sH", name.encode(), IFF_TUN | IFF_NO_PI))
    return handle


async def hold_back(handle: int, seconds: float) -> None:
    """Give every packet back to the device after that time, for as long as this runs."""
    loop = asyncio.get_running_loop()

    def take() -> None:
        for _ in range(BATCH):
            try:
                packet = os.read(handle, LARGEST)
            except (BlockingIOError, OSError):
                return
            loop.call_later(seconds, give_back, packet)

    def give_back(packet: bytes) -> None:
        try:
            os.write(handle, packet)
        except OSError:
            return  # the device is down: a packet is lost, as on any link

    loop.add_reader(handle, take)
    await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(hold_back(open_device(sys.argv[1]), float(sys.argv[2])))
