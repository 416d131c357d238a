"""Carries out plans: skips what is already so, has the rest sent, learns from the answers.

What is decided without sending anything lives beside it: `requests` (which request an action
becomes), `memory` (whether it is needed), `events` (what people are told). `send` is the sending.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import structlog

from liqo.api.meta import JSON
from liqo.kube.cache import Caches
from liqo.kube.errors import TAKEN, Conflict, NotFound, Refused
from liqo.runtime.clock import Clock, Stopwatch, boot_clock, wall_clock
from liqo.runtime.events import Sentences, Told, count_of, sentence, telling
from liqo.runtime.memory import Memory, Slot, Written, digest, is_so, slot_of, standing
from liqo.runtime.plan import Action, MintToken, Plan, Record, Side
from liqo.runtime.requests import Request, Verb, request_for, surplus, with_tokens
from liqo.runtime.send import Sender
from liqo.runtime.view import view

DONE: Mapping[Verb, str] = {
    "apply": "applied",
    "create": "created",
    "patch": "patched",
    "delete": "deleted",
    "evict": "evicted",
}

log = structlog.get_logger()


@dataclass(frozen=True)
class Author:
    """Who writes: in the log and in Events, and as field manager."""

    name: str
    manager: str


def forever() -> float:
    """What is left of the lease of a program that needs none."""
    return float("inf")


class Executor:
    """Carries out the plans of all controllers of one process."""

    def __init__(
        self,
        sites: Mapping[Side, Caches],
        *,
        left: Callable[[], float] = forever,
        clock: Stopwatch = boot_clock,
        wall: Clock = wall_clock,
    ) -> None:
        self._sites = sites
        self._sender = Sender({side: caches.cluster for side, caches in sites.items()}, left)
        self._clock = clock
        self._wall = wall
        self._memory = Memory()
        self._sentences = Sentences()

    async def execute(self, author: Author, plan: Plan) -> None:
        for action in plan.actions:
            await self._perform(author, action)

    async def _perform(self, author: Author, action: Action) -> None:
        match action:
            case Record():
                await self._tell(author, action)
            case MintToken():
                issued = await self._sender.tokens(action)
                await self._write(author, request_for(with_tokens(action, issued)))
            case _:
                await self._write(author, request_for(action))

    async def _write(self, author: Author, request: Request) -> None:
        caches = self._sites[request.on]
        slot = slot_of(author.manager, request)
        if self._is_so(request, slot):
            return
        try:
            sent, answer = await self._send(request, author.manager)
            if answer is not None and (rest := surplus(request, answer)) is not None:
                answer = await self._sender.send(rest, author.manager)
        except NotFound:
            if request.verb not in ("delete", "evict"):
                raise
            return  # gone already: as good
        where = {"kind": str(request.kind), "key": str(request.key), "on": caches.cluster.name}
        log.info(DONE[sent.verb], controller=author.name, **where)
        if answer is not None:
            caches.take(request.kind, answer)
        if request.verb != "create":
            self._memory.note(slot, self._written(request, answer))

    async def _send(self, request: Request, manager: str) -> tuple[Request, JSON | None]:
        """With what was sent last. What our copies say of it does not count: they knew of none."""
        try:
            return request, await self._sender.send(request, manager)
        except Conflict as taken:
            if not request.or_apply or taken.reason != TAKEN:
                raise
        change = replace(request, verb="apply")
        return change, await self._sender.send(change, manager)

    def _is_so(self, request: Request, slot: Slot) -> bool:
        """Of a creation the API server decides: of several copies of ours one may be behind, and
        who believed it would wait for a change that never comes."""
        if request.verb == "create":
            return False
        known = view(self._sites[request.on], request.kind, request.key)
        return is_so(request, self._memory.recall(slot), known, self._clock())

    def _written(self, request: Request, answer: JSON | None) -> Written:
        if answer is None:
            return Written(digest(request), "", "", 0, self._clock())  # the uid is in the digest
        uid, version = answer["metadata"]["uid"], answer["metadata"]["resourceVersion"]
        known = view(self._sites[request.on], request.kind, request.key)
        stands = 0
        if known and known.object and known.object.metadata.resource_version == version:
            stands = standing(known.object, request)
        return Written(digest(request), uid, version, stands, self._clock())

    async def _tell(self, author: Author, record: Record) -> None:
        """That an Event cannot be written is no reason to fail."""
        said, now = sentence(record), self._wall()
        told = self._sentences.told(said)
        request = telling(record, told, author.name, now)
        if request is None:
            return
        self._sentences.note(said, Told(request.key, count_of(record, told), now))
        try:
            await self._sender.send(request, "")
        except (Refused, NotFound, Conflict) as error:
            if record.repeats is not None and error.reason == TAKEN:
                return  # we said so before we were started
            self._sentences.forget(said)
            log.info("event not recorded", controller=author.name, why=str(error))
