"""What may be asked, by its path."""

import pytest

from liqo.api.metrics import ROOT
from liqo.metrics.paths import DOCUMENTS, Scrape, scrape


@pytest.mark.parametrize(
    ("path", "asks"),
    [
        (f"{ROOT}/scrape/rome/metrics", Scrape("rome", "metrics")),
        (f"{ROOT}/scrape/rome/metrics/resource", Scrape("rome", "metrics/resource")),
        (f"{ROOT}/scrape/rome/metrics/cadvisor/", Scrape("rome", "metrics/cadvisor")),
        (f"{ROOT}/scrape/rome/configz", None),
        (f"{ROOT}/scrape/rome/metrics/../pods", None),
        (f"{ROOT}/scrape//metrics", None),
        (f"{ROOT}/scrape/rome", None),
        ("/apis/other/v1/scrape/rome/metrics", None),
    ],
)
def test_only_figures_of_a_kubelet_can_be_asked_for(path: str, asks: Scrape | None) -> None:
    assert scrape(path) == asks


def test_the_api_describes_itself() -> None:
    assert DOCUMENTS[ROOT]["resources"][0]["name"] == "scrape/metrics"
    assert DOCUMENTS["/apis"]["groups"] == [DOCUMENTS["/apis/metrics.liqo.io"]]
