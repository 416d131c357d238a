"""A program that starts while its API server is away waits for it."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from structlog.testing import capture_logs

from liqo.api.kubernetes import Secret
from liqo.api.meta import Key
from liqo.kube.cluster import Cluster
from liqo.kube.errors import (
    Forbidden,
    KubeError,
    Misconfigured,
    NotFound,
    ServerFault,
    Throttled,
    Unauthorized,
    Unreachable,
)
from liqo.programs.asking import REFUSAL, until_answered
from liqo.runtime.pace import IMPATIENT
from tests.unit.kube.scripted import CUT, Hands, refuses, says, scripted

CREDENTIAL = Key("liqo-tenant-milan", "credential")


class Answers:
    """In order; errors are raised. Time passes with every one of them."""

    def __init__(self, *given: object, each: float = 0.0) -> None:
        self.clock = Hands()
        self.asked = 0
        self._given = list(given)
        self._each = each

    async def __call__(self) -> object:
        self.clock.now += self._each
        self.asked += 1
        given = self._given.pop(0)
        if isinstance(given, Exception):
            raise given
        return given


async def test_who_does_not_answer_is_asked_again_and_that_is_said_once() -> None:
    away = [Unreachable("rome: gone")] * 2
    later = Throttled("rome: later", retry_after=0)
    answers = Answers(*away, ServerFault("rome: starting"), later, "all")
    with capture_logs() as logged:
        assert await until_answered(answers) == "all"
    assert {entry["event"] for entry in logged} == {"cannot begin yet"}
    assert [entry["why"] for entry in logged] == ["rome: gone", "rome: starting", "rome: later"]


@pytest.mark.parametrize("refused", [Unauthorized, Forbidden])
async def test_an_api_server_that_has_just_started_may_refuse_for_a_while(
    refused: Callable[[str], KubeError],
) -> None:
    answers = Answers(Unreachable("gone"), refused("who?"), refused("who?"), "all", each=1.0)
    assert await until_answered(answers, answers.clock) == "all"


async def test_one_that_goes_on_refusing_means_it() -> None:
    no = [Forbidden("you may not")] * 10
    answers = Answers(*no, each=REFUSAL / 2)
    with pytest.raises(Forbidden):
        await until_answered(answers, answers.clock)
    assert answers.asked == 3


async def test_refusals_count_from_when_it_was_there_again() -> None:
    no, gone = Forbidden("you may not"), Unreachable("gone")
    answers = Answers(no, gone, no, "all", each=REFUSAL / 2)
    assert await until_answered(answers, answers.clock) == "all"


@pytest.mark.parametrize("wrong", [NotFound("no such thing"), Misconfigured("no kubeconfig")])
async def test_what_will_not_change_is_told_at_once(wrong: KubeError) -> None:
    answers = Answers(wrong)
    with pytest.raises(type(wrong)):
        await until_answered(answers)
    assert answers.asked == 1


async def test_a_kubelet_outlasts_an_api_server_that_is_away() -> None:
    found = {"metadata": {"name": "credential", "namespace": "liqo-tenant-milan"}}
    tried = 3  # by who reads, each time
    away = (*((CUT,) * tried), *((refuses(503),) * tried), refuses(403))
    async with (
        scripted(*away, says(found)) as server,
        Cluster(server.access, name="rome", limits=IMPATIENT) as home,
    ):
        secret = await until_answered(lambda: home.get(Secret, CREDENTIAL))
    assert secret.key == CREDENTIAL
