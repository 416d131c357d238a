"""Which API server a pod talks to once it runs on the provider, and as whom.

mode     | talks to        | its tokens                           | its namespace is called
---------+-----------------+--------------------------------------+------------------------
Home     | the consumer's  | ours, from the Secret <pod>-token    | as at home
Remote   | the provider's  | the provider's                       | as there
Disabled | none            | none                                 | as there

Kubernetes' ConfigMap with its root CA exists in every namespace of both clusters: ours goes out
under another name, and whatever refers to it has to follow.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, cast

from liqo.api import labels
from liqo.api.kubernetes import Container, EnvVar, PodSpec
from liqo.api.meta import JSON, Meta
from liqo.kubelet.site import ApiServer, Site
from liqo.rules import names

Mode: TypeAlias = Literal["Home", "Remote", "Disabled"]
TOKEN_PATH = "token"  # of a projected token that names none
HOSTNAMES = ("kubernetes.default", "kubernetes.default.svc")
NAMESPACE = "metadata.namespace"
SERVICE_ACCOUNT = "spec.serviceAccountName"


@dataclass(frozen=True)
class Stay:
    """A pod at a provider, as far as API servers are concerned."""

    pod: Meta  # at home
    service_account: str  # at home
    namespace: str  # there
    site: Site
    mode: Mode

    @property
    def is_renamed(self) -> bool:
        return self.mode == "Home" and self.namespace != self.pod.namespace


def mode_of(pod: Meta, site: Site) -> Mode:
    match pod.annotations.get(labels.API_SERVER_SUPPORT):
        case "remote":
            return "Remote"
        case "disabled":
            return "Disabled"
        case _:
            return "Home" if site.api_server is not None else "Disabled"


def stay_of(pod: Meta, spec: PodSpec, namespace: str, site: Site) -> Stay:
    account = spec.get("serviceAccountName") or "default"
    return Stay(pod, account, namespace, site, mode_of(pod, site))


def supported(spec: PodSpec, stay: Stay) -> JSON:
    """The fields of a pod's spec that are different there."""
    if stay.mode == "Remote":
        account = stay.pod.annotations.get(
            labels.REMOTE_SERVICE_ACCOUNT_NAME, spec.get("serviceAccountName", "")
        )
        named = {"serviceAccountName": account} if account else {}
        return {"automountServiceAccountToken": True, **named}
    changed: JSON = {"automountServiceAccountToken": False}
    for field in ("containers", "initContainers"):
        if field in spec:
            changed[field] = [_container(each, stay) for each in cast(JSON, spec)[field]]
    if "volumes" in spec:
        changed["volumes"] = [_volume(each, stay) for each in spec["volumes"]]
    api_server = stay.site.api_server
    if stay.mode == "Home" and api_server is not None and api_server.addresses:
        known = cast(JSON, spec).get("hostAliases", [])
        aliases = [{"ip": each, "hostnames": [*HOSTNAMES]} for each in api_server.addresses]
        changed["hostAliases"] = [*known, *aliases]
    return changed


def _container(container: Container, stay: Stay) -> JSON:
    changed: JSON = {**container}
    env = [_variable(each, stay) for each in container.get("env", ())]
    if stay.mode == "Home" and stay.site.api_server is not None:
        env += _address(stay.site.api_server)
    if env:
        changed["env"] = env
    if "envFrom" in changed:
        changed["envFrom"] = [_renamed(each, "configMapRef", stay) for each in changed["envFrom"]]
    return changed


def _variable(variable: EnvVar, stay: Stay) -> JSON:
    source = variable.get("valueFrom")
    if source is None:
        return cast(JSON, variable)
    path = source.get("fieldRef", {}).get("fieldPath")
    if path == SERVICE_ACCOUNT and stay.mode == "Home":
        return {"name": variable["name"], "value": stay.service_account}
    if path == NAMESPACE and stay.is_renamed:
        return {"name": variable["name"], "value": stay.pod.namespace}
    return {**variable, "valueFrom": _renamed(source, "configMapKeyRef", stay)}


def _address(api_server: ApiServer) -> Iterable[JSON]:
    """What Kubernetes itself tells a container about its API server; the last word counts."""
    host, port = api_server.host, str(api_server.port)
    url = f"tcp://[{host}]:{port}" if ":" in host else f"tcp://{host}:{port}"
    told = {
        "KUBERNETES_SERVICE_HOST": host,
        "KUBERNETES_SERVICE_PORT": port,
        "KUBERNETES_PORT": url,
        f"KUBERNETES_PORT_{port}_TCP": url,
        f"KUBERNETES_PORT_{port}_TCP_PROTO": "tcp",
        f"KUBERNETES_PORT_{port}_TCP_ADDR": host,
        f"KUBERNETES_PORT_{port}_TCP_PORT": port,
    }
    return [{"name": name, "value": value} for name, value in told.items()]


def _volume(volume: JSON, stay: Stay) -> JSON:
    if "projected" in volume:
        projected = volume["projected"]
        sources = [_source(each, volume["name"], stay) for each in projected.get("sources") or ()]
        kept = [each for each in sources if each]
        return {**volume, "projected": {**projected, "sources": kept}}
    if "downwardAPI" in volume:
        return {**volume, "downwardAPI": _files(volume["downwardAPI"], stay)}
    return _renamed(volume, "configMap", stay)


def _source(source: JSON, volume: str, stay: Stay) -> JSON:
    """Empty where it stays home."""
    if "serviceAccountToken" in source:
        return _token(source["serviceAccountToken"], volume, stay)
    if "downwardAPI" in source:
        return {**source, "downwardAPI": _files(source["downwardAPI"], stay)}
    return _renamed(source, "configMap", stay)


def _token(wanted: JSON, volume: str, stay: Stay) -> JSON:
    if stay.mode == "Disabled":
        return {}
    path = wanted.get("path") or TOKEN_PATH
    item = {"key": names.token_field(volume, path), "path": path}
    return {"secret": {"name": names.token_secret(stay.pod.name), "items": [item]}}


def _files(downward: JSON, stay: Stay) -> JSON:
    if not stay.is_renamed:
        return downward
    items = [_file(each) for each in downward.get("items") or ()]
    return {**downward, "items": items}


def _file(item: JSON) -> JSON:
    """A file cannot hold a literal, but an annotation of the remote pod can be its content."""
    reference = item.get("fieldRef", {})
    if reference.get("fieldPath") != NAMESPACE:
        return item
    path = f"metadata.annotations['{labels.LOCAL_NAMESPACE}']"
    return {**item, "fieldRef": {**reference, "fieldPath": path}}


def _renamed(holder: Any, reference: str, stay: Stay) -> JSON:
    """With our root CA's other name, if it is what that reference is about."""
    named = holder.get(reference)
    if named is None or named.get("name") != names.ROOT_CA:
        return cast(JSON, holder)
    return {**holder, reference: {**named, "name": names.root_ca(stay.site.home)}}
