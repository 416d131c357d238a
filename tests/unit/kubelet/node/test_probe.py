"""What a provider's API server answers, or that it does not."""

from __future__ import annotations

import asyncio

from liqo.kube.cluster import Cluster
from liqo.kubelet.node.health import Health, Patience
from liqo.kubelet.node.probe import Probe
from tests.unit.kube.scripted import refuses, says, scripted

QUICK = Patience(every=0.001, within=2.0, failures=2)
BEGINS = DOUBTED = (True, False)
THERE, LOST = (False, False), (False, True)


async def test_P_NODE5_only_the_provider_is_asked_and_a_change_is_told_once() -> None:
    told: list[tuple[bool, bool]] = []
    heard = [BEGINS, THERE, DOUBTED, LOST, THERE]
    changed = asyncio.Event()

    def note(_: Health | None, new: Health | None) -> None:
        assert new is not None
        told.append((new.is_open, new.is_lost))
        if told == heard:
            changed.set()

    script = (says({}), refuses(403), refuses(403), refuses(403), says({}))
    async with scripted(*script) as server, Cluster(server.access) as cluster:
        probe = Probe(cluster, "milan", QUICK)
        end = probe.subscribe(note)
        async with asyncio.timeout(10), asyncio.TaskGroup() as tasks:
            running = tasks.create_task(probe.run())
            await changed.wait()
            running.cancel()
        end()
    assert {request.path for request in server.asked} == {"/livez"}
    assert probe.values() == [probe.health]


async def test_silence_is_a_failure_with_its_reason() -> None:
    async with scripted() as server, Cluster(server.access) as cluster:
        probe = Probe(cluster, "milan", Patience(every=60, within=0.05, failures=1))
        lost = asyncio.Event()
        probe.subscribe(lambda _, new: lost.set() if new is not None and new.is_lost else None)
        async with asyncio.timeout(10), asyncio.TaskGroup() as tasks:
            running = tasks.create_task(probe.run())
            await lost.wait()
            running.cancel()
    assert probe.health.reason == "no answer within 0.05 s"


async def test_what_was_heard_before_it_fell_silent_is_not_all_that_there_is() -> None:
    recovered = asyncio.Event()
    answers: list[tuple[bool, bool]] = []
    script = (says({}), refuses(403), says({}))
    async with scripted(*script) as server, Cluster(server.access) as cluster:
        probe = Probe(cluster, "milan", QUICK)
        assert probe.answers(3600), "nothing was ever lost"

        def note(*_: Health | None) -> None:
            answers.append((probe.answers(0), probe.answers(3600)))

        probe.subscribe(note)
        probe.on_recovery(recovered.set)
        async with asyncio.timeout(10), asyncio.TaskGroup() as tasks:
            running = tasks.create_task(probe.run())
            await recovered.wait()
            running.cancel()
    assert answers == [(True, True), (True, True), (False, False), (True, False)]


async def test_who_is_never_asked_counts_as_reachable() -> None:
    async with scripted() as server, Cluster(server.access) as cluster:
        probe = Probe(cluster, "milan", Patience(every=0))
        await probe.run()
    assert not probe.health.is_lost
    assert server.asked == []
