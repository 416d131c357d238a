"""What was just asked is not asked again."""

from __future__ import annotations

from liqo.kubelet.api.recent import BRIEFLY, MOST, Recent


class Oracle:
    def __init__(self) -> None:
        self.asked = 0
        self.now = 0.0

    async def answer(self) -> int:
        self.asked += 1
        return self.asked


async def test_an_answer_holds_for_a_moment() -> None:
    oracle = Oracle()
    recent: Recent[str, int] = Recent(lambda: oracle.now)
    assert await recent.of("a", oracle.answer) == await recent.of("a", oracle.answer) == 1
    assert await recent.of("b", oracle.answer) == 2
    oracle.now = BRIEFLY
    assert await recent.of("a", oracle.answer) == 3


async def test_who_asks_for_too_much_is_not_remembered_until_the_rest_is_forgotten() -> None:
    oracle = Oracle()
    recent: Recent[int, int] = Recent(lambda: oracle.now)
    for number in range(MOST):
        await recent.of(number, oracle.answer)
    assert await recent.of(-1, oracle.answer) != await recent.of(-1, oracle.answer)
    oracle.now = BRIEFLY
    assert await recent.of(-1, oracle.answer) == await recent.of(-1, oracle.answer)
