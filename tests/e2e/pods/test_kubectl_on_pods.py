"""kubectl on a pod that runs elsewhere: the same words, the same exit codes as on one at home."""

from __future__ import annotations

import json
import shlex
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, TypeVar
from uuid import uuid4

import pytest

from liqo.api.meta import JSON
from liqo.playground.cluster import Site
from tests.e2e import conversations
from tests.e2e.conversations import Partner
from tests.e2e.eventually import eventually
from tests.e2e.kubectl import SPDY, WEBSOCKET, kubectl, talking
from tests.e2e.liqoctl import Ended
from tests.e2e.loans import at_once
from tests.e2e.offloaded import extended
from tests.e2e.talkers import AT_HOME, ELSEWHERE, a_deployment, a_latecomer, a_listener, a_twin
from tests.e2e.verbs import CHANGING, READING, ROLLING, STREAMING

T = TypeVar("T")
by_each_protocol = pytest.mark.parametrize("protocol", [WEBSOCKET, SPDY], ids=["websocket", "spdy"])


@dataclass(frozen=True)
class Twins:
    """Two pods that are the same, but for where they run."""

    here: Partner
    there: Partner

    def by(self, protocol: dict[str, str]) -> Twins:
        return self.each(lambda partner: replace(partner, protocol=protocol))

    def named(self, name: str) -> Twins:
        return self.each(lambda partner: replace(partner, pod=f"{name}-{partner.pod}"))

    def each(self, change: Callable[[Partner], Partner]) -> Twins:
        return Twins(change(self.here), change(self.there))

    async def both(self, talk: Callable[[Partner], Coroutine[Any, Any, T]]) -> T:
        """What is said by both, which must be the same."""
        here, there = await self.pair(talk)
        assert there == here
        return there

    async def pair(self, talk: Callable[[Partner], Coroutine[Any, Any, T]]) -> list[T]:
        return await at_once(talk(self.here), talk(self.there))


@pytest.fixture(scope="module")
async def twins(peered: dict[str, Site]) -> AsyncIterator[Twins]:
    """And beside them twins for each verb that changes one, so that all of them start at once."""
    rome = peered["rome"]
    async with extended(rome) as namespace:
        made = Twins(
            Partner(rome, namespace, "stays-at-home", "rome", AT_HOME),
            Partner(rome, namespace, "goes-out", "milan", ELSEWHERE),
        )
        for partner in (made.here, made.there):
            things = json.dumps({"apiVersion": "v1", "kind": "List", "items": wanted(partner)})
            await rome.kubectl("apply", "-n", namespace, "-f", "-", text=things)
        await eventually(partial(are_ready, made.here), within=120)
        yield made
        leaving = ("deployments,pods", "--all", "--grace-period=1", "-n", namespace)
        await rome.kubectl("delete", *leaving)


def wanted(partner: Partner) -> list[JSON]:
    def listener(row: str) -> JSON:
        return a_listener(f"{row}-{partner.pod}", partner.spec)

    pods = [a_twin(partner.pod, partner.spec), *map(listener, CHANGING)]
    return [*pods, *(a_deployment(listener(row)) for row in ROLLING)]


async def are_ready(partner: Partner) -> bool:
    """All pods; and those that shall, for the second time."""
    path = "jsonpath={range .items[*].status.containerStatuses[*]}{.name}{.ready}{.restartCount} "
    look = ("get", "pods", "-n", partner.namespace, "-o", path + "{end}")
    found = (await partner.rome.kubectl(*look)).split()
    expected = {"maintrue0", "twicetrue1"}
    count = 2 * (2 + len(CHANGING) + len(ROLLING))
    return set(found) == expected and len(found) == count


async def said(partner: Partner, *rows: str) -> list[Ended]:
    return [await partner.kubectl(*shlex.split(row), text="hello\n") for row in rows]


@pytest.mark.part_of_row("F06")
@pytest.mark.parametrize("row", READING)
async def test_what_is_read_of_it_is_as_at_home(twins: Twins, row: str) -> None:
    """A moment later: what happens to it is told at home when it has happened."""
    pair = partial(twins.pair, lambda partner: said(partner, READING[row]))
    await eventually(pair, lambda seen: seen[0] == seen[1])


@pytest.mark.part_of_row("F06")
@by_each_protocol
@pytest.mark.parametrize("row", STREAMING)
async def test_its_streams_are_as_at_home(twins: Twins, row: str, protocol: dict[str, str]) -> None:
    await twins.by(protocol).both(lambda partner: said(partner, STREAMING[row]))


@pytest.mark.part_of_row("F06")
@pytest.mark.parametrize(("row", "verbs"), [*CHANGING.items(), *ROLLING.items()])
async def test_what_changes_it_is_as_at_home(twins: Twins, row: str, verbs: Sequence[str]) -> None:
    await twins.named(row).both(lambda partner: said(partner, *verbs))


async def test_the_rows_say_something(twins: Twins) -> None:
    """Two that fail alike are alike, too: some answers are known."""
    for row, code, words in (
        (READING["its log"], 0, "one\ntwo\nthree\n"),
        (READING["five bytes"], 0, "one\nt"),
        (READING["of a life before"], 0, "a first life\n"),
        (STREAMING["a command that fails"], 7, "out\n"),
        (STREAMING["input"], 0, "HELLO\n"),
        (STREAMING["900 kB of words"], 0, "9 100000\n"),
    ):
        [ended] = await said(twins.there, row)
        assert (ended.code, ended.stdout) == (code, words)


async def test_a_command_runs_where_the_pod_runs(peered: dict[str, Site], twins: Twins) -> None:
    there = ("-n", f"{twins.there.namespace}-rome", twins.there.pod, "-c", "main")
    await twins.there.kubectl("exec", "POD", "--", "touch", "/tmp/was-here")
    ended = await kubectl(peered["milan"], "exec", *there, "--", "ls", "/tmp/was-here")
    assert ended.code == 0


async def test_the_logs_of_all_containers_are_read(twins: Twins) -> None:
    """One after the other, in whichever order kubectl takes them."""

    async def lines(partner: Partner) -> list[str]:
        [ended] = await said(partner, "logs POD --all-containers --prefix")
        return sorted(ended.stdout.splitlines())

    assert "[pod/POD/first] of old" in await twins.both(lines)


async def test_a_log_is_followed(twins: Twins) -> None:
    assert "WORD" in await twins.both(conversations.follow)


@by_each_protocol
async def test_who_attaches_talks_to_what_runs(twins: Twins, protocol: dict[str, str]) -> None:
    await twins.by(protocol).both(conversations.attach)


@by_each_protocol
async def test_a_terminal_has_the_size_of_ours_also_later(
    twins: Twins, protocol: dict[str, str]
) -> None:
    assert await twins.by(protocol).both(conversations.resize) == 5


@by_each_protocol
async def test_ports_are_forwarded_one_connection_after_the_other(
    twins: Twins, protocol: dict[str, str]
) -> None:
    assert "this is POD\n" * 4 in await twins.by(protocol).both(conversations.forward)


@by_each_protocol
async def test_a_port_where_nobody_listens_is_told_as_at_home(
    twins: Twins, protocol: dict[str, str]
) -> None:
    assert await twins.by(protocol).both(conversations.forward_to_nobody)


@by_each_protocol
async def test_files_are_copied_both_ways(
    twins: Twins, protocol: dict[str, str], tmp_path: Path
) -> None:
    to, fro = await twins.by(protocol).both(lambda one: conversations.copy(one, tmp_path))
    assert to.code == fro.code == 0


async def test_a_pod_for_one_command_comes_and_goes(twins: Twins) -> None:
    assert await twins.both(conversations.run_once) == 3


@by_each_protocol
async def test_a_client_that_is_killed_takes_the_process_along(
    twins: Twins, protocol: dict[str, str]
) -> None:
    mark = f"/dev/null/{uuid4().hex}"
    partner = twins.there
    words = ("exec", "-n", partner.namespace, "-i", partner.pod, "--", "cat", "-", mark)
    async with talking(partner.rome, *words, environment=protocol) as running:
        await eventually(partial(partner.runs, mark))
        running.process.kill()
        await eventually(partial(partner.runs, mark), is_=False)


async def test_who_reads_slowly_slows_the_process_and_gets_all_of_it(twins: Twins) -> None:
    partner, size = twins.there, 100_000_000
    script = f"echo $$ >/tmp/writer; exec dd if=/dev/zero bs=10000 count={size // 10000}"
    words = ("exec", "-n", partner.namespace, partner.pod, "--", "sh", "-c", script)

    async def written() -> tuple[int, ...]:
        """Bytes, as two looks have it."""
        look = "for _ in 1 2; do grep wchar /proc/$(cat /tmp/writer)/io; sleep 1; done"
        ended = await partner.kubectl("exec", "POD", "--", "sh", "-c", look)
        return tuple(int(line.split()[1]) for line in ended.stdout.splitlines())

    async with talking(partner.rome, *words) as reading:
        assert reading.process.stdout is not None
        first, second = await eventually(
            written, lambda seen: len(seen) == 2 and 0 < seen[0] == seen[1]
        )
        assert first == second < size
        got = 0
        while chunk := await reading.process.stdout.read(2**20):
            got += chunk.count(0)
        assert (got, await reading.process.wait()) == (size, 0)


async def test_a_pod_that_has_not_started_is_told_as_at_home(twins: Twins) -> None:
    async def told(partner: Partner) -> list[Ended]:
        rome, where = partner.rome, ("-n", partner.namespace)
        pod = json.dumps(a_latecomer(partner.pod, partner.spec))
        await rome.kubectl("apply", *where, "-f", "-", text=pod)
        path = "jsonpath={.status.containerStatuses[0].state.waiting.reason}"
        look = ("get", *where, f"pod/{partner.pod}", "-o", path)
        await eventually(lambda: rome.kubectl(*look), is_="PodInitializing")
        return await said(partner, "logs POD", "exec POD -- true", "attach POD", "delete pod POD")

    logs, *_ = await twins.named("waits").both(told)
    assert "is waiting to start: PodInitializing" in logs.stderr


async def test_who_may_only_read_pods_does_not_enter_them(twins: Twins) -> None:
    rome, namespace = twins.there.rome, twins.there.namespace
    account = ("reader", "-n", namespace)
    subject = f"--serviceaccount={namespace}:reader"
    await rome.kubectl("create", "serviceaccount", *account)
    await rome.kubectl("create", "role", *account, "--verb=get,list", "--resource=pods")
    await rome.kubectl("create", "rolebinding", *account, "--role=reader", subject)
    reader = f"--as=system:serviceaccount:{namespace}:reader"
    reads = partial(twins.there.kubectl, "get", "pod", "POD", reader)
    await eventually(reads, lambda ended: ended.code == 0)
    for verb, words in (
        ("exec", ("exec", "POD", reader, "--", "id")),
        ("attach", ("attach", "POD", reader)),
        ("portforward", ("port-forward", "POD", "8080:8080", reader)),
        ("log", ("logs", "POD", reader)),
    ):
        ended = await twins.there.kubectl(*words)
        assert ended.code == 1
        assert f'resource "pods/{verb}"' in ended.stderr
