"""What went well is told while there is room."""

from __future__ import annotations

from datetime import timedelta

from liqo.kubelet.reflect.allowance import AT_ONCE, GRANTED, Allowance
from tests.unit.kubelet.pods.things import NOW
from tests.unit.kubelet.reflect.test_events import an_event


def test_in_a_rush_what_went_well_is_not_told() -> None:
    now = [NOW]
    allowance = Allowance(lambda: now[0])
    events = [an_event("Normal", metadata={"uid": f"event-{each}"}) for each in range(AT_ONCE + 5)]
    assert [allowance.grant(each) for each in events].count(True) == AT_ONCE
    assert allowance.grant(events[0]), "what was granted stays so"
    now[0] = NOW + timedelta(seconds=1)
    assert [allowance.grant(each) for each in events[AT_ONCE:]].count(True) == 2
    now[0] = NOW + timedelta(hours=1)
    others = [an_event("Normal", metadata={"uid": f"other-{each}"}) for each in range(AT_ONCE + 5)]
    assert [allowance.grant(each) for each in others].count(True) == AT_ONCE


def test_what_was_granted_long_ago_is_forgotten() -> None:
    now = [NOW]
    allowance = Allowance(lambda: now[0])
    for number in range(GRANTED + 1):
        now[0] += timedelta(seconds=1)
        assert allowance.grant(an_event("Normal", metadata={"uid": f"event-{number}"}))
    for number in range(AT_ONCE):
        allowance.grant(an_event("Normal", metadata={"uid": f"rush-{number}"}))
    assert not allowance.grant(an_event("Normal", metadata={"uid": "event-0"}))
    assert allowance.grant(an_event("Normal", metadata={"uid": f"event-{GRANTED}"}))
