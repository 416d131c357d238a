"""A ConfigMap and a Secret of rome, their copies on milan, and caches that hold them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, TypeVar

from liqo.api import labels
from liqo.api.kubernetes import ConfigMap, Secret
from liqo.api.meta import JSON, Meta, Resource
from liqo.api.offloading import (
    MappingPhase,
    NamespaceMap,
    NamespaceMapSpec,
    NamespaceMapStatus,
    RemoteNamespace,
)
from liqo.kube.access import Access
from liqo.kube.arrivals import Arrivals
from liqo.kube.cache import Cache, Caches
from liqo.kube.cluster import Cluster
from liqo.kube.listing import Listing
from liqo.kube.reading import Metadata, Reading, metadata
from liqo.kubelet.atlas import Atlas
from liqo.kubelet.reflect.views import Views
from liqo.runtime.controller import Controller
from tests.unit.kubelet.pods.things import raw

O = TypeVar("O", bound=Resource)  # noqa: E741 - an object, of whichever kind
T = TypeVar("T", bound=Resource)
OURS = {labels.ORIGIN: "rome", labels.DESTINATION: "milan"}
GOING = "2026-11-15T10:17:59Z"


def a_map(
    phase: MappingPhase | None = "Accepted", remote: str = "shop-rome", *, keeps_pods: bool = False
) -> NamespaceMap:
    current = {"shop": RemoteNamespace(remote_namespace=remote, phase=phase)}
    return NamespaceMap(
        metadata=Meta(
            name="milan",
            namespace="liqo-tenant-milan",
            resource_version="1",
            labels={labels.REMOTE_CLUSTER_ID: "milan"},
            annotations={labels.PODS_STAY: "shop"} if keeps_pods else {},
        ),
        spec=NamespaceMapSpec(desired_mapping={"shop": remote} if phase else {}),
        status=NamespaceMapStatus(current_mapping=current if phase else {}),
    )


def a_config_map(name: str = "settings", **more: Any) -> ConfigMap:
    given = {"name": name, "namespace": "shop", "uid": "local-1", "resource_version": "1"}
    fields: JSON = {"raw_data": raw({"colour": "red"}), **more.pop("fields", {})}
    return ConfigMap(metadata=Meta(**{**given, **more}), **fields)


def a_secret(name: str = "password", **more: Any) -> Secret:
    given = {"name": name, "namespace": "shop", "uid": "local-1", "resource_version": "1"}
    fields: JSON = {"type": "Opaque", "raw_data": raw({"a": "Yg=="}), **more.pop("fields", {})}
    return Secret(metadata=Meta(**{**given, **more}), **fields)


def there(kind: type[T], name: str = "settings", **more: Any) -> T:
    """What milan has of that name; a copy that we made, unless told otherwise."""
    given = {
        "name": name,
        "namespace": "shop-rome",
        "uid": "remote-1",
        "resource_version": "1",
        "labels": OURS,
        "annotations": {labels.LOCAL_UID: "local-1"},
    }
    return kind(metadata=Meta(**{**given, **more}))


def token_marks(**more: str) -> JSON:
    """Labels and annotations of the Secret with the tokens of web-0."""
    marks: Mapping[str, str] = {
        labels.SERVICE_ACCOUNT_POD_NAME: "web-0",
        labels.SERVICE_ACCOUNT_POD_UID: "local-1",
        labels.SERVICE_ACCOUNT_ISSUED: "2026-11-15T10:00:00Z",
        labels.SERVICE_ACCOUNT_EXPIRATION: "2026-11-15T11:00:00Z",
    }
    return {
        "labels": {**OURS, labels.NODE_NAME: "milan", labels.SERVICE_ACCOUNT_NAME: "default"},
        "annotations": {**marks, **more},
    }


async def a_copy(kind: type[O] | Reading[O], things: Iterable[O] | None) -> Cache[O]:
    """Synced, unless there is no list of it."""
    cache: Cache[O] = Cache(Cluster(Access("")), kind)
    if things is not None:
        await cache.adopt(Listing(list(things), "1"))
    return cache


async def views(
    kind: type[O],
    locals: Iterable[O] | None = (),  # noqa: A002 - as the field is called
    remotes: Iterable[Resource] | None = (),
    *,
    known: NamespaceMap | None = None,
    of: type[Resource] | None = None,
) -> Views[O]:
    """What is there, of that kind or of another; None: not listed yet."""
    seen = None if remotes is None else [Metadata(metadata=each.metadata) for each in remotes]
    return Views(
        atlas=Atlas(await a_copy(NamespaceMap, [known or a_map()]), "milan"),
        locals=await a_copy(kind, locals),
        remotes=await a_copy(metadata(of or kind), seen),
    )


def caches(name: str) -> Caches:
    """Of a cluster that nobody calls."""
    return Caches(Cluster(Access(f"http://{name}.invalid"), name=name))


def followed(controller: Controller[Any]) -> list[str]:
    """The kinds that it watches, and where it is told of namespaces: that one moves, is known."""
    return [
        type(each).__name__.lower()
        if isinstance(each, (Arrivals, Atlas))
        else each.reading.kind.name
        for each in controller.watches
    ]


def asking(**more: Any) -> JSON:
    """The spec of a pod whose volume asks for a token, as admission writes it."""
    token = {"path": "token", "expirationSeconds": 3607}
    sources = [
        {"serviceAccountToken": token},
        {"configMap": {"name": "kube-root-ca.crt", "items": []}},
    ]
    volume = {"name": "kube-api-access-abcde", "projected": {"sources": sources}}
    return {"nodeName": "milan", "containers": [{"name": "web"}], "volumes": [volume], **more}
