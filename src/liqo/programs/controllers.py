"""All controllers of one cluster, in one process.

This list is the table of contents of the product: one line per controller, its name is its file.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

import uvloop

from liqo.consumer import identity, signature, virtualnode
from liqo.consumer import renewal as renewal_of_ours
from liqo.consumer import resourceslice as request
from liqo.consumer.home import Home
from liqo.consumer.replication.remotes import replication
from liqo.errors import LiqoError
from liqo.kube.cache import Caches
from liqo.kube.cluster import Cluster
from liqo.kube.kubeconfig import find
from liqo.peering import foreigncluster, keys
from liqo.peering.foreigncluster import Surroundings
from liqo.programs import config
from liqo.programs.config import Config
from liqo.provider import nonce, quota, renewal, resourceslice, tenant
from liqo.provider.access import Access
from liqo.runtime import log
from liqo.runtime.clock import wall_clock
from liqo.runtime.controller import Controller
from liqo.runtime.metrics import Metrics
from liqo.runtime.pace import IMPATIENT
from liqo.runtime.program import Program, run
from liqo.runtime.remotes import Remotes


def controllers(
    here: Caches, told: Config, access: Access, remotes: Remotes
) -> list[Controller[Any]]:
    home = Home(told.cluster_id, told.namespace)
    return [
        keys.controller(here, told.namespace, tls_compatible=told.tls_compatible),
        foreigncluster.controller(here, Surroundings(remotes.alive, wall_clock)),
        signature.controller(here, home),
        identity.controller(here, home),
        renewal_of_ours.controller(here, home),
        request.controller(here, home),
        virtualnode.controller(here, home),
        nonce.controller(here),
        tenant.controller(here, access),
        resourceslice.controller(here, access, told.terms),
        quota.controller(here, told.terms),
        renewal.controller(here),
    ]


async def serve(told: Config) -> None:
    log.configure()
    target = find(told.kubeconfig)
    access = told.access(target.authority.read())
    metrics = Metrics()
    calls = metrics.counting(told.cluster_id)
    async with Cluster(target, name=told.cluster_id, limits=IMPATIENT, tell=calls) as cluster:
        here = Caches(cluster)
        remotes = replication(here, Home(told.cluster_id, told.namespace))
        ours = controllers(here, told, access, remotes)
        health = told.health_port
        program = Program(
            {"local": here}, ours, health_port=health, metrics=metrics, remotes=remotes
        )
        await run(program)


def main(arguments: Sequence[str] | None = None) -> int:
    try:
        uvloop.run(serve(config.read(sys.argv[1:] if arguments is None else arguments)))
    except LiqoError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
