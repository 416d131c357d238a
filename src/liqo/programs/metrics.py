"""The metric agent of one cluster: tells consumers what their pods here use.

It may run in several replicas, and all of them serve. The API server takes whatever certificate
it shows, as the APIService says; it itself believes nobody but the API server.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from functools import partial

from liqo.api.kubernetes import ConfigMap
from liqo.kube import authentication
from liqo.kube.cache import Caches
from liqo.kube.cluster import Cluster
from liqo.kube.kubeconfig import find
from liqo.metrics.figures import Kubelets
from liqo.metrics.server import Server
from liqo.programs.entry import LINGER, enter
from liqo.programs.flags import Flag, of_a_cluster
from liqo.rules import certificates, names
from liqo.rules.certificates import Lifetime, Pair
from liqo.runtime import log
from liqo.runtime.clock import Clock, wall_clock
from liqo.runtime.metrics import Metrics
from liqo.runtime.program import Program, run

TEN_YEARS = timedelta(days=3650)  # it is made anew with every process, and nobody looks at it


@dataclass(frozen=True)
class Config:
    cluster_id: str
    service: str
    kubeconfig: str  # empty: the cluster we run in
    port: int
    health_port: int | None  # None: nobody asks


def read(arguments: Sequence[str]) -> Config:
    told = of_a_cluster("metric-agent", __doc__, FLAGS).parse_args(arguments)
    health = told.health_port or None
    return Config(told.cluster_id, told.service_name, told.kubeconfig, told.port, health)


async def serve(told: Config) -> None:
    name, target, metrics = told.cluster_id, find(told.kubeconfig), Metrics()
    log.configure()
    async with Cluster(target, name=name, tell=metrics.counting(name)) as cluster:
        here = Caches(cluster)
        server = Server(Kubelets(cluster), shown(told.service, wall_clock), told.port)
        here.of(ConfigMap, authentication.SCOPE).subscribe(server.take)
        program = Program(
            {"local": here},
            [],
            health_port=told.health_port,
            metrics=metrics,
            missing=server.missing,
        )
        async with server.serving():
            await run(program)
            await asyncio.sleep(LINGER)


def shown(service: str, clock: Clock) -> Pair:
    lifetime = Lifetime(clock(), TEN_YEARS)
    return certificates.server(
        certificates.authority(service, lifetime), service, [service], lifetime
    )


FLAGS: tuple[Flag, ...] = (
    ("--service-name", str, names.METRIC_AGENT),
    ("--kubeconfig", str, ""),
    ("--port", int, 8443),
    ("--health-port", int, 0),
)

main = partial(enter, read, serve)


if __name__ == "__main__":
    sys.exit(main())
