"""Settings of shares: read from a ConfigMap while we run; what is wrong in it is told, not used.

    percentage: "90"
    rounding: floor
    percentage.rome: "50"      # of one consumer, by its cluster ID

Runs on   provider
Watches   ConfigMap (liqo-sharing, in the namespace of the installation)
Writes    nothing
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import cast

from liqo.api.kubernetes import ConfigMap
from liqo.api.meta import Key
from liqo.kube.cache import Cache, Caches
from liqo.kube.paths import named
from liqo.rules import capacity, names
from liqo.rules.capacity import OF_PEER, PERCENTAGE, ROUNDING, Rounding, Sharing
from liqo.runtime.controller import Controller, itself
from liqo.runtime.plan import Plan, Record, do
from liqo.runtime.value import Value


@dataclass(frozen=True)
class State:
    written: ConfigMap


def controller(here: Caches, home: str) -> Controller[State]:
    return Controller(
        name="provider/share/settings",
        watches={_written(here, home): itself},
        observe=partial(observe, here, home),
        plan=plan,
    )


def observe(here: Caches, home: str, key: Key) -> State | None:
    written = _written(here, home).get(key)
    return State(written) if written is not None else None


def plan(state: State) -> Plan:
    wrong = problems(state.written.data)
    return do(*(Record(state.written, "InvalidSetting", each, "Warning") for each in wrong))


def followed(here: Caches, home: str) -> Value[Sharing]:
    """What counts now."""
    written, sharing = _written(here, home), Value(Sharing())
    last: Sharing | None = None  # nothing was read yet: what counts so far is only the default

    def changed(old: ConfigMap | None, new: ConfigMap | None) -> None:
        nonlocal last
        if old is None and new is None:
            return  # we may not look now: what was decided is what was read last
        # Where there was no ConfigMap, and that is known, the default was what counted.
        before = last or (Sharing() if written.synced else None)
        last = read(new.data if new is not None else {}, before)
        sharing.become(last)

    written.subscribe(changed)
    return sharing


def read(written: Mapping[str, str], last: Sharing | None) -> Sharing:
    """What is not written has its default; what is written wrong stays as it was last.

    What was wrong when we began may have been anything: a default could be more than was ever lent.
    """
    usual = Sharing()
    wrong = frozenset(name for name, value in written.items() if _flaw(name, value))
    unknown = wrong if last is None else wrong & last.unknown
    last = last or usual
    percentage, rounding = written.get(PERCENTAGE), written.get(ROUNDING)
    return Sharing(
        usual.percentage if percentage is None else _percentage(percentage, last.percentage),
        usual.rounding if rounding is None else _rounding(rounding, last.rounding),
        dict(_of_peers(written, last)),
        unknown,
    )


def problems(written: Mapping[str, str]) -> Iterator[str]:
    for name, value in written.items():
        wrong = _flaw(name, value)
        if not _is_setting(name):
            wrong = f"there is no such setting; {PERCENTAGE}, {ROUNDING} and {OF_PEER}ID are"
        if wrong:
            yield f"{name}: {wrong}; it is not used"


def _is_setting(name: str) -> bool:
    return name in {PERCENTAGE, ROUNDING} or name.startswith(OF_PEER)


def _flaw(name: str, value: str) -> str:
    """Of a setting that there is."""
    if not _is_setting(name):
        return ""
    check = capacity.check_rounding if name == ROUNDING else capacity.check_percentage
    return check(value.strip())


def _of_peers(written: Mapping[str, str], last: Sharing) -> Iterator[tuple[str, int]]:
    """A peer whose own was never right has what all have."""
    for name, value in written.items():
        if name.startswith(OF_PEER):
            peer = name.removeprefix(OF_PEER)
            if percentage := _percentage(value, last.of_peers.get(peer, 0)):
                yield peer, percentage


def _percentage(written: str, last: int) -> int:
    return last if capacity.check_percentage(written.strip()) else int(written)


def _rounding(written: str, last: Rounding) -> Rounding:
    return last if capacity.check_rounding(written.strip()) else cast(Rounding, written.strip())


def _written(here: Caches, home: str) -> Cache[ConfigMap]:
    return here.of(ConfigMap, named(Key(home, names.SHARING)))
