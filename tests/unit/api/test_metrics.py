"""The names of the API by which consumers ask, as they are on the wire."""

from liqo.api.metrics import REGISTRATION, SCRAPE


def test_it_is_called_as_on_the_wire() -> None:
    assert REGISTRATION == "v1beta1.metrics.liqo.io"
    assert SCRAPE == "/apis/metrics.liqo.io/v1beta1/scrape/"
