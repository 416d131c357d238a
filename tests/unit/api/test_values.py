"""Values that several kinds are made of."""

import re

import msgspec
import pytest

from liqo.api.values import QUANTITY_PATTERN, LocalReference, ResourceQuota


@pytest.mark.parametrize("quantity", ["1", "-1.5Gi", "+.5", "2e3", "2E-3", "500m", "3.", "4Ki"])
def test_the_wire_takes_every_form_of_a_quantity(quantity: str) -> None:
    assert re.match(QUANTITY_PATTERN, quantity)


@pytest.mark.parametrize("quantity", ["", "1 Gi", "1GiB", "Gi", "1ki", "1e", "٣"])
def test_the_wire_takes_nothing_else(quantity: str) -> None:
    assert not re.match(QUANTITY_PATTERN, quantity)


def test_a_quantity_that_was_written_as_a_number_stays_one() -> None:
    quota = msgspec.convert({"hard": {"cpu": 4, "memory": "8Gi"}}, ResourceQuota)
    assert quota.hard == {"cpu": 4, "memory": "8Gi"}


def test_a_reference_to_nothing_says_nothing() -> None:
    assert msgspec.to_builtins(LocalReference()) == {}
