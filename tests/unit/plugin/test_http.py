"""A plugin over HTTP: heard when it speaks, and in all other cases a sentence about why not."""

from __future__ import annotations

import asyncio

import pytest

from liqo.kube.tls import server
from liqo.plugin.address import HttpAddress
from liqo.plugin.errors import Silent
from liqo.plugin.http import HttpPlugin
from tests.unit.kube.certificates import Authority
from tests.unit.kube.scripted import CUT, Answer, Scripted, says, scripted


def plugin(peer: Scripted) -> HttpPlugin:
    return HttpPlugin(HttpAddress(f"{peer.access.server}/v1"))


async def test_it_is_asked_about_one_consumer_and_says_what_that_one_gets() -> None:
    told = {"resources": {"cpu": "2", "nvidia.com/gpu": 1, "memory": 1.5e9}, "since": "today"}
    async with scripted(says(told)) as peer:
        heard = await plugin(peer).read("rome")
    assert heard == ({"cpu": "2", "nvidia.com/gpu": "1", "memory": "1500000000.0"},)
    assert [(asked.method, asked.path) for asked in peer.asked] == [("GET", "/v1/resources/rome")]


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        (says({}, code=503), "^it answers 503 x$"),
        (Answer(code=302, headers={"Location": "/elsewhere"}), "^it answers 302 x$"),
        (says({}), "^its answer makes no sense: Object missing required field `resources`"),
        (says({"resources": ["cpu"]}), "^its answer makes no sense: Expected `object`"),
        (says({"resources": {"cpu": None}}), "^its answer makes no sense: Expected"),
        (Answer(b'{"resources": {"cpu": NaN}}'), "^its answer makes no sense: JSON is malformed"),
        (Answer(b"\xff\xfe"), "^its answer makes no sense: "),
        (Answer(b"x" * 70_000), "^its answer is longer than 64 KiB$"),
        (Answer(b'{"resources": {', cut=True), "^it hangs up: "),
        (CUT, "^it hangs up: Server disconnected$"),
    ],
)
async def test_an_answer_that_is_none_is_a_reason(answer: Answer, why: str) -> None:
    async with scripted(answer, answer) as peer:  # one that is cut off is asked once more
        with pytest.raises(Silent, match=why):
            await plugin(peer).read("rome")


async def test_nobody_listens_there() -> None:
    async with scripted() as peer:
        pass
    with pytest.raises(Silent, match=r"^it cannot be reached: Connection refused$"):
        await plugin(peer).read("rome")


async def test_whose_certificate_nobody_trusts_is_not_asked() -> None:
    pair = Authority().pair("plugin")
    tls = server(f"{pair.certificate}{pair.key}".encode())
    async with scripted(tls=tls) as peer:
        with pytest.raises(Silent, match="it cannot be trusted: "):
            await plugin(peer).read("rome")


async def test_it_tells_nothing_by_itself_and_is_not_told_who_goes() -> None:
    async with scripted() as peer:
        await plugin(peer).remove("rome")
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.01):
                await anext(plugin(peer).notices())
    assert peer.asked == []
