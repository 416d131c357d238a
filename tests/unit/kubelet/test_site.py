"""Where a kubelet works."""

from liqo.api.offloading import OffloadingPatch
from liqo.kubelet.site import Site


def test_an_ordinary_site_changes_nothing_and_shows_addresses() -> None:
    site = Site("rome", "milan", "milan", "liqo-tenant-milan")
    assert site.patch == OffloadingPatch()
    assert site.api_server is None
    assert site.shows_ips
