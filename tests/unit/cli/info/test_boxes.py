"""Boxes, drawn as people know them."""

from liqo.cli.info.boxes import Section, draw

EMPTY = """\
┌─ Active peerings ────────────────────────────────────────────────────────────────┐
|                                                                                  |
└──────────────────────────────────────────────────────────────────────────────────┘
"""


def inside(section: Section) -> list[str]:
    _, *lines, _ = draw([section]).splitlines()
    return [line.strip("|").rstrip() for line in lines]


def test_a_box_with_nothing_in_it_has_one_line() -> None:
    assert draw([Section("Active peerings")]) == EMPTY


def test_boxes_stand_one_below_the_other() -> None:
    assert draw([Section("Active peerings")] * 2) == EMPTY + EMPTY


def test_values_stand_in_a_column_and_sections_are_indented() -> None:
    inner = Section("Resources", {"cpu": "4", "memory": "8Gi"})
    assert inside(Section("Box", {"Cluster ID": "milan", "Role": "Provider"}, [inner])) == [
        "  Cluster ID: milan",
        "  Role:       Provider",
        "  Resources",
        "      cpu:    4",
        "      memory: 8Gi",
    ]


def test_several_values_have_a_line_each_and_none_has_its_key_alone() -> None:
    section = Section("Box", {"Alerts": ["no route", "no key"], "Pod CIDRs": [], "One": ["1"]})
    assert inside(section) == [
        "  Alerts",
        "  • no route",
        "  • no key",
        "  Pod CIDRs",
        "  One:       1",
    ]


def test_a_long_line_makes_its_box_wider_and_no_other() -> None:
    wide, narrow = Section("A", {"key": "x" * 100}), Section("B", {"key": "x"})
    lengths = [len(line) for line in draw([wide, narrow]).splitlines()]
    assert lengths == [110, 110, 110, 84, 84, 84]


def test_a_value_of_several_lines_does_not_break_the_box() -> None:
    assert inside(Section("Box", {"Alerts": "first\nsecond"})) == ["  Alerts: first", " second"]
