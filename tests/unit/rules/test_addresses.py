"""Without a network module every address is what it was."""

import pytest

from liqo.rules.addresses import of_consumer, of_endpoint, of_remote_pod


@pytest.mark.parametrize("address", ["10.61.0.7", "fd00:10:244::a", "db.example.org"])
def test_nothing_is_translated(address: str) -> None:
    assert of_remote_pod(address) == of_endpoint(address) == of_consumer(address) == address
