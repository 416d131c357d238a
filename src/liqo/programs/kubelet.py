"""One virtual kubelet: the controllers of one virtual node, with one foot in each cluster."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Coroutine
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import structlog

from liqo.api import labels
from liqo.api.kubernetes import EndpointSlice, Node, Pod, Secret, ServiceAccount
from liqo.api.meta import Key, Kind
from liqo.api.offloading import NamespaceMap, OffloadingPatch, ShadowPod, VirtualNode
from liqo.kube import discovery
from liqo.kube.cache import Caches
from liqo.kube.cluster import Cluster
from liqo.kube.errors import KubeError, Misconfigured, NotFound
from liqo.kube.kubeconfig import find, from_secret
from liqo.kube.paths import Scope
from liqo.kubelet import figures, pods
from liqo.kubelet.api import assembly
from liqo.kubelet.api.endpoints import Endpoints
from liqo.kubelet.api.figures import Figures
from liqo.kubelet.api.server import Listening
from liqo.kubelet.api.twins import twins
from liqo.kubelet.node import figures as missing_figures
from liqo.kubelet.node import lease, show, shrink
from liqo.kubelet.node.face import Face
from liqo.kubelet.node.probe import Probe
from liqo.kubelet.reflect import (
    configmaps,
    customs,
    endpointslices,
    events,
    ingresses,
    secrets,
    services,
    tokens,
    volumes,
)
from liqo.kubelet.reflect.customs import NO_CUSTOMS, Offer
from liqo.kubelet.reflect.policy import live
from liqo.kubelet.reflect.supplies import supplies
from liqo.kubelet.site import ApiServer, Site
from liqo.programs import kubeletconfig
from liqo.programs.asking import until_answered
from liqo.programs.entry import enter
from liqo.programs.kubeletconfig import Config
from liqo.rules import apiserver, names
from liqo.runtime import log
from liqo.runtime.clock import wall_clock
from liqo.runtime.controller import Controller
from liqo.runtime.leader import Leader
from liqo.runtime.metrics import Metrics
from liqo.runtime.pace import IMPATIENT
from liqo.runtime.program import Program, run
from liqo.runtime.turns import taking_turns

FACTS = 5.0  # seconds in which a provider may say what it is made of
CONTROL_PLANE = Scope(labels="node-role.kubernetes.io/control-plane")
ENDPOINTS = Scope("default", labels=f"{labels.SERVICE_NAME}=kubernetes")

# A pod that its list does not name is taken for gone, and its twin deleted for that, as are those
# of a virtual node; one whose namespace the map does not name, for lost. No list of them may be
# old, not even the first, whichever of several API servers answers.
DECISIVE = (Pod.KIND, ShadowPod.KIND, VirtualNode.KIND, NamespaceMap.KIND)

logger = structlog.get_logger()


@dataclass(frozen=True)
class Known:
    """What is found out once, at the start."""

    site: Site
    face: Face


def controllers(
    here: Caches, there: Caches, told: Config, known: Known, probe: Probe
) -> list[Controller[Any]]:
    """Of its Node and of its pods. Without a Node a kubelet has no pods either."""
    if not told.creates_node:
        return []
    site = known.site
    place = show.Place(told.namespace, known.face, told.checks_network)
    policies = live(here, site, told.policies)
    needed = replace(supplies(here, there, site, policies), answers=probe.answers)
    own: list[Controller[Any]] = [
        show.controller(here, place, probe, wall_clock),
        lease.controller(here, told.node, told.lease, wall_clock),
    ]
    if is_reflected(told, Pod.KIND):
        own.append(pods.controller(here, there, site, wall_clock, needed))
        own.append(shrink.controller(here, there, site))
        own.append(tokens.controller(here, there, site, wall_clock))
        own.append(volumes.controller(here, site))
        own.append(events.controller(here, there, site, wall_clock, policies))
    return own


def reflecting(
    here: Caches, there: Caches, told: Config, site: Site, offer: Offer = NO_CUSTOMS
) -> list[Controller[Any]]:
    """What one of all kubelets of a provider does for all of them.

    A kind that is off is a policy like others: what went before is taken back.
    """
    policies = live(here, site, told.policies)
    return [
        configmaps.controller(here, there, site, policies),
        secrets.controller(here, there, site, policies),
        services.controller(here, there, site, policies),
        endpointslices.controller(here, there, site, policies),
        ingresses.controller(here, there, site, policies),
        *customs.controllers(here, there, site, policies, offer),
        events.others(here, there, site, wall_clock, policies),
    ]


def is_reflected(told: Config, kind: Kind) -> bool:
    return kind.name.lower() in told.reflected


async def serve(told: Config) -> None:
    log.configure()
    if told.unknown:
        logger.warning("flags without meaning here", flags=" ".join(told.unknown))
    metrics = Metrics()
    async with AsyncExitStack() as open_:
        home = await open_.enter_async_context(
            Cluster(find(told.kubeconfig), name=told.home, tell=metrics.counting(told.home))
        )
        credential = partial(home.get, Secret, Key(told.namespace, told.credential))
        access = from_secret(await until_answered(credential))
        provider = await open_.enter_async_context(
            Cluster(
                access, name=told.provider, limits=IMPATIENT, tell=metrics.counting(told.provider)
            )
        )
        here, there = Caches(home), Caches(provider)
        here.newest = there.newest = DECISIVE
        known = await until_answered(partial(find_out, told, home, provider))
        probe = Probe(provider, told.provider, told.patience)
        metrics.show_text(partial(figures.reflections, metrics, known.site))
        metrics.show_text(lambda: figures.reachability(probe.health))
        _follow_credential(here, provider, told)
        measured = Figures(provider, known.site)
        own = controllers(here, there, told, known, probe)
        if told.creates_node:
            own.append(missing_figures.controller(here, known.site, measured.missing))
        offer = await _custom_kinds(told, home, provider)
        shared = reflecting(here, there, told, known.site, offer)
        election = told.reflecting
        await run(
            Program(
                {"local": here, "remote": there},
                own if election is not None else [*own, *shared],
                leader=Leader(home, told.candidacy),
                health_host=told.metrics[0] if told.metrics else "",
                health_port=told.metrics[1] if told.metrics else None,
                metrics=metrics,
                on_recovery=probe.on_recovery,
                beside=(probe.run, *kubelet_api(here, provider, told, measured)),
                turns=taking_turns(home, election, shared) if election is not None else None,
            )
        )


async def _custom_kinds(told: Config, home: Cluster, provider: Cluster) -> Offer:
    """Only what both serve can be followed; whoever does not answer serves nothing."""
    served, missing = [], []
    for kind in told.customs:
        lacking = [each.name for each in (home, provider) if not await _serves(each, kind)]
        if lacking:
            missing.append((kind, lacking[0]))
        else:
            served.append(kind)
    return Offer(tuple(served), tuple(missing))


async def _serves(cluster: Cluster, kind: Kind) -> bool:
    try:
        async with asyncio.timeout(FACTS):
            return await discovery.serves(cluster, kind)
    except (KubeError, TimeoutError):
        return False


async def find_out(told: Config, home: Cluster, provider: Cluster) -> Known:
    """Of home. What a provider does not say is taken from what it said before."""
    virtual = await home.get(VirtualNode, Key(told.namespace, told.node))
    operating_system, architecture = await _platform(provider) or await _shown(home, told.node)
    face = Face(
        name=told.node,
        provider=told.provider,
        address=told.node_ip,
        port=told.port,
        version=await discovery.version(home),
        architecture=architecture,
        operating_system=operating_system,
        extra_labels=told.labels,
        extra_annotations=told.annotations,
    )
    site = Site(
        home=told.home,
        provider=told.provider,
        node=told.node,
        tenant_namespace=told.namespace,
        user=user_of(virtual, told.home),
        node_ip=told.node_ip,
        patch=virtual.spec.offloading_patch or OffloadingPatch(),
        api_server=await _api_server(told, home) if _supports_api_server(told) else None,
        shows_ips=told.shows_ips,
        refuses_too_large=told.refuses_too_large,
        ingress_class=told.ingress_class,
        load_balancer_class=told.load_balancer_class,
    )
    return Known(site, face)


def user_of(virtual: VirtualNode, consumer: str) -> str:
    """Of the slice that the node is made of. One made by hand may have any credential."""
    granted = virtual.metadata.labels.get(labels.RESOURCE_SLICE_NAME)
    return names.user_of(granted, consumer) if granted else ""


async def _platform(provider: Cluster) -> tuple[str, str] | None:
    """Of its API server; its nodes may say more, by the labels of the VirtualNode."""
    try:
        async with asyncio.timeout(FACTS):
            return await discovery.platform(provider)
    except (KubeError, TimeoutError):
        return None


async def _shown(home: Cluster, node: str) -> tuple[str, str]:
    """What our Node says, while its provider says nothing."""
    try:
        shown = (await home.get(Node, Key("", node))).status.get("nodeInfo", {})
    except NotFound:
        shown = {}
    usual = ("operatingSystem", "linux"), ("architecture", "amd64")
    system, architecture = (shown.get(field) or default for field, default in usual)
    return system, architecture


def _supports_api_server(told: Config) -> bool:
    """Without tokens nobody at home would believe a pod."""
    return told.supports_api_server and is_reflected(told, ServiceAccount.KIND)


async def _api_server(told: Config, home: Cluster) -> ApiServer | None:
    """How pods on the provider reach the consumer's: by its address, for there is no network."""
    host, port = told.api_server
    if host and port:
        return ApiServer(host, int(port))
    nodes = (await home.list(Node, scope=CONTROL_PLANE)).items
    endpoints = (await home.list(EndpointSlice, scope=ENDPOINTS)).items
    found = apiserver.endpoint_of(apiserver.url_of("", nodes, endpoints))
    return ApiServer(*found) if found is not None else None


def kubelet_api(
    here: Caches, provider: Cluster, told: Config, measured: Figures
) -> tuple[Callable[[], Coroutine[Any, Any, None]], ...]:
    """What `kubectl logs` and `exec` ask; without a Node nobody does."""
    site = measured.site
    if not told.creates_node or not site.node_ip:
        return ()
    endpoints = Endpoints(site, provider, twins(here, site), wall_clock, measured)
    listening = Listening(told.port, told.idle)
    return assembly.api(here, endpoints, listening, signs_itself=told.signs_itself)


def _follow_credential(here: Caches, provider: Cluster, told: Config) -> None:
    """New credentials are used as soon as they are there; what is followed is followed on."""

    def changed(_: Secret | None, new: Secret | None) -> None:
        if new is None:
            return
        try:
            provider.swap(from_secret(new))
        except Misconfigured as wrong:
            logger.warning("credential not used", why=str(wrong))

    chosen = f"metadata.name={told.credential}"
    here.of(Secret, Scope(told.namespace, fields=chosen)).subscribe(changed)


main = partial(enter, kubeletconfig.read, serve)


if __name__ == "__main__":
    sys.exit(main())
