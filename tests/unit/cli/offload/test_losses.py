"""What is told before a namespace is taken back."""

from __future__ import annotations

from liqo.api.kubernetes import Pod
from liqo.cli.offload.losses import Abroad, abroad, sentences
from tests.unit.cli.offload.things import a_pod
from tests.unit.cli.served import decoded


def test_only_what_runs_there_counts() -> None:
    pods = decoded(
        Pod,
        a_pod("out", "milan"),
        a_pod("home", "rome"),
        a_pod("waits", ""),
        a_pod("over", "milan", phase="Failed"),
    )
    assert [pod.metadata.name for pod in abroad(pods, frozenset({"milan"}))] == ["out"]


def test_nothing_there_is_nothing_to_tell() -> None:
    assert list(sentences(Abroad("shop"))) == []


def test_of_many_the_first_are_named() -> None:
    pods = decoded(Pod, *(a_pod(f"web-{number}", "milan") for number in range(7)))
    [told] = sentences(Abroad("shop", pods))
    assert told.startswith('7 pods of the namespace "shop" will be ended')
    assert told.endswith('"web-4" (on "milan") and 2 more')
