"""Site: where one virtual kubelet works, as a value. It lives as long as the process."""

from __future__ import annotations

from dataclasses import dataclass

from liqo.api.offloading import OffloadingPatch

UNPATCHED = OffloadingPatch()


@dataclass(frozen=True)
class ApiServer:
    """The consumer's API server as pods on the provider reach it.

    Without a network between the clusters that is its public address. With one it may be
    `kubernetes.default`, and then `addresses` are what that name means there.
    """

    host: str
    port: int
    addresses: tuple[str, ...] = ()


@dataclass(frozen=True)
class Site:
    home: str  # cluster ID of the consumer
    provider: str  # cluster ID of the provider
    node: str  # name of the virtual node, and of its VirtualNode
    tenant_namespace: str  # on the consumer, of this provider
    user: str = ""  # who we are to the provider; empty: nobody told us
    node_ip: str = ""
    patch: OffloadingPatch = UNPATCHED
    api_server: ApiServer | None = None  # None: pods that went out talk to none
    shows_ips: bool = True  # of pods, at home
    refuses_too_large: bool = False  # a pod that fits on no node there waits here: else it is told
    # What the provider calls the classes that it offers; empty: it chooses, or has none.
    ingress_class: str = ""
    load_balancer_class: str = ""


def unchanged(site: Site) -> Site:
    """Nothing more is withheld than what its patch says."""
    return site
