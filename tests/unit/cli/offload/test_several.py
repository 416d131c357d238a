"""Several namespaces, of which some fail."""

from __future__ import annotations

import pytest

from liqo.cli.offload.several import Failures
from liqo.errors import LiqoError


async def fails(why: str) -> None:
    raise LiqoError(why)


async def works() -> None: ...


async def test_one_failure_is_told_in_its_own_words() -> None:
    failures = Failures("offloading", 2)
    assert not await failures.kept("a", fails("no"))
    assert await failures.kept("b", works())
    with pytest.raises(LiqoError, match=r"^no$"):
        failures.told()


async def test_several_are_told_together() -> None:
    failures = Failures("offloading", 2)
    await failures.kept("a", fails("no"))
    await failures.kept("b", fails("never"))
    with pytest.raises(LiqoError) as wrong:
        failures.told()
    details = "encountered 2 errors during offloading, error details: [no, never]"
    assert str(wrong.value) == details


def test_of_several_it_is_told_which_one_is_done() -> None:
    assert Failures("offloading", 1).completed("a") == "Offloading completed successfully"
    several = 'Unoffloading of namespace "a" completed successfully'
    assert Failures("unoffloading", 2).completed("a") == several
