"""unoffload namespace: what is told first, in which order it is done, and where it hangs."""

from __future__ import annotations

import json

import pytest

from liqo.cli.offload.verbs import unoffload_namespace
from liqo.errors import LiqoError
from tests.unit.cli.answers import thing, things
from tests.unit.cli.calling import called
from tests.unit.cli.liqoctl import transcript
from tests.unit.cli.offload.things import (
    NONE,
    a_claim,
    a_namespace,
    a_pod,
    an_offloading,
    selected,
)
from tests.unit.kube.scripted import Answer, a_watch, refuses

NODE = {"metadata": {"name": "milan"}}
OFFLOADED = things(an_offloading("Ready", milan=selected()))
Capture = pytest.CaptureFixture[str]


def shop(*pods: dict[str, object], claims: Answer | None = None) -> tuple[Answer, ...]:
    """Up to the question: what is offloaded, the namespace, virtual nodes, pods and claims."""
    return OFFLOADED, thing(a_namespace()), things(NODE), things(*pods), claims or things()


async def test_it_says_what_the_original_says(capsys: Capture) -> None:
    stock = transcript("unoffload")
    await called(unoffload_namespace, " ".join(stock.words[2:]), *shop(), thing({}), things())
    said = capsys.readouterr()
    assert said.out == stock.said.out
    assert said.err.splitlines() == [line for line in stock.said.err.splitlines() if line]


async def test_pods_come_home_before_anything_is_deleted(capsys: Capture) -> None:
    out, home = a_pod("web", "milan"), a_pod("web-2", "rome")
    script = (
        *shop(out, home),
        thing({}),  # no more pods go out
        thing({}),  # so the label goes
        things(a_namespace()),  # … from now on
        thing({}),  # the eviction
        things(a_pod("web-2", "rome"), a_pod("web-3", "rome")),
        thing({}),  # the end of its offloading
        things(),
    )
    requests = await called(unoffload_namespace, "shop --skip-confirm", *script)
    did = [(asked.method, asked.path.partition("?")[0].rpartition("/")[2]) for asked in requests]
    assert [each for each in did if each[0] != "GET"] == [
        ("PATCH", "offloading"),
        ("PATCH", "shop"),
        ("POST", "eviction"),
        ("DELETE", "offloading"),
    ]
    assert json.loads(requests[5].body) == {"spec": {"podOffloadingStrategy": "Local"}}
    assert json.loads(requests[8].body)["deleteOptions"]["preconditions"]["uid"] == "uid-web"
    said = capsys.readouterr().err.splitlines()
    assert said[0] == (
        'WARN: 1 pod of the namespace "shop" will be ended, and made again by their owners in '
        'this cluster: "web" (on "milan")'
    )
    assert said[1] == 'Rescheduling 1 pod of namespace "shop" onto this cluster'


async def test_what_would_be_lost_is_told_before_the_question(capsys: Capture) -> None:
    pods = (a_pod("lonely", "milan", owned=False), a_pod("over", "milan", phase="Succeeded"))
    claims = things(a_claim("books", "milan"), a_claim("here", "rome"))
    with pytest.raises(LiqoError, match="unoffload namespace is a potentially destructive command"):
        await called(unoffload_namespace, "shop", *shop(*pods, claims=claims))
    assert capsys.readouterr().err.splitlines() == [
        'WARN: 1 pod of the namespace "shop" will be lost, for nobody makes them again: '
        '"lonely" (on "milan")',
        'WARN: the data of 1 volume of the namespace "shop" will be lost: "books" (on "milan")',
    ]


async def test_what_was_offloaded_by_a_label_loses_the_label(capsys: Capture) -> None:
    marked = thing(a_namespace(label="liqo.io/enabled"))
    script = (OFFLOADED, marked, things(), things(), things(), thing({}), thing({}), things())
    requests = await called(unoffload_namespace, "shop --skip-confirm", *script)
    assert json.loads(requests[5].body) == {"metadata": {"labels": {"liqo.io/enabled": None}}}
    assert requests[6].method == "DELETE"


async def test_a_namespace_that_is_at_home_stays_there(capsys: Capture) -> None:
    await called(unoffload_namespace, "shop", things(), thing(a_namespace()))
    assert capsys.readouterr().err.splitlines() == [
        'INFO: the namespace "shop" is not offloaded',
        "INFO: No namespaces can be unoffloaded",
    ]


async def test_one_that_is_nowhere_is_an_error() -> None:
    with pytest.raises(LiqoError, match='there is no namespace "shop" in the cluster'):
        await called(unoffload_namespace, "shop", things(), NONE)


async def test_a_cluster_that_holds_on_is_named() -> None:
    going = an_offloading("Terminating", milan=selected("False", "it is being deleted"))
    script = (*shop(), thing({}), things(going), a_watch(stays=True), thing(going))
    with pytest.raises(LiqoError) as wrong:
        await called(unoffload_namespace, "shop --skip-confirm --timeout 1s", *script)
    assert str(wrong.value) == (
        'timed out waiting for the condition: the unoffloading of namespace "shop" goes on: '
        'cluster "milan": it is being deleted (waited 1 s)'
    )


async def test_a_budget_that_holds_a_pod_is_told_and_nothing_is_deleted() -> None:
    web = a_pod("web", "milan")
    not_now = refuses(429, "budget", "TooManyRequests", Retry_After="1")
    script = (*shop(web), thing({}), things(a_namespace()), not_now, things(web))
    with pytest.raises(LiqoError) as wrong:
        await called(unoffload_namespace, "shop --skip-confirm --timeout 1s", *script)
    assert 'still elsewhere: "web"; a PodDisruptionBudget may hold them' in str(wrong.value)


async def test_a_pod_that_is_gone_by_itself_is_not_waited_for() -> None:
    web = a_pod("web", "milan")
    closing = (thing({}), thing({}), things(a_namespace()))
    script = (*shop(web), *closing, NONE, things(), thing({}), things())
    requests = await called(unoffload_namespace, "shop --skip-confirm", *script)
    assert requests[-2].method == "DELETE"
