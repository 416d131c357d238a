"""The webhook of one cluster: answers the API server, and looks after its own certificate.

It may run in several replicas, and all of them serve; one of them decides on quotas.
"""

from __future__ import annotations

import asyncio
import os
import socket
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from uuid import uuid4

from liqo.api.kubernetes import Namespace
from liqo.api.meta import Key
from liqo.api.offloading import NamespaceOffloading
from liqo.kube.cache import Caches
from liqo.kube.cluster import Cluster
from liqo.kube.kubeconfig import find
from liqo.kube.reading import metadata
from liqo.programs.entry import LINGER, enter
from liqo.programs.flags import Flag, of_a_cluster, switch
from liqo.rules import names
from liqo.rules.kubelets import Surroundings
from liqo.runtime import log
from liqo.runtime.clock import wall_clock
from liqo.runtime.leader import Candidacy, Leader
from liqo.runtime.metrics import Metrics
from liqo.runtime.program import Program, run
from liqo.runtime.tenants import OF_PEERS
from liqo.runtime.turns import Silence
from liqo.webhooks import certificate
from liqo.webhooks.certificate import Place
from liqo.webhooks.opening import Opener
from liqo.webhooks.quota.admitter import Admitter
from liqo.webhooks.quota.colleague import PATH, Colleague
from liqo.webhooks.quota.seat import Seat, address
from liqo.webhooks.reviews.table import Acts, Copies, reviews
from liqo.webhooks.server import Live, Server


@dataclass(frozen=True)
class Config:
    here: Surroundings
    place: Place
    kubeconfig: str  # empty: the cluster we run in
    port: int
    health_port: int | None  # None: nobody asks
    pod: str  # as which it stands for a lease …
    host: str  # … and where the others reach it
    runtime_class: str = "liqo"  # whose pods go out by themselves; empty: there is none
    enforcement: bool = True  # of quotas

    @property
    def seat(self) -> Seat:
        return Seat(self.pod, uuid4().hex[:8], address(self.host, self.port))


def read(arguments: Sequence[str], environment: Mapping[str, str] = os.environ) -> Config:
    told = of_a_cluster("webhook", __doc__, FLAGS).parse_args(arguments)
    here = Surroundings(told.cluster_id, told.liqo_namespace)
    lifetime = timedelta(seconds=told.certificate_lifetime)
    place = Place(here.namespace, told.service_name, lifetime)
    return Config(
        here=here,
        place=place,
        kubeconfig=told.kubeconfig,
        port=told.port,
        health_port=told.health_port or None,
        pod=environment.get("POD_NAME") or socket.gethostname(),
        host=environment.get("POD_IP") or "127.0.0.1",
        runtime_class=told.runtime_class_name,
        enforcement=told.enable_resource_enforcement,
    )


async def serve(told: Config) -> None:
    name, target, metrics = told.here.cluster_id, find(told.kubeconfig), Metrics()
    log.configure()
    async with Cluster(target, name=name, tell=metrics.counting(name)) as cluster:
        leader = standing(cluster, told)
        async with Colleague(leader.who, told.place.names[-1]) as colleague:
            here = Caches(cluster)
            certificate.secrets(here, told.place.namespace).subscribe(colleague.trust)
            await answer(told, here, Admitter(cluster, leader, colleague), metrics)


def standing(cluster: Cluster, told: Config) -> Leader:
    """For the lease of who decides on quotas; without it all else goes on."""
    lease = Key(told.here.namespace, names.ADMISSION_LEASE)
    return Leader(cluster, Candidacy(lease, str(told.seat)), alarm=Silence())


async def answer(told: Config, here: Caches, admitter: Admitter, metrics: Metrics) -> None:
    admits = told.enforcement
    namespaces = here.of(metadata(Namespace), OF_PEERS)
    known = Copies(namespaces.get, here.of(NamespaceOffloading).get)
    acts = Acts(Opener(here.cluster), admitter.admit if admits else None)
    answers = reviews(told.here, known, acts, told.runtime_class)
    replies = {PATH: admitter.reply} if admits else {}
    server = Server(answers, Live(here.cluster), told.port, replies)
    certificate.secrets(here, told.place.namespace).subscribe(server.chain.take)
    program = Program(
        {"local": here},
        [certificate.controller(here, told.place, wall_clock)],
        health_port=told.health_port,
        metrics=metrics,
        missing=server.missing,
        beside=(admitter.run,) if admits else (),
    )
    async with server.serving():
        await run(program)
        server.leave()
        await asyncio.sleep(LINGER)


main = partial(enter, read, serve)


FLAGS: tuple[Flag, ...] = (
    ("--liqo-namespace", str, "liqo"),
    ("--service-name", str, names.WEBHOOK),
    ("--kubeconfig", str, ""),
    ("--port", int, 9443),
    ("--health-port", int, 0),
    ("--runtime-class-name", str, "liqo"),
    ("--enable-resource-enforcement", switch, True),
    ("--certificate-lifetime", float, certificate.NINETY_DAYS.total_seconds()),  # seconds
)

if __name__ == "__main__":
    sys.exit(main())
