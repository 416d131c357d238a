"""Settings: what is right counts, what is wrong is told and changes nothing."""

from __future__ import annotations

import pytest

from liqo.api.kubernetes import ConfigMap
from liqo.api.meta import Key, Meta
from liqo.kube.cache import Caches
from liqo.kube.listing import Listing
from liqo.kube.paths import named
from liqo.provider.share.settings import controller, followed, observe, plan, problems, read
from liqo.rules.capacity import Sharing
from liqo.runtime.plan import NOTHING, Record
from tests.unit.provider.things import holding, raw

KEY = Key("liqo", "liqo-sharing")
LAST = Sharing(70, "ceil", {"rome": 30})


def a_map(version: int = 1, **written: str) -> ConfigMap:
    return ConfigMap(
        metadata=Meta(name=KEY.name, namespace=KEY.namespace, resource_version=str(version)),
        raw_data=raw(written),
    )


async def stored(here: Caches, *maps: ConfigMap, version: int = 10) -> None:
    await here.of(ConfigMap, named(KEY)).adopt(Listing(list(maps), str(version)))


@pytest.mark.parametrize(
    ("written", "sharing"),
    [
        ({}, Sharing()),
        ({"percentage": "50"}, Sharing(50)),
        ({"percentage": " 50\n", "rounding": "at-least-one\n"}, Sharing(50, "at-least-one")),
        ({"percentage": "100", "rounding": "floor"}, Sharing(100)),
        ({"percentage": "0"}, Sharing(70)),
        ({"percentage": "101"}, Sharing(70)),
        ({"percentage": "abc"}, Sharing(70)),
        ({"percentage": "1.5"}, Sharing(70)),
        ({"percentage": "-1"}, Sharing(70)),
        ({"percentage": "٣"}, Sharing(70)),
        ({"rounding": "up"}, Sharing(rounding="ceil")),
        ({"percentage.turin": "20"}, Sharing(of_peers={"turin": 20})),
        ({"percentage.rome": "abc"}, Sharing(of_peers={"rome": 30})),
        ({"percentage.turin": "abc"}, Sharing()),
        ({"colour": "red"}, Sharing()),
    ],
)
def test_what_is_right_counts_and_what_is_wrong_stays_as_it_was(
    written: dict[str, str], sharing: Sharing
) -> None:
    assert read(written, LAST) == sharing


@pytest.mark.parametrize(
    ("written", "unknown"),
    [
        ({}, set()),
        ({"percentage": "50", "rounding": "ceil", "percentage.rome": "5", "colour": "red"}, set()),
        ({"percentage": "abc", "percentage.rome": "5"}, {"percentage"}),
        ({"percentage": "abc", "percentage.rome": "0"}, {"percentage", "percentage.rome"}),
        ({"rounding": "up"}, {"rounding"}),
    ],
)
def test_what_is_wrong_from_the_start_is_not_guessed(
    written: dict[str, str], unknown: set[str]
) -> None:
    first = read(written, None)
    assert first.unknown == unknown
    assert read(written, first) == first
    assert read({}, first) == Sharing()
    right = {"percentage": "20", "rounding": "floor", "percentage.rome": "5"}
    assert read(right, first) == Sharing(20, of_peers={"rome": 5})
    assert read(written, read(right, first)).unknown == set()


@pytest.mark.parametrize(
    ("written", "told"),
    [
        ({"percentage": "90", "rounding": "ceil", "percentage.rome": "1"}, []),
        (
            {"percentage": "0"},
            [
                "percentage: 0 percent is to lend nothing: switch the class off, with "
                "authentication.shareResourceSliceClassEnabled=false; it is not used"
            ],
        ),
        (
            {"percentage.rome": "101"},
            [
                'percentage.rome: "101" is not a percentage: it must be a whole number from 1 to '
                "100; it is not used"
            ],
        ),
        (
            {"rounding": "up"},
            [
                'rounding: "up" is not a rounding: it must be one of floor, ceil, at-least-one; '
                "it is not used"
            ],
        ),
        (
            {"colour": "red"},
            [
                "colour: there is no such setting; percentage, rounding and percentage.ID are; "
                "it is not used"
            ],
        ),
    ],
)
def test_what_is_wrong_is_said(written: dict[str, str], told: list[str]) -> None:
    assert list(problems(written)) == told


async def test_a_change_counts_at_once() -> None:
    here = holding()
    sharing = followed(here, "liqo")
    assert sharing.now == Sharing()
    await stored(here, a_map(percentage="50"))
    assert sharing.now == Sharing(50)
    await stored(here, a_map(12, percentage="abc"), version=20)
    assert sharing.now == Sharing(50)
    await stored(here, version=30)
    assert sharing.now == Sharing()


async def test_what_cannot_be_read_for_a_while_counts_on() -> None:
    here = holding()
    sharing = followed(here, "liqo")
    await stored(here, a_map(percentage="30"))
    here.of(ConfigMap, named(KEY))._store.alarm()
    assert sharing.now == Sharing(30)


async def test_what_was_wrong_before_a_restart_is_not_the_default_after_it() -> None:
    here = holding()
    sharing = followed(here, "liqo")
    await stored(here, a_map(percentage="abc"))
    assert sharing.now == Sharing(unknown=frozenset({"percentage"}))
    await stored(here, a_map(12, percentage="20"), version=20)
    assert sharing.now == Sharing(20)
    await stored(here, a_map(22, percentage="abc"), version=30)
    assert sharing.now == Sharing(20)


async def test_what_is_wrong_in_a_map_that_was_not_there_before_leaves_the_default() -> None:
    """We know what counted until now: there was nothing else."""
    here = holding()
    sharing = followed(here, "liqo")
    await stored(here)
    await stored(here, a_map(12, percentage="abc", rounding="ceil"), version=20)
    assert sharing.now == Sharing(rounding="ceil")


async def test_what_is_wrong_is_told_about_the_map_itself() -> None:
    here = holding()
    [watched] = controller(here, "liqo").watches
    assert watched is here.of(ConfigMap, named(KEY))
    assert observe(here, "liqo", KEY) is None
    wrong = a_map(percentage="abc")
    await stored(here, wrong)
    state = observe(here, "liqo", KEY)
    assert state is not None
    [told] = plan(state).actions
    assert isinstance(told, Record)
    assert (told.about, told.reason, told.type) == (wrong, "InvalidSetting", "Warning")
    await stored(here, a_map(12), version=20)
    right = observe(here, "liqo", KEY)
    assert right is not None
    assert plan(right) == NOTHING
