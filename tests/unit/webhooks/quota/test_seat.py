"""Where the one that decides is found."""

import pytest

from liqo.webhooks.quota.seat import Seat, address, address_in


@pytest.mark.parametrize(
    ("host", "written"), [("10.0.0.7", "10.0.0.7:9443"), ("fd00::7", "[fd00::7]:9443")]
)
def test_its_name_says_where_it_is(host: str, written: str) -> None:
    seat = Seat("liqo-webhook-abc", "0a1b2c3d", address(host, 9443))
    assert str(seat) == f"liqo-webhook-abc_0a1b2c3d_{written}"
    assert address_in(str(seat)) == written


@pytest.mark.parametrize("holder", ["", "somebody", "some_body"])
def test_a_name_of_another_kind_tells_no_address(holder: str) -> None:
    assert address_in(holder) == ""
