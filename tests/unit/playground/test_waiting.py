"""Wait until it holds, or say why it did not."""

import pytest

from liqo.playground.errors import PlaygroundError
from liqo.playground.waiting import until

FOREVER = 60.0


async def test_what_holds_already_is_not_waited_for() -> None:
    await until(lambda: True, 0.0, lambda: "never said")


async def test_it_is_looked_at_again_until_it_holds() -> None:
    answers = iter([False, False, True])
    await until(lambda: next(answers), FOREVER, lambda: "never said", every=0.0)
    assert list(answers) == []


async def test_the_answer_may_have_to_be_awaited() -> None:
    answers = iter([False, True])

    async def holds() -> bool:
        return next(answers)

    await until(holds, FOREVER, lambda: "never said", every=0.0)
    assert list(answers) == []


async def test_after_the_time_the_sentence_is_what_is_known_by_then() -> None:
    looks = 0

    def holds() -> bool:
        nonlocal looks
        looks += 1
        return False

    with pytest.raises(PlaygroundError, match=r"looked [1-9]\d* times"):
        await until(holds, 0.001, lambda: f"looked {looks} times", every=0.0)


async def test_what_goes_wrong_while_looking_is_not_hidden() -> None:
    def holds() -> bool:
        raise PlaygroundError("etcd ended")

    with pytest.raises(PlaygroundError, match="etcd ended"):
        await until(holds, FOREVER, lambda: "never said")
