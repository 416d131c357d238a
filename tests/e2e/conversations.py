"""Verbs of kubectl that are a conversation: what is said in it, without what differs by the pod."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from uuid import uuid4

import aiohttp

from liqo.api.meta import JSON
from liqo.playground import images
from liqo.playground.cluster import Site
from tests.e2e.control_plane import free_port
from tests.e2e.eventually import eventually
from tests.e2e.kubectl import kubectl, masked, talking
from tests.e2e.liqoctl import Ended
from tests.e2e.terminal import Terminal, on_a_terminal

LONG = "x" * 100_000  # the kernel takes no words that are much longer


@dataclass(frozen=True)
class Partner:
    """Whom one talks to, and in which protocol."""

    rome: Site
    namespace: str
    pod: str
    node: str
    spec: JSON = field(default_factory=dict)  # by which a pod goes where it is
    protocol: Mapping[str, str] = field(default_factory=dict)

    async def kubectl(self, *words: str, text: str = "") -> Ended:
        """With the words POD, NODE and LONG filled in, and masked again."""
        said = await kubectl(
            self.rome,
            f"-n={self.namespace}",
            *map(self._filled, words),
            text=text,
            environment=self.protocol,
        )
        return masked(said, self.pod, self.node)

    def _filled(self, word: str) -> str:
        filled = word.replace("POD", self.pod).replace("NODE", self.node)
        return filled.replace("LONG", LONG)

    async def runs(self, word: str) -> bool:
        """In the pod, a command with that word."""
        return word in (await self.kubectl("exec", "POD", "--", "ps", "-o", "args")).stdout


async def follow(partner: Partner) -> str:
    """A log, while it grows."""
    word = uuid4().hex
    words = ("logs", "-n", partner.namespace, "-f", "--tail=1", partner.pod, "-c", "main")
    async with talking(partner.rome, *words) as following:
        await following.until("\n")
        said = await partner.kubectl("exec", "POD", "--", "sh", "-c", f"echo {word} >/proc/1/fd/1")
        assert said.code == 0, said.stderr
        return (await following.until(word)).replace(word, "WORD")


async def attach(partner: Partner) -> str:
    words = ("attach", "-n", partner.namespace, "-i", partner.pod)
    async with talking(partner.rome, *words, environment=partner.protocol) as attached:
        await attached.say("echo of a word\n")
        return (await attached.until("echo of a word")).replace(partner.pod, "POD")


async def resize(partner: Partner) -> int:
    """A terminal has the size of ours, also later; and ends with the code of what ran on it."""
    words = ("exec", "-n", partner.namespace, "-it", partner.pod, "--", "sh")
    async with on_a_terminal(partner.rome, *words, environment=partner.protocol) as terminal:
        await terminal.shows("# ")
        await _sized(terminal, 24, 80)
        terminal.resize(40, 132)
        await _sized(terminal, 40, 132)
        terminal.type("exit 5\n")
        return await terminal.ends()


async def _sized(terminal: Terminal, rows: int, columns: int) -> None:
    async def shows_it() -> bool:
        terminal.said = b""
        terminal.type("stty size; echo d''one\n")
        await terminal.shows("done")
        return f"{rows} {columns}".encode() in terminal.said

    await eventually(shows_it)


async def forward(partner: Partner) -> str:
    """Several connections, one after the other; the last is half closed when its answer comes."""
    port, said = free_port(), ""
    words = ("port-forward", "-n", partner.namespace, partner.pod, f"{port}:8080")
    async with (
        talking(partner.rome, *words, environment=partner.protocol) as forwarding,
        aiohttp.ClientSession(connector=aiohttp.TCPConnector(force_close=True)) as session,
    ):
        said += (await forwarding.until("Forwarding from 127")).partition("127")[0]
        for _ in range(3):
            async with session.get(f"http://127.0.0.1:{port}/") as answer:
                said += await answer.text()
        said += await _asked_and_closed(port)
    return said.replace(partner.pod, "POD")


async def _asked_and_closed(port: int) -> str:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(b"GET / HTTP/1.0\r\n\r\n")
    writer.write_eof()
    _, _, body = (await reader.read()).partition(b"\r\n\r\n")
    writer.close()
    return body.decode()


async def forward_to_nobody(partner: Partner) -> str:
    port = free_port()
    words = ("port-forward", "-n", partner.namespace, partner.pod, f"{port}:9")
    async with talking(partner.rome, *words, environment=partner.protocol) as asking:
        await asking.until("Forwarding from")
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        said = await asking.until("onnection refused")
        assert await reader.read() == b""
        writer.close()
    return said.partition("an error occurred forwarding")[1]


async def copy(partner: Partner, folder: Path) -> tuple[Ended, Ended]:
    """To it, and back."""
    content = uuid4().bytes * 100_000
    there, back = folder / f"to-{partner.pod}", folder / f"from-{partner.pod}"
    there.write_bytes(content)
    to = await partner.kubectl("cp", str(there), "POD:/tmp/copied")
    fro = await partner.kubectl("cp", "POD:/tmp/copied", str(back))
    assert back.read_bytes() == content
    return to, fro


async def run_once(partner: Partner) -> int:
    """A pod for one command, on a terminal: it comes, and goes."""
    name = f"once-{uuid4().hex[:6]}"
    words = ("run", name, "-n", partner.namespace, "-it", "--rm", "--restart=Never")
    image = (f"--image={images.HELPER}", f"--overrides={json.dumps({'spec': partner.spec})}")
    command = ("--command", "--", "sh", "-c", "read word; echo got $word; exit 3")
    whole = (*words, *image, *command)
    async with on_a_terminal(partner.rome, *whole, environment=partner.protocol) as terminal:
        terminal.type("it\n")
        await terminal.shows("got it")
        await terminal.shows(f'pod "{name}" deleted')
        code = await terminal.ends()
    left = await partner.kubectl("get", "pods", "-o", "name")
    assert name not in left.stdout
    return code
