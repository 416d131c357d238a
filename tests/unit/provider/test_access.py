"""Where consumers find us."""

from liqo.api.authentication import AuthParams
from liqo.provider.access import Access, observe, watched
from tests.unit.provider.things import a_node, holding

NODE = a_node("control-plane", ("InternalIP", "10.0.0.1"))
OLD = a_node("master", ("InternalIP", "10.0.0.9"))


def test_what_an_administrator_told_counts() -> None:
    told = Access("https://milan.example", b"ca")
    assert observe(holding(NODE), told) == AuthParams(ca=b"ca", api_server="https://milan.example")


def test_else_it_is_a_node_of_the_control_plane_the_first_by_name() -> None:
    later = a_node("control-plane", ("InternalIP", "10.0.0.2"), name="two")
    found = observe(holding(later, OLD, NODE), Access())
    assert found == AuthParams(api_server="https://10.0.0.1:6443")


def test_older_labels_count_where_nobody_has_the_newer() -> None:
    worker = a_node("", ("InternalIP", "10.0.0.5"))
    assert observe(holding(OLD, worker), Access()) == AuthParams(api_server="https://10.0.0.9:6443")


def test_nobody_knows_is_an_answer() -> None:
    assert observe(holding(), Access()) is None


def test_each_place_where_the_address_may_come_from_is_followed_once() -> None:
    here = holding()
    assert len(set(watched(here))) == 4
    assert watched(here) == watched(here)
