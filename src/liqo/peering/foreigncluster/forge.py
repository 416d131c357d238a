"""The status of a ForeignCluster, always whole, from what there is of the peer."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime

from msgspec.structs import replace

from liqo.api.core import (
    ForeignClusterCondition,
    ForeignClusterStatus,
    Module,
    Modules,
    Role,
    TenantNamespaces,
)
from liqo.api.kubernetes import Secret
from liqo.kube.errors import Misconfigured
from liqo.kube.kubeconfig import from_secret
from liqo.peering.foreigncluster import modules, sentences
from liqo.peering.foreigncluster.peer import Peer
from liqo.rules import conditions
from liqo.rules.summary import summary
from liqo.runtime.clock import timestamp

OFF = Module(enabled=False)
ROLES: dict[tuple[bool, bool], Role] = {  # is it a consumer, is it a provider
    (True, True): "ConsumerAndProvider",
    (True, False): "Consumer",
    (False, True): "Provider",
    (False, False): "Unknown",
}


def forge(
    peer: Peer, alive: bool | None, old: ForeignClusterStatus, now: datetime
) -> ForeignClusterStatus:
    """`alive` tells whether its API server answered; None, that nobody knows yet."""
    identity = peer.identity
    url, proxy = addresses(peer)
    said = _modules(peer, old.modules, now)
    generic = _api_server(alive, old.conditions) if url or proxy else ()
    tenant_namespace = peer.tenant.status.tenant_namespace if peer.tenant is not None else ""
    role = ROLES[peer.is_consumer, peer.is_provider]
    return ForeignClusterStatus(
        role=role,
        modules=said,
        conditions=_dated(generic, old.conditions, now),
        tenant_namespace=TenantNamespaces(
            local=identity.metadata.namespace if identity is not None else tenant_namespace,
            remote=identity.spec.namespace if identity is not None else "",
        ),
        api_server_url=url,
        foreign_proxy_url=proxy,
        peering=summary(role, said, proxy),
    )


def addresses(peer: Peer) -> tuple[str, str]:
    """Of its API server, and of the proxy in between; empty where we know none."""
    if peer.identity is not None:
        answered = peer.identity.spec.auth_params
        return answered.api_server, answered.proxy_url
    return (_server(peer.kubeconfig), "") if peer.kubeconfig is not None else ("", "")


def _server(kubeconfig: Secret) -> str:
    """What a kubeconfig that was made by hand points to."""
    try:
        return from_secret(kubeconfig).server
    except Misconfigured:
        return ""


def _api_server(
    alive: bool | None, old: Sequence[ForeignClusterCondition]
) -> tuple[ForeignClusterCondition, ...]:
    if alive is None:
        known = conditions.find(old, "APIServerStatus")
        return (known,) if known is not None else ()
    return (sentences.API_SERVER_READY if alive else sentences.API_SERVER_NOT_READY,)


def _modules(peer: Peer, old: Modules | None, now: datetime) -> Modules:
    before = old or Modules(networking=OFF, authentication=OFF, offloading=OFF)
    network = modules.networking(peer.network) if peer.network.is_there else None
    is_known = any((peer.tenant, peer.identity, peer.kubeconfig))
    authentication = modules.authentication(peer, now) if is_known else None
    offloading = modules.offloading(peer) if peer.virtual_nodes else None
    return Modules(
        networking=_module(network, before.networking, now),
        authentication=_module(authentication, before.authentication, now),
        offloading=_module(offloading, before.offloading, now),
    )


def _module(
    said: Iterable[ForeignClusterCondition] | None, before: Module, now: datetime
) -> Module:
    """A module without anything to say is off, and has no conditions."""
    if said is None:
        return OFF
    return Module(enabled=True, conditions=_dated(said, before.conditions, now))


def _dated(
    said: Iterable[ForeignClusterCondition],
    old: Sequence[ForeignClusterCondition],
    now: datetime,
) -> tuple[ForeignClusterCondition, ...]:
    """Each with the time since when it is so."""
    return tuple(_since(each, old, now) for each in said)


def _since(
    new: ForeignClusterCondition, old: Sequence[ForeignClusterCondition], now: datetime
) -> ForeignClusterCondition:
    known = conditions.find(old, new.type)
    if known is not None and conditions.says_the_same(known, new):
        return known
    return replace(new, last_transition_time=timestamp(now))
