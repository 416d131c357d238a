"""Whatever happens in whichever order: what is stored or runs never takes more than the quota.

A cluster in small: requests that were admitted and are on their way, objects that are stored, and
news of them that have not reached the admitter yet. It may be replaced at any moment by another,
who knows what is stored and nothing else; or be elected again, and then it knows what it promised
as well. A pod gets the size that its ShadowPod says some time later, or never.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from itertools import count
from typing import NamedTuple

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule
from msgspec.structs import replace

from liqo.api import labels
from liqo.api.sizes import PodSize, ShadowPhase, ShadowSize, SizedShadowPod
from liqo.rules.held import still_held, to_hold
from liqo.rules.quantity import NANO
from liqo.rules.usage import Amounts, add, taken
from liqo.webhooks.quota.claim import is_finished, version_of
from liqo.webhooks.quota.tally import LONGEST_REQUEST, MOST_PROMISES, Tally
from liqo.webhooks.review import ALLOW, Verdict
from tests.unit.webhooks.quota.sizes import (
    USER,
    a_claim,
    a_container,
    a_pod,
    a_quota,
    a_shadow,
    taking,
)

# Few names, few sizes and little room: what is rare in a cluster happens all the time.
LIMITS = {"cpu": 4, "pods": 2}
QUOTA = a_quota(cpu="4", pods="2")
names = st.sampled_from("abc")
# It takes 2, and then 1.
PREPARED = a_pod(a_container(cpu="1"), initContainers=[a_container("prepare", cpu="2")])
# It takes 1 beside 1, after 2 beside 1, and half a core all the time.
ATTENDED = a_pod(
    a_container(cpu="1"),
    initContainers=[
        {**a_container("attend", cpu="1"), "restartPolicy": "Always"},
        a_container("prepare", cpu="2"),
    ],
    overhead={"cpu": "500m"},
)
sizes = st.sampled_from([taking(cpu="1"), taking(cpu="3"), PREPARED, ATTENDED])
places = st.integers(0, 2)  # among those on their way


@dataclass(frozen=True)
class Asked:
    """A request that was admitted; it ends when the API server gives up."""

    wanted: SizedShadowPod
    instead_of: SizedShadowPod | None
    until: float


class News(NamedTuple):
    since: float
    old: SizedShadowPod | None
    new: SizedShadowPod | None


class Admission(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.now = 0.0
        self.uids = count()
        self.versions = count(1)
        self.tally = Tally()
        self.on_their_way: list[Asked] = []
        self.stored: dict[str, SizedShadowPod] = {}
        self.pods: dict[str, Amounts] = {}  # what they hold
        self.news: deque[News] = deque()

    @rule(name=names, size=sizes)
    def one_is_asked_for(self, name: str, size: PodSize) -> None:
        wanted = a_shadow(size, name, uid=str(next(self.uids)), generation=1)
        self.ask(wanted, None)

    @rule(name=names, size=sizes)
    def one_is_asked_for_over_and_over(self, name: str, size: PodSize) -> None:
        known = len(self.on_their_way) + 1
        for _ in range(MOST_PROMISES):
            self.one_is_asked_for(name, size)
        del self.on_their_way[known:]  # of one name, one can come: the others are refused
        verdict = self.ask(a_shadow(size, name, uid=str(next(self.uids)), generation=1), None)
        assert verdict != ALLOW

    @precondition(lambda self: self.stored)
    @rule(place=places, size=sizes)
    def another_size_is_asked_for(self, place: int, size: PodSize) -> None:
        present = self.chosen(place)
        if not is_finished(present):
            self.ask(changed(present, size), present)

    def ask(self, wanted: SizedShadowPod, instead_of: SizedShadowPod | None) -> Verdict:
        metadata = wanted.metadata
        claim = a_claim(
            wanted.spec.pod,
            metadata.name,
            uid=metadata.uid,
            is_change=instead_of is not None,
            after=version_of(instead_of) if instead_of is not None else 0,
        )
        verdict = self.tally.admit(claim, QUOTA, self.now, self.heard())
        if verdict == ALLOW:
            until = self.now + LONGEST_REQUEST
            self.on_their_way.append(Asked(wanted, instead_of, until))
        return verdict

    @precondition(lambda self: self.on_their_way)
    @rule(place=places)
    def one_arrives(self, place: int) -> None:
        """If it still can: its name is free, or what it changes is as it was."""
        asked = self.on_their_way.pop(place % len(self.on_their_way))
        name = asked.wanted.metadata.name
        if self.stored.get(name) is asked.instead_of:
            self.put(name, asked.wanted)

    @precondition(lambda self: self.on_their_way)
    @rule(place=places)
    def one_never_arrives(self, place: int) -> None:
        self.on_their_way.pop(place % len(self.on_their_way))

    @precondition(lambda self: self.stored)
    @rule(place=places)
    def one_changes_and_keeps_its_size(self, place: int) -> None:
        present = self.chosen(place)
        self.put(present.metadata.name, changed(present, present.spec.pod))

    @precondition(lambda self: self.stored)
    @rule(place=places)
    def a_pod_gets_the_size_that_is_said(self, place: int) -> None:
        present = self.chosen(place)
        if is_finished(present):
            return
        name, done = present.metadata.name, present.metadata.generation
        self.pods[name] = taken(present.spec.pod)
        self.put(name, replace(present, status=ShadowPhase(observed_generation=done)))

    @precondition(lambda self: self.stored)
    @rule(place=places)
    def one_ends(self, place: int) -> None:
        present = self.chosen(place)
        ended = replace(present, status=ShadowPhase(phase="Succeeded"))
        self.put(present.metadata.name, ended)

    @precondition(lambda self: self.stored)
    @rule(place=places)
    def one_is_deleted(self, place: int) -> None:
        self.put(self.chosen(place).metadata.name, None)

    def chosen(self, place: int) -> SizedShadowPod:
        return list(self.stored.values())[place % len(self.stored)]

    def put(self, name: str, new: SizedShadowPod | None) -> None:
        old = self.stored.pop(name, None)
        if new is not None:
            numbered = replace(new.metadata, resource_version=str(next(self.versions)))
            self.stored[name] = new = replace(new, metadata=numbered)
        if new is None or is_finished(new):
            self.pods.pop(name, None)
        else:
            self.pods.setdefault(name, taken(new.spec.pod))
        self.news.append(News(self.now, old, new))

    @precondition(lambda self: self.news)
    @rule()
    def something_is_told(self) -> None:
        _, old, new = self.news.popleft()
        self.tally.follow(old, new)

    @rule()
    def all_arrives_and_is_told(self) -> None:
        """What is usual: else a run of this test hardly gets beyond what is on its way."""
        while self.on_their_way:
            self.one_arrives(0)
        while self.news:
            self.something_is_told()

    def heard(self) -> float:
        return self.news[0].since if self.news else self.now

    @rule()
    def time_passes(self) -> None:
        self.now += LONGEST_REQUEST / 2
        self.on_their_way = [each for each in self.on_their_way if each.until > self.now]

    @rule()
    def another_takes_over(self) -> None:
        """Not before all that was admitted has arrived or will never."""
        while self.on_their_way:
            self.one_arrives(0)
        self.tally = Tally()
        self.what_is_stored_is_listed()

    @rule()
    def we_are_elected_again(self) -> None:
        """Whatever we admitted may still arrive: of that, nobody else knows."""
        self.tally = self.tally.successor()
        self.what_is_stored_is_listed()

    def what_is_stored_is_listed(self) -> None:
        """What was not told by then is in the list, or gone."""
        self.news.clear()
        for each in self.stored.values():
            self.tally.follow(None, each)

    @invariant()
    def nobody_has_more_than_the_quota(self) -> None:
        total: dict[str, int] = {}
        for each in self.stored.values():
            if not is_finished(each):
                add(total, taken(each.spec.pod))
        assert all(total.get(name, 0) <= limit * NANO for name, limit in LIMITS.items())

    @invariant()
    def no_pods_hold_more_than_the_quota(self) -> None:
        total: dict[str, int] = {}
        for held in self.pods.values():
            add(total, held)
        assert all(total.get(name, 0) <= limit * NANO for name, limit in LIMITS.items())

    @invariant()
    def whoever_has_heard_everything_counts_what_is_there(self) -> None:
        """And nothing else: nothing is lost for ever by what went wrong."""
        if self.news or self.on_their_way:
            return
        self.tally.forget(self.now + LONGEST_REQUEST)
        fresh = Tally()
        for each in self.stored.values():
            fresh.follow(None, each)
        assert self.tally.used(USER) == fresh.used(USER)


def changed(present: SizedShadowPod, size: PodSize) -> SizedShadowPod:
    """As the API server makes it, with what is written on it when it is reviewed."""
    held = to_hold(still_held(present), present.spec.pod, size)
    metadata = replace(
        present.metadata,
        generation=present.metadata.generation + 1,
        annotations={labels.STILL_TAKES: held} if held else {},
    )
    return replace(present, metadata=metadata, spec=ShadowSize(pod=size))


TestAdmission = Admission.TestCase
TestAdmission.settings = settings(max_examples=300, stateful_step_count=40, deadline=None)
