"""Namespaces that are known: told to whoever asks before or after."""

from __future__ import annotations

from liqo.kube.arrivals import Arrivals


def test_those_that_are_there_already_are_told_first_and_then_every_new_one() -> None:
    told: list[str | None] = []
    arrivals = Arrivals()
    arrivals.add("shop")
    end = arrivals.subscribe(lambda _, name: told.append(name))
    arrivals.add("bank")
    end()
    arrivals.add("museum")
    assert told == ["shop", "bank"]
    assert arrivals.values() == ["shop", "bank", "museum"]


def test_one_that_leaves_is_known_no_more_and_may_come_again() -> None:
    told: list[str | None] = []
    arrivals = Arrivals()
    arrivals.add("shop")
    arrivals.remove("shop")
    arrivals.remove("never seen")
    assert arrivals.values() == []
    arrivals.subscribe(lambda _, name: told.append(name))
    arrivals.add("shop")
    assert told == ["shop"]
