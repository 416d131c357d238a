"""What the controllers of a provider follow, so that all of them share the same caches."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from liqo.api import labels
from liqo.api.authentication import Identity, Renew, ResourceSlice, Tenant
from liqo.api.kubernetes import Secret
from liqo.api.meta import Key, Resource
from liqo.kube.cache import Caches
from liqo.kube.indexes import Label, namespace
from liqo.kube.paths import Scope
from liqo.runtime.tenants import secrets

CLAIMED = Scope(labels=labels.PEERING_CLAIM)  # what was made for a peering command
PHYSICAL_NODES = Scope(labels=f"{labels.TYPE}!=virtual-node")  # ours, not those that we borrow
SIGNING_REQUESTS = Scope(labels=f"{labels.REMOTE_TENANT_CSR}=true")


def nonces_in(here: Caches, home: str) -> list[Secret]:
    """Whatever the label says, it is one."""
    inside = secrets(here).by(namespace, home)
    return [secret for secret in inside if labels.NONCE in secret.metadata.labels]


def consumer(found: Resource) -> Iterable[str]:
    """Index of Tenants by whom they stand for."""
    return (found.spec.cluster_id,) if isinstance(found, Tenant) else ()


def peer_of(changed: Resource) -> str:
    """A Tenant says it in its spec, whatever its labels; all else has the label."""
    if isinstance(changed, Tenant):
        return changed.spec.cluster_id
    return changed.metadata.labels.get(labels.REMOTE_CLUSTER_ID, "")


def tenants_of_its_peer(here: Caches) -> Callable[[Resource], list[Key]]:
    """Whatever carries the ID of a consumer concerns its Tenant."""

    def tenants(changed: Resource) -> list[Key]:
        return [tenant.key for tenant in here.of(Tenant).by(consumer, peer_of(changed))]

    return tenants


def slices_of_its_peer(here: Caches) -> Callable[[Resource], list[Key]]:
    """The same for what it asked for."""
    by_origin = Label(labels.ORIGIN_ID)

    def slices(changed: Resource) -> list[Key]:
        return [asked.key for asked in here.of(ResourceSlice).by(by_origin, peer_of(changed))]

    return slices


def every_tenant(here: Caches) -> Callable[[Resource], list[Key]]:
    return lambda _: [tenant.key for tenant in here.of(Tenant)]


def every_slice(here: Caches) -> Callable[[Resource], list[Key]]:
    return lambda _: [asked.key for asked in here.of(ResourceSlice) if asked.received]


def tenant_of(here: Caches, copy: ResourceSlice | Renew) -> Tenant | None:
    """For whom this request was made: the Tenant beside it that stands for its consumer."""
    beside = here.of(Tenant).by(namespace, copy.metadata.namespace)
    whose = copy.spec.consumer_cluster_id
    return next((tenant for tenant in beside if tenant.spec.cluster_id == whose), None)


def holds_our_credentials(here: Caches, tenant_namespace: str) -> bool:
    """Whether we borrow from that peer as well: what is in there is not only the peer's."""
    inside = secrets(here).by(namespace, tenant_namespace)
    return bool(here.of(Identity).by(namespace, tenant_namespace)) or any(
        labels.IDENTITY_TYPE in secret.metadata.labels for secret in inside
    )
