"""Figure: one number that a benchmark found, and the budget it has to keep."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Figure:
    name: str
    value: float
    unit: str
    budget: str = ""  # as it is written in the specification: "≤ 110"
    holds: bool = True


def within(name: str, value: float, unit: str, most: float) -> Figure:
    return Figure(name, value, unit, f"≤ {most:g}", value <= most)


def at_least(name: str, value: float, unit: str, least: float) -> Figure:
    return Figure(name, value, unit, f"≥ {least:g}", value >= least)
