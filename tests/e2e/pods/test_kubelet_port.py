"""The port of a virtual kubelet: open to all pods of the cluster, and closed to all but a few."""

from __future__ import annotations

import asyncio
import json
from base64 import b64decode
from dataclasses import dataclass
from pathlib import Path

import pytest

from liqo.api.meta import Key
from liqo.playground.cluster import Site
from tests.e2e.crowds import admin
from tests.e2e.eventually import eventually
from tests.e2e.execs import command
from tests.e2e.kubectl import SOON, kubectl, talking
from tests.e2e.kubelets import only
from tests.e2e.offloaded import TENANT, condition, read
from tests.e2e.talkers import ELSEWHERE, a_talker
from tests.e2e.visitor import address, certificate, get, visit

EXEC = (
    "POST /exec/shop/web/main?output=1&command=id HTTP/1.1\r\nHost: x\r\n"
    "Connection: Upgrade\r\nUpgrade: SPDY/3.1\r\n\r\n"
)

WARM = 20  # commands, until whatever is made once has been made
KEPT = 3  # connections, for reuse
ROOM = 4_000  # kB: two connections with TLS are more than 100


@pytest.fixture
async def host(peered: dict[str, Site]) -> str:
    """Where the kubelet is, and serves."""
    rome = peered["rome"]
    await eventually(lambda: serves(rome))
    return await address(rome, "milan")


async def serves(rome: Site) -> bool:
    """The one that stays: its node may still say where the one before it is, which serves, too."""
    kubelet = await read(rome, f"pod/{await only(rome)}", "-n", TENANT)
    ended = await kubectl(rome, "get", "--raw", "/api/v1/nodes/milan/proxy/healthz")
    is_there = kubelet["status"].get("podIP") == await address(rome, "milan")
    return ended.code == 0 and is_there


async def test_P_SEC1_without_credentials_nobody_is_let_in(
    peered: dict[str, Site], host: str
) -> None:
    rome = peered["rome"]
    for path in ("/pods", "/metrics/resource", "/containerLogs/shop/web/main", "/healthz"):
        assert await get(rome, host, path) == (401, "Unauthorized")
    assert (await get(rome, host, "/pods", token="made-up"))[0] == 401
    assert (await visit(rome, host, EXEC)).startswith("HTTP/1.1 401 ")


async def test_P_SEC1_another_consumer_is_known_and_may_nothing(
    peered: dict[str, Site], host: str, tmp_path: Path
) -> None:
    rome = peered["rome"]
    chain = certificate(rome, tmp_path, "venice", "liqo.io")
    code, text = await get(rome, host, "/pods", chain)
    assert (code, text) == (
        403,
        "Forbidden (user=venice, verb=get, resource=nodes, subresource(s)=[pods proxy])\n",
    )
    assert (await visit(rome, host, EXEC, chain)).startswith("HTTP/1.1 403 ")


async def test_metrics_server_may_read_figures_and_nothing_else(
    peered: dict[str, Site], host: str
) -> None:
    rome = peered["rome"]
    token = await rome.kubectl("create", "token", "metrics-server", "-n", "kube-system")
    assert (await get(rome, host, "/metrics/resource", token=token.strip()))[0] == 200
    assert (await get(rome, host, "/containerLogs/a/b/c", token=token.strip()))[0] == 403


async def test_the_api_server_may_everything(peered: dict[str, Site], host: str) -> None:
    rome = peered["rome"]
    for path in ("pods", "stats/summary", "metrics/resource"):
        ended = await kubectl(rome, "get", "--raw", f"/api/v1/nodes/milan/proxy/{path}")
        assert ended.code == 0, ended.stderr


async def test_garbage_and_half_requests_hurt_nobody(peered: dict[str, Site], host: str) -> None:
    rome = peered["rome"]
    assert (await visit(rome, host, "\x00\x01\x02garbage\r\n\r\n")).startswith("HTTP/1.1 400 ")
    assert await visit(rome, host, "\x16\x03\x01 no TLS", tls=False) == ""
    assert await visit(rome, host, "GET /pods HTTP/1.1\r\nHost:") == ""
    assert (await get(rome, host, "/pods"))[0] == 401


async def test_what_a_kubelet_holds_opens_no_secrets_of_others(
    peered: dict[str, Site], tmp_path: Path
) -> None:
    rome, milan = peered["rome"], peered["milan"]
    account = f"--as=system:serviceaccount:{TENANT}:milan"
    for namespace in ("kube-system", "liqo", "default"):
        ended = await kubectl(rome, "auth", "can-i", "get", "secrets", "-n", namespace, account)
        assert ended.stdout.strip() == "no"
    secret = ("secret/kubeconfig-resourceslice-milan", "-n", TENANT)
    encoded = await rome.kubectl("get", *secret, "-o", "jsonpath={.data.kubeconfig}")
    credential = tmp_path / "kubeconfig"
    credential.write_bytes(b64decode(encoded))
    for namespace in ("kube-system", "liqo", "default"):
        words = ("get", "secrets", "-n", namespace, f"--kubeconfig={credential}")
        ended = await kubectl(milan, *words)
        assert ended.code == 1
        assert "forbidden" in ended.stderr


async def test_who_says_nothing_for_as_long_as_an_option_says_is_sent_away(
    peered: dict[str, Site], shop: str
) -> None:
    rome = peered["rome"]
    options = ("vkoptionstemplate/virtual-kubelet-default", "-n", "liqo")
    path = "jsonpath={.spec.extraArgs}"
    before = json.loads(await rome.kubectl("get", *options, "-o", path))
    await rome.kubectl("apply", "-n", shop, "-f", "-", text=a_talker("web", ELSEWHERE))
    await eventually(lambda: condition(rome, "pod/web", "Ready", "-n", shop), is_="True")
    try:
        await restarted(rome, [*before, "--streaming-connection-idle-timeout=2s"])
        async with talking(rome, "exec", "-n", shop, "web", "--", "sleep", "1000") as silent:
            async with asyncio.timeout(SOON):
                await silent.process.wait()
        await eventually(lambda: spoken(rome, shop), is_=(0, "a\nb\nc\nd\ne\n"))
    finally:
        await restarted(rome, before)


async def spoken(rome: Site, shop: str) -> tuple[int, str]:
    """For longer than anybody may be silent; a busy machine may be silent between two words."""
    words = "for word in a b c d e; do sleep 0.5; echo $word; done"
    ended = await kubectl(rome, "exec", "-n", shop, "web", "--", "sh", "-c", words)
    return ended.code, ended.stdout


async def restarted(rome: Site, arguments: list[str]) -> None:
    """The kubelet, with these; until it serves again."""
    options = ("vkoptionstemplate/virtual-kubelet-default", "-n", "liqo")
    patch = json.dumps({"spec": {"extraArgs": arguments}})
    await rome.kubectl("patch", *options, "--type=merge", "-p", patch)
    told = ("get", "deployment/vk-milan", "-n", TENANT, "-o", "jsonpath={..containers[0].args}")

    async def is_told() -> bool:
        said = json.loads(await rome.kubectl(*told))
        return [each for each in said if "idle" in each] == [
            each for each in arguments if "idle" in each
        ]

    await eventually(is_told)
    await rome.kubectl("rollout", "status", "deployment/vk-milan", "-n", TENANT)
    await eventually(lambda: serves(rome))


@dataclass(frozen=True)
class Held:
    """By the process of a kubelet."""

    files: int  # connections, as a rule
    memory: int  # kB
    threads: int


async def held(rome: Site) -> Held:
    look = ("exec", "-n", TENANT, await only(rome), "--")
    files = (await rome.kubectl(*look, "ls", "/proc/1/fd")).split()
    status = await rome.kubectl(*look, "cat", "/proc/1/status")
    said = dict(line.split(":", 1) for line in status.splitlines())
    return Held(len(files), int(said["VmRSS"].split()[0]), int(said["Threads"]))


async def test_many_commands_in_a_row_leave_nothing_behind(
    peered: dict[str, Site], shop: str, request: pytest.FixtureRequest
) -> None:
    rome, pod = peered["rome"], Key(shop, "web")
    times = 1000 if request.config.getoption("--soak") else 100
    await rome.kubectl("apply", "-n", shop, "-f", "-", text=a_talker("web", ELSEWHERE))
    await eventually(lambda: condition(rome, "pod/web", "Ready", "-n", shop), is_="True")
    async with admin(rome) as home:
        for _ in range(WARM):
            await command(home, pod, "true")
        before = await held(rome)
        for _ in range(times):
            await command(home, pod, "true")

    def is_as_before(now: Held) -> bool:
        return (
            now.files <= before.files + KEPT
            and now.memory <= before.memory + ROOM
            and now.threads <= before.threads
        )

    await eventually(lambda: held(rome), is_as_before)
