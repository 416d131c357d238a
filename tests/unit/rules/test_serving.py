"""Who serves."""

from liqo.rules.serving import Serving


def test_addresses_have_no_order() -> None:
    one, other = Serving("milan", frozenset({"a", "b"})), Serving("milan", frozenset({"b", "a"}))
    assert one == other
