"""kubectl as people run it on a pod: what it says, how it ends, and if it does not end."""

from __future__ import annotations

import asyncio
import os
import re
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass

from liqo.playground.cluster import Site
from tests.e2e.liqoctl import Ended, ran

SPDY = {"KUBECTL_REMOTE_COMMAND_WEBSOCKETS": "false", "KUBECTL_PORT_FORWARD_WEBSOCKETS": "false"}
WEBSOCKET = dict.fromkeys(SPDY, "true")
SOON = 60.0  # seconds in which something must be said, on a crowded machine

# What differs between any two pods, and what stands for it.
MASKS = (
    (r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z", "TIME"),
    (r"\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d [+-]\d{4}", "TIME"),
    (r"\b(\d+[smh])+( \(x\d+ over \S+\))?", "AGE"),
    (r"\b[0-9a-f]{64}\b", "ID"),  # of a process in a container
    (r"\b\d+\.\d+\.\d+\.\d+\b", "ADDRESS"),
    (r"\bkube-api-access-\w{5}\b", "TOKEN"),
    (r"[ \t]+", " "),  # columns are as wide as what is in them
)
# What only one of them has: marks of ours; that it was scheduled over there as well; what kubelets
# tell of containers, in whichever order; and how far a rollout is, which depends on when one looks.
LEFT_OUT = (
    r"(?m)^ *(Labels: )?liqo\.io/shadowPod=true\n",
    r"(?m)^.*offloading\.liqo\.io/remote-pod-uid: .*\n|^Annotations: <none>\n",
    r"(?m)^.*\b(Normal|Warning) (Pulled|Created|Started|Killing|BackOff)\b.*\n",
    r"(?m)^.*\bNormal Scheduled\b.* Successfully assigned \S+-rome/.*\n",
    r"(?m)^Waiting for deployment .*\n",
)


async def kubectl(
    site: Site, *words: str, text: str = "", environment: Mapping[str, str] | None = None
) -> Ended:
    return await ran(*command(site, *words), text=text, environment=environment)


def command(site: Site, *words: str) -> tuple[str, ...]:
    return str(site.executables["kubectl"]), f"--kubeconfig={site.kubeconfig}", *words


def masked(ended: Ended, pod: str, node: str = "NODE") -> Ended:
    """Without what differs between any two pods, or nodes."""
    return Ended(ended.code, *(_masked(each, pod, node) for each in (ended.stdout, ended.stderr)))


def _masked(text: str, pod: str, node: str) -> str:
    names = {pod: "POD", node: "NODE"}.items()
    whole = [(rf"(?<![a-z0-9-]){re.escape(name)}(?![a-z0-9-])", word) for name, word in names]
    for pattern, word in (*MASKS, *whole):
        text = re.sub(pattern, word, text)
    for pattern in LEFT_OUT:
        text = re.sub(pattern, "", text)
    return text


@dataclass
class Talk:
    """A kubectl that runs on, and what it has said so far."""

    process: asyncio.subprocess.Process
    said: bytes = b""

    async def until(self, words: str) -> str:
        assert self.process.stdout is not None
        async with asyncio.timeout(SOON):
            while words.encode() not in self.said:
                chunk = await self.process.stdout.read(4096)
                assert chunk, f"it ended, and never said {words!r}: {self.said!r}"
                self.said += chunk
        return self.said.decode()

    async def say(self, words: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(words.encode())
        await self.process.stdin.drain()


@asynccontextmanager
async def talking(
    site: Site, *words: str, environment: Mapping[str, str] | None = None
) -> AsyncIterator[Talk]:
    """Killed in the end."""
    process = await asyncio.create_subprocess_exec(
        *command(site, *words),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
        env={**os.environ, **(environment or {})},
    )
    try:
        yield Talk(process)
    finally:
        if process.returncode is None:
            process.kill()
        await process.communicate()
