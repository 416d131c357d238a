"""What can be believed of a plugin's answer."""

from __future__ import annotations

import errno
import socket

import pytest
from hypothesis import given
from hypothesis import strategies as st

from liqo.plugin.judgement import LARGEST, Lie, believed, out_of_reach, shortened
from liqo.rules.quantity import NANO, parse


@pytest.mark.parametrize(
    ("pools", "resources"),
    [
        ([], {}),
        ([{}], {}),
        ([{"cpu": "2000m", "memory": "2048Mi"}], {"cpu": "2", "memory": "2Gi"}),
        ([{"nvidia.com/gpu": "3", "pods": "0"}], {"nvidia.com/gpu": "3", "pods": "0"}),
        ([{"cpu": "0.5"}, {"cpu": "1", "pods": "10"}], {"cpu": "1500m", "pods": "10"}),
    ],
)
def test_an_honest_answer_is_the_sum_of_its_pools(
    pools: list[dict[str, str]], resources: dict[str, str]
) -> None:
    assert believed(pools) == resources


@pytest.mark.parametrize(
    ("name", "amount", "why"),
    [
        ("cpu", "NaN", 'it says of cpu: "NaN" is not a quantity'),
        ("cpu", "inf", 'it says of cpu: "inf" is not a quantity'),
        ("cpu", "", 'it says of cpu: "" is not a quantity'),
        ("cpu", "many", 'it says of cpu: "many" is not a quantity'),
        ("cpu", "-1", "it says -1 of cpu, and nobody can have less than nothing"),
        ("memory", "-1m", "it says -1m of memory, and nobody can have less"),
        ("pods", "1.5", "it says 1.5 of pods, which has no parts"),
        ("nvidia.com/gpu", "900m", "it says 900m of nvidia.com/gpu, which has no parts"),
        ("memory", "9Ei", "it says too much of memory: nobody has that many"),
        ("cpu", "1e18", "it says too much of cpu: nobody has that many"),
        ("cpu", "1e999", "it says too much of cpu: nobody has that many"),
        ("cpu", f"{'9' * 4299}.1", "it says of cpu: "),
        ("cpu", f"{'9' * 4299}", "it says of cpu: "),
        ("cpu", "9" * 5000, "it says of cpu: "),
        ("", "1", "it names a resource '', and none is called like that"),
        ("my cpu", "1", "it names a resource 'my cpu'"),
        ("example.com/", "1", "it names a resource 'example.com/'"),
        ("x" * 1000, "1", "it names a resource 'xxx"),
    ],
)
def test_a_lie_is_no_answer_and_says_why(name: str, amount: str, why: str) -> None:
    judged = believed([{"pods": "10"}, {name: amount}])
    assert isinstance(judged, Lie)
    assert why in judged.why
    assert len(judged.why) <= 200
    assert "\n" not in judged.why


def test_a_sum_that_nobody_can_count_is_a_lie_as_well() -> None:
    half = str(LARGEST // 2 + 1)
    assert believed([{"memory": half}]) == {"memory": half}
    assert isinstance(believed([{"memory": half}, {"memory": half}]), Lie)


def test_what_nobody_can_count_is_not_even_added() -> None:
    judged = believed([{"cpu": "9" * 99}, {"cpu": "1n"}])
    assert judged == Lie("it says too much of cpu: nobody has that many")


def test_more_resources_than_a_node_can_have_are_a_lie() -> None:
    judged = believed([{f"example.com/device-{number}": "1" for number in range(101)}])
    assert judged == Lie("it names 101 resources, and more than 100 are not believed")


@given(st.lists(st.dictionaries(st.text(), st.text())))
def test_whatever_is_said_is_believed_or_a_lie_and_what_is_believed_can_be_counted(
    pools: list[dict[str, str]],
) -> None:
    judged = believed(pools)
    if not isinstance(judged, Lie):
        assert all(0 <= parse(amount).nano < LARGEST * NANO for amount in judged.values())


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        (ConnectionRefusedError(errno.ECONNREFUSED, "Connect call failed"), "Connection refused"),
        (socket.gaierror(socket.EAI_NONAME, "Name or service not known"), "Name or service not"),
        (OSError("Multiple exceptions"), "Multiple exceptions"),
    ],
)
def test_who_cannot_be_reached_is_described_in_the_words_of_the_system(
    wrong: OSError, why: str
) -> None:
    assert out_of_reach(wrong).startswith(f"it cannot be reached: {why}")


def test_a_reason_is_one_line_and_not_too_long() -> None:
    assert shortened(" a\nstory\tin parts ") == "a story in parts"
    assert shortened("x" * 200) == "x" * 200
    assert shortened("x" * 201) == "x" * 199 + "…"
