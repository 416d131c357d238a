"""The kubelet's API, put together: what must run for it to be served."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from functools import partial
from typing import Any

from liqo.api.kubernetes import ConfigMap
from liqo.kube import authentication
from liqo.kube.cache import Caches
from liqo.kubelet.api.certificate import Certificate, asked_for, self_signed
from liqo.kubelet.api.endpoints import Endpoints
from liqo.kubelet.api.gate import Gate
from liqo.kubelet.api.server import Listening, Server
from liqo.kubelet.api.tls import Tls
from liqo.rules.serving import Serving


def api(
    here: Caches, endpoints: Endpoints, listening: Listening, *, signs_itself: bool = False
) -> tuple[Callable[[], Coroutine[Any, Any, None]], ...]:
    """To run beside the controllers, all the time."""
    site, clock = endpoints.site, endpoints.clock
    tls = Tls()
    here.of(ConfigMap, authentication.SCOPE).subscribe(tls.believe)
    wanted = Serving(site.node, frozenset({site.node_ip}))
    server = Server(listening, tls, Gate(here.cluster, site.node), endpoints)
    asked, alone = partial(asked_for, here.cluster, wanted), partial(self_signed, wanted, clock)
    certificate = Certificate(alone if signs_itself else asked, tls.show, clock)
    return certificate.run, server.run
