"""Registered APIs keep what we do not know of them."""

import msgspec

from liqo.api.aggregation import APIService


def test_what_an_api_is_registered_with_is_kept_as_it_came() -> None:
    read = msgspec.json.decode(b'{"spec":{"group":"metrics.liqo.io","odd":1}}', type=APIService)
    assert read.spec == {"group": "metrics.liqo.io", "odd": 1}
    assert APIService().spec == {}
