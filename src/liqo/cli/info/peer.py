"""The report about one peer: the way to it, its credentials, and what is shared with it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TypeVar

from liqo.api import labels
from liqo.api.authentication import ResourceSlice
from liqo.api.core import ForeignCluster, Module
from liqo.api.meta import JSON, Resource
from liqo.api.networking.configuration import ClusterNetworks
from liqo.api.offloading import VirtualNode
from liqo.cli.info import health
from liqo.cli.info.facts import Peers
from liqo.errors import LiqoError

R = TypeVar("R", bound=Resource)
NO_GATEWAY: JSON = {"address": None, "port": 0, "role": ""}


def chosen(peers: Sequence[ForeignCluster], ids: Sequence[str]) -> list[ForeignCluster]:
    """Those that were asked for, in that order; all, where nobody is named."""
    known = {peer.spec.cluster_id: peer for peer in peers}
    if missing := [each for each in ids if each not in known]:
        raise LiqoError(f'Peer clusters "{", ".join(missing)}" not found in active peerings')
    return [known[each] for each in dict.fromkeys(ids)] if ids else list(known.values())


def report(facts: Peers, peer: ForeignCluster) -> JSON:
    modules = health.modules(peer)
    return {
        "authentication": _authentication(facts, peer, modules.authentication),
        "info": _info(peer),
        "network": _network(facts, peer, modules.networking),
        "offloading": _offloading(facts, peer, modules.offloading),
    }


def _info(peer: ForeignCluster) -> JSON:
    """Also whether its API server answers: that is no module's business, and everybody's."""
    status = health.status(peer)
    found = health.alerts(status.conditions)
    known = {"clusterID": peer.spec.cluster_id, "role": status.role}
    return {**known, "alerts": found} if found else known


def _module(module: Module) -> JSON:
    found = health.alerts(module.conditions) if module.enabled else []
    state = {"status": health.of_module(module)}
    return {**state, "alerts": found} if found else state


def _network(facts: Peers, peer: ForeignCluster, module: Module) -> JSON:
    networks: JSON = {"remote": {}}
    configuration = next(_of(peer, facts.configurations), None)
    if module.enabled and configuration is not None:
        networks = {"remote": _cidrs(configuration.spec.remote)}
        if (seen := configuration.status.remote) is not None:
            networks["remapped"] = _cidrs(seen)
    gateway = _gateway(facts, peer) if module.enabled else NO_GATEWAY
    return {**_module(module), "CIDRs": networks, "gateway": gateway}


def _cidrs(networks: ClusterNetworks) -> JSON:
    known = {"pod": list(networks.cidr.pod), "external": list(networks.cidr.external)}
    return {name: cidrs for name, cidrs in known.items() if cidrs}


def _gateway(facts: Peers, peer: ForeignCluster) -> JSON:
    """Of the peer: where our end calls, its end is the one that is called."""
    client, server = next(_of(peer, facts.clients), None), next(_of(peer, facts.servers), None)
    if client is not None:
        place, word = client.spec.endpoint, "Server"
    elif server is not None:
        place, word = server.status.endpoint, "Client"
    else:
        return NO_GATEWAY
    if place is None:
        return {**NO_GATEWAY, "role": word}
    ports = (place.port, *place.ports)
    port = next((each for each in ports if each), 0)
    return {"address": list(place.addresses), "port": port, "role": word}


def _authentication(facts: Peers, peer: ForeignCluster, module: Module) -> JSON:
    address, slices = "", None
    if module.enabled:
        address = _address(facts, peer)
        slices = [_slice(each) for each in _of(peer, facts.slices)]
    return {**_module(module), "APIServerAddr": address, "resourceSlices": slices}


def _address(facts: Peers, peer: ForeignCluster) -> str:
    """Where we reach it, if we borrow from it."""
    for identity in _of(peer, facts.identities):
        if identity.spec.type == "ControlPlane":
            return identity.spec.auth_params.proxy_url or identity.spec.auth_params.api_server
    return ""


def _slice(found: ResourceSlice) -> JSON:
    conditions = found.status.conditions
    denied = [each for each in conditions if each.status != "Accepted"]
    said = [each.message or f"{each.type}: {each.status}" for each in denied]
    is_copy = found.metadata.labels.get(labels.REPLICATED, "").lower() == "true"
    return {
        "name": found.metadata.name,
        "action": "Providing" if is_copy else "Consuming",
        "accepted": bool(conditions) and not denied,
        **({"alerts": said} if said else {}),
        "resources": dict(sorted(found.status.resources.items())),
    }


def _offloading(facts: Peers, peer: ForeignCluster, module: Module) -> JSON:
    nodes = [_virtual_node(each) for each in _of(peer, facts.virtual_nodes)]
    return {**_module(module), "virtualNodes": nodes}


def _virtual_node(found: VirtualNode) -> JSON:
    states = [each.status for each in found.status.conditions]
    is_well = bool(states) and all(state in ("Running", "None") for state in states)
    secret = found.spec.kubeconfig_secret_ref
    borrowed = found.metadata.labels.get(labels.RESOURCE_SLICE_NAME)
    return {
        "name": found.metadata.name,
        "status": "Healthy" if is_well else "Unhealthy",
        "secret": secret.name if secret is not None else "",
        **({"resourceSlice": borrowed} if borrowed else {}),
        "resources": dict(sorted(found.spec.resource_quota.hard.items())),
    }


def _of(peer: ForeignCluster, found: Iterable[R]) -> Iterator[R]:
    whose = peer.spec.cluster_id
    return (each for each in found if each.metadata.labels.get(labels.REMOTE_CLUSTER_ID) == whose)
