"""What controllers follow of all tenants: their namespaces, and the Secrets in them.

Nonces, certificates and kubeconfigs share one watch in each tenant namespace; no other Secrets are
read, but for the key pair of this cluster.
"""

from __future__ import annotations

from liqo.api import labels
from liqo.api.kubernetes import Namespace, Secret
from liqo.kube.cache import Cache, Caches
from liqo.kube.namespaced import Namespaced, Namespaces
from liqo.kube.paths import Scope
from liqo.kube.reading import Metadata, metadata

TENANT_NAMESPACES = Scope(labels=labels.TENANT_NAMESPACE)
OF_PEERS = Scope(labels=labels.REMOTE_CLUSTER_ID)


def tenant_namespaces(here: Caches) -> Cache[Metadata]:
    return here.of(metadata(Namespace), TENANT_NAMESPACES)


def secrets(here: Caches) -> Namespaced[Secret]:
    """Those that name a peer, each in a tenant namespace."""
    return here.within(Namespaces(tenant_namespaces(here)), Secret, OF_PEERS)
