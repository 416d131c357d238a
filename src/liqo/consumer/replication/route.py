"""Routes: the providers that we replicate to, one for each control plane's kubeconfig Secret."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol, TypeAlias, TypeVar

from liqo.api import labels
from liqo.api.authentication import Renew, ResourceSlice
from liqo.api.core import ForeignCluster
from liqo.api.kubernetes import Secret
from liqo.api.meta import Key
from liqo.api.offloading import NamespaceMap
from liqo.consumer.home import Home, namespaces_of
from liqo.kube.cache import Caches
from liqo.kube.errors import Misconfigured
from liqo.kube.indexes import Label, namespace
from liqo.kube.kubeconfig import from_secret
from liqo.kube.paths import Scope
from liqo.rules.reachability import is_given_up
from liqo.runtime.controller import Controller
from liqo.runtime.remotes import Remote, Unusable
from liqo.runtime.tenants import secrets

Replicated: TypeAlias = ResourceSlice | Renew | NamespaceMap
R = TypeVar("R", bound=ResourceSlice | Renew | NamespaceMap)
KINDS: tuple[type[Replicated], ...] = (ResourceSlice, Renew, NamespaceMap)

Link: TypeAlias = Literal["open", "unknown", "withdrawn", "dead"]
"""What we know of the other side. unknown: our copy of it is not complete; withdrawn: we may not
look any more; dead: somebody said that it will never answer again."""


class Copy(Protocol):
    """Our copy of what is there: a Cache."""

    @property
    def synced(self) -> bool: ...
    @property
    def refused(self) -> bool: ...


@dataclass(frozen=True)
class Route:
    secret: Key
    consumer_id: str
    provider_id: str
    remote_namespace: str

    @property
    def local_namespace(self) -> str:
        return self.secret.namespace

    @property
    def copies(self) -> Scope:
        """Ours, of all objects that are there."""
        marks = f"{labels.ORIGIN_ID}={self.consumer_id},{labels.REPLICATED}=true"
        return Scope(namespace=self.remote_namespace, labels=marks)

    def leads(self, local: Replicated) -> bool:
        """Whether this object goes this way."""
        return local.metadata.labels.get(labels.REMOTE_ID) == self.provider_id


Controllers: TypeAlias = Callable[[Route, Caches], Sequence[Controller[Any]]]


def wanted(here: Caches, home: Home, controllers: Controllers) -> dict[Key, Remote | Unusable]:
    """What each kubeconfig of a control plane gives: a remote, or the reason why not."""
    return {
        secret.key: _remote(here, home, controllers, secret)
        for secret in secrets(here)
        if secret.metadata.labels.get(labels.IDENTITY_TYPE) == "ControlPlane"
    }


def locals_of(here: Caches, model: type[R], route: Route) -> list[R]:
    found = here.of(model).by(namespace, route.local_namespace)
    return [local for local in found if route.leads(local)]


def link(here: Caches, route: Route, copies: Sequence[Copy]) -> Link:
    if is_dead(here, route.provider_id):
        return "dead"
    if any(cache.refused for cache in copies):
        return "withdrawn"
    return "open" if all(cache.synced for cache in copies) else "unknown"


def is_dead(here: Caches, provider_id: str) -> bool:
    known = here.of(ForeignCluster).by(Label(labels.REMOTE_CLUSTER_ID), provider_id)
    return any(map(is_given_up, known))


def _remote(
    here: Caches, home: Home, controllers: Controllers, secret: Secret
) -> Remote | Unusable:
    metadata = secret.metadata
    provider = metadata.labels.get(labels.REMOTE_CLUSTER_ID, "")
    place = metadata.annotations.get(labels.REMOTE_TENANT_NAMESPACE, "")
    if not provider:
        return f"the label {labels.REMOTE_CLUSTER_ID} is missing"
    if not place:
        return f"the annotation {labels.REMOTE_TENANT_NAMESPACE} is missing"
    if metadata.namespace not in namespaces_of(here, provider):
        return f"it is not in the tenant namespace of cluster {provider}"
    first = min(_rivals(here, provider), key=_age)
    if first.key != secret.key:
        return f"cluster {provider} has an older kubeconfig, Secret {first.key}: that one is used"
    try:
        access = from_secret(secret)
    except Misconfigured as wrong:
        return str(wrong)
    route = Route(secret.key, home.cluster_id, provider, place)
    return Remote(provider, access, place, lambda there: controllers(route, there))


def _rivals(here: Caches, provider: str) -> Iterator[Secret]:
    """Those in its tenant namespace: what another peer says about it does not count."""
    places = namespaces_of(here, provider)
    for secret in secrets(here).by(Label(labels.REMOTE_CLUSTER_ID), provider):
        is_control_plane = secret.metadata.labels.get(labels.IDENTITY_TYPE) == "ControlPlane"
        if is_control_plane and secret.metadata.namespace in places:
            yield secret


def _age(secret: Secret) -> tuple[str, Key]:
    return secret.metadata.creation_timestamp or "", secret.key
