"""How another replica is asked, over real TLS."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from itertools import count

from liqo.webhooks.certificate import Material
from liqo.webhooks.quota.claim import ruling
from liqo.webhooks.quota.colleague import NOBODY, PATH, Colleague
from liqo.webhooks.quota.seat import Seat
from liqo.webhooks.review import Deny
from liqo.webhooks.server import Server
from tests.e2e.control_plane import free_port
from tests.unit.webhooks.quota.sizes import a_claim, taking
from tests.unit.webhooks.reviews.questions import Told
from tests.unit.webhooks.test_server import FIRST, SECOND, a_secret, listening

CLAIM = a_claim(taking(cpu="1"))
NO = Deny("user is cordoned")


@dataclass
class Replica:
    """That decides, or does not."""

    port: int = field(default_factory=free_port)
    decides: bool = True
    asked: list[bytes] = field(default_factory=list)

    @property
    def name(self) -> str:
        return str(Seat("milan", "1", f"127.0.0.1:{self.port}"))

    async def reply(self, body: bytes) -> bytes | None:
        self.asked.append(body)
        return ruling(NO) if self.decides else None

    @asynccontextmanager
    async def serving(self) -> AsyncIterator[None]:
        server = Server({}, Told(), self.port, {PATH: self.reply})
        async with server.serving():
            server.chain.take(None, a_secret(FIRST))
            await listening(server)
            yield


def held_by(*names: str) -> Callable[[], Awaitable[str]]:
    """The holder of the lease, each time that somebody looks."""
    left = list(names)

    async def who() -> str:
        return left.pop(0)

    return who


def a_colleague(who: Callable[[], Awaitable[str]], trusted: Material = FIRST) -> Colleague:
    seconds = count()  # each time that somebody looks at the clock
    made = Colleague(who, "localhost.liqo.svc.cluster.local", lambda: float(next(seconds)))
    made.trust(None, a_secret(trusted))
    return made


async def test_who_holds_the_lease_is_asked_and_looked_up_once() -> None:
    milan = Replica()
    async with milan.serving(), a_colleague(held_by(milan.name)) as colleague:
        assert await colleague.decide(CLAIM) == NO
        assert await colleague.decide(CLAIM) == NO
    assert len(milan.asked) == 2


async def test_where_nobody_holds_it_nobody_is_asked() -> None:
    async with a_colleague(held_by("", "somebody-else")) as colleague:
        assert await colleague.decide(CLAIM) is None
        assert await colleague.decide(CLAIM) is None
        assert colleague.silence == NOBODY


async def test_however_many_wait_one_looks() -> None:
    held = held_by("", "")
    colleague = Colleague(held, "localhost.liqo.svc.cluster.local", lambda: 0.0)
    async with colleague:
        for _ in range(100):
            assert await colleague.decide(CLAIM) is None
    assert await held() == ""  # was left for us


async def test_who_was_found_meanwhile_is_not_forgotten_for_who_is_gone() -> None:
    """One asks him who is gone, and hears it after another has found the next one."""
    gone, milan = Replica(), Replica()
    async with milan.serving(), a_colleague(held_by(gone.name, milan.name)) as colleague:
        assert await colleague.decide(CLAIM) is None
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(colleague.decide(CLAIM)) for _ in range(5)]
        assert NO in [task.result() for task in tasks]
        assert await colleague.decide(CLAIM) == NO


async def test_who_does_not_decide_any_more_or_is_gone_is_looked_up_anew() -> None:
    gone, retired, milan = Replica(), Replica(decides=False), Replica()
    who = held_by(gone.name, retired.name, milan.name)
    async with retired.serving(), milan.serving(), a_colleague(who) as colleague:
        assert await colleague.decide(CLAIM) is None
        assert "refuse" in colleague.silence
        assert await colleague.decide(CLAIM) is None
        assert "ask another replica" in colleague.silence
        assert await colleague.decide(CLAIM) == NO


async def test_who_shows_another_certificate_than_ours_is_not_believed() -> None:
    milan = Replica()
    async with milan.serving(), a_colleague(held_by(*[milan.name] * 2), SECOND) as colleague:
        assert await colleague.decide(CLAIM) is None
        assert "certificate" in colleague.silence
        colleague.trust(None, a_secret(FIRST))
        colleague.trust(a_secret(FIRST), None)  # what was believed last is believed on
        assert await colleague.decide(CLAIM) == NO
    assert len(milan.asked) == 1
