"""Between which clusters a link is; what is done to it is shown on real ones."""

import pytest

from liqo.playground.errors import PlaygroundError
from liqo.playground.layout import Options
from liqo.playground.links import directions, pair
from tests.unit.playground.layouts import a_layout

LAYOUT = a_layout(venice=Options(workers=1), florence=Options(), naples=Options())


def test_a_link_has_no_direction() -> None:
    assert pair(LAYOUT, "venice", "florence") == pair(LAYOUT, "florence", "venice")


def test_a_link_is_between_two_clusters_that_are_there() -> None:
    with pytest.raises(PlaygroundError, match='"venice" is named twice'):
        pair(LAYOUT, "venice", "venice")
    with pytest.raises(PlaygroundError, match='there is no cluster "rome"'):
        pair(LAYOUT, "venice", "rome")


def test_a_slow_link_is_slow_from_every_node_of_both_ends() -> None:
    found = [(member.name, far) for member, far in directions(LAYOUT, "venice", "florence")]
    assert found == [
        ("venice", "florence"),
        ("venice-worker-1", "florence"),
        ("florence", "venice"),
    ]
