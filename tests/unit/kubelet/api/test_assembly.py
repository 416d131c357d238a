"""What runs for the kubelet's API."""

from __future__ import annotations

from datetime import UTC, datetime

from liqo.api.kubernetes import ConfigMap
from liqo.kube.access import Access
from liqo.kube.authentication import SCOPE
from liqo.kube.cache import Caches
from liqo.kube.cluster import Cluster
from liqo.kubelet.api.assembly import api
from liqo.kubelet.api.endpoints import Endpoints
from liqo.kubelet.api.figures import Figures
from liqo.kubelet.api.server import Listening
from liqo.kubelet.api.twins import twins
from tests.unit.kubelet.api.things import SITE


def test_a_certificate_and_a_server_run_and_the_authority_is_followed() -> None:
    home, provider = (Cluster(Access(f"http://{it}.invalid")) for it in ("rome", "milan"))
    here = Caches(home)
    figures = Figures(provider, SITE)
    endpoints = Endpoints(SITE, provider, twins(here, SITE), lambda: datetime.now(UTC), figures)
    running = api(here, endpoints, Listening(10250))
    assert len(running) == len(api(here, endpoints, Listening(10250), signs_itself=True)) == 2
    assert here.of(ConfigMap, SCOPE) in list(here)
