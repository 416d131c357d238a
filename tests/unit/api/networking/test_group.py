"""What kinds of networking.liqo.io share."""

from liqo.api.networking import CRDS
from liqo.api.networking.group import GROUP, VERSION


def test_all_its_kinds_are_of_one_group_and_version() -> None:
    assert {crd.model.KIND.api_version for crd in CRDS} == {f"{GROUP}/{VERSION}"}
