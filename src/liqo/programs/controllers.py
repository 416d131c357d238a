"""All controllers of one cluster, in one process.

This list is the table of contents of the product: one line per controller, its name is its file.
"""

from __future__ import annotations

import sys
from functools import partial
from typing import Any

from liqo.consumer import identity, signature, virtualnode
from liqo.consumer import renewal as renewal_of_ours
from liqo.consumer import resourceslice as request
from liqo.consumer.home import Home
from liqo.consumer.kubelet import addedrights, availability, eviction, life, namespaces
from liqo.consumer.offloading import closing, forerunner, homebound, mapping, namespace, quick
from liqo.consumer.replication.remotes import replication
from liqo.consumer.tombstones import withdrawals
from liqo.kube.cache import Caches
from liqo.kube.cluster import Cluster
from liqo.kube.kubeconfig import find
from liqo.peering import foreigncluster, keys, servingcertificates, tenantnamespace
from liqo.peering.foreigncluster import Surroundings
from liqo.plugin import opening
from liqo.plugin.answers import Answers
from liqo.programs import config
from liqo.programs.config import Config
from liqo.programs.entry import enter
from liqo.provider import addedrights as rights_of_twins
from liqo.provider import (
    claim,
    metricsapi,
    namespacemap,
    nodefailure,
    nonce,
    orphan,
    quota,
    renewal,
    resourceslice,
    shadowendpointslice,
    shadowpod,
    stray,
    tenant,
    withdrawal,
)
from liqo.provider.access import Access
from liqo.provider.claim import Lender
from liqo.provider.grant import Lending, Shares
from liqo.provider.share import settings
from liqo.provider.share.supply import Supply
from liqo.provider.share.telling import Telling
from liqo.runtime import log
from liqo.runtime.clock import boot_clock, wall_clock
from liqo.runtime.controller import Controller
from liqo.runtime.leader import Leader
from liqo.runtime.metrics import Metrics
from liqo.runtime.pace import IMPATIENT
from liqo.runtime.program import Program, run
from liqo.runtime.remotes import Remotes
from liqo.runtime.stamps import stamped


def controllers(
    here: Caches, told: Config, access: Access, remotes: Remotes, plugin: Answers | None = None
) -> list[Controller[Any]]:
    """Those of the modules that are installed, with their stamp on what they make."""
    chosen = _of_every_cluster(here, told, remotes)
    if told.modules.authentication:
        lending = Lending(told.terms, _shares(here, told, plugin))
        chosen += _of_authentication(here, told, access, lending)
        if told.modules.offloading:
            chosen += _of_offloading(here, told, lending)
    return [stamped(each, told.stamp) for each in chosen]


def _shares(here: Caches, told: Config, plugin: Answers | None) -> Shares:
    """What a consumer gets is told by a plugin, where there is one, or by what is free here."""
    if plugin is not None:
        return Telling(here, plugin)
    return Supply(here, settings.followed(here, told.namespace), boot_clock)


def _of_every_cluster(here: Caches, told: Config, remotes: Remotes) -> list[Controller[Any]]:
    around = Surroundings(remotes.alive, wall_clock, networking=told.modules.networking)
    return [
        keys.controller(here, told.namespace, tls_compatible=told.tls_compatible),
        tenantnamespace.controller(here, told.namespace),
        foreigncluster.controller(here, around),
        metricsapi.controller(here, told.namespace),
    ]


def _of_authentication(
    here: Caches, told: Config, access: Access, lending: Lending
) -> list[Controller[Any]]:
    home = Home(told.cluster_id, told.namespace)
    return [
        signature.controller(here, home),
        identity.controller(here, home),
        renewal_of_ours.controller(here, home),
        request.controller(here, home),
        nonce.controller(here),
        tenant.controller(here, access),
        orphan.controller(here),
        resourceslice.controller(here, access, lending),
        settings.controller(here, told.namespace),
        renewal.controller(here),
        claim.controller(here, Lender(told.cluster_id, told.namespace)),
        withdrawal.controller(here, Lender(told.cluster_id, told.namespace)),
    ]


def _of_offloading(here: Caches, told: Config, lending: Lending) -> list[Controller[Any]]:
    home = Home(told.cluster_id, told.namespace)
    optional = [nodefailure.controller(here)] if told.gives_up_nodes else []
    return [
        virtualnode.controller(here, home),
        life.controller(here, home, wall_clock),
        eviction.controller(here, wall_clock),
        availability.controller(here),
        namespaces.controller(here),
        addedrights.controller(here),
        mapping.controller(here, home),
        namespace.controller(here, home, wall_clock),
        closing.controller(here, wall_clock),
        quick.controller(here, home),
        forerunner.controller(here, told.runtime_class, wall_clock),
        homebound.controller(here),
        servingcertificates.controller(here),
        quota.controller(here, lending),
        namespacemap.controller(here, told.terms),
        rights_of_twins.controller(here),
        shadowpod.controller(here, wall_clock),
        stray.controller(here),
        shadowendpointslice.controller(here),
        *optional,
    ]


async def serve(told: Config) -> None:
    log.configure()
    target = find(told.kubeconfig)
    access = told.access(target.authority.read())
    metrics = Metrics()
    calls = metrics.counting(told.cluster_id)
    async with Cluster(target, name=told.cluster_id, limits=IMPATIENT, tell=calls) as cluster:
        here = Caches(cluster)
        home = Home(told.cluster_id, told.namespace)
        remotes, left = replication(here, home, told.checking), withdrawals(here, home)
        plugin = answers(told)
        program = Program(
            {"local": here},
            controllers(here, told, access, remotes, plugin),
            leader=Leader(cluster, told.candidacy) if told.candidacy is not None else None,
            health_port=told.health_port,
            metrics=metrics,
            remotes=(remotes, left),
            beside=(plugin.run,) if plugin is not None else (),
        )
        await run(program)


def answers(told: Config) -> Answers | None:
    address = told.resource_plugin
    return Answers(opening.at(address), str(address)) if address is not None else None


main = partial(enter, config.read, serve)


if __name__ == "__main__":
    sys.exit(main())
