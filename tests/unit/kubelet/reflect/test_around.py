"""What is looked at beside an object."""

from liqo.kubelet.reflect.around import ALONE, alone
from tests.unit.kubelet.reflect.things import a_config_map


def test_most_objects_say_all_that_counts() -> None:
    assert alone(a_config_map()) == ALONE
    assert (ALONE.service, ALONE.nodes, ALONE.is_mentioned) == (None, frozenset(), False)
