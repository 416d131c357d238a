"""What each kind of cluster tells about itself, so that nobody has to type its networks."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field

from liqo.api.kubernetes import ConfigMap, Pod
from liqo.api.meta import Key
from liqo.errors import LiqoError
from liqo.install.values import Values
from liqo.kube.cluster import Cluster
from liqo.kube.errors import NotFound
from liqo.kube.paths import Scope

SYSTEM = "kube-system"
PLAYGROUND = Key(SYSTEM, "playground")
CONTROLLER_MANAGER = Scope(
    namespace=SYSTEM, labels="component=kube-controller-manager,tier=control-plane"
)
CLOUDS = ("aks", "eks", "gke", "openshift")
INSTEAD = "install without naming one: liqoctl install --pod-cidr … --service-cidr …"


@dataclass(frozen=True)
class Facts:
    """What was found: values that need not be given, and a name, if the cluster has one."""

    values: Values = field(default_factory=dict)
    name: str = ""
    is_reachable: bool = True  # for others, at the address in our kubeconfig


async def playground(cluster: Cluster) -> Facts:
    try:
        told = (await cluster.get(ConfigMap, PLAYGROUND)).data
    except NotFound:
        raise LiqoError(
            f"{cluster.access.server} is not a cluster of a playground: it has no ConfigMap "
            f'"{PLAYGROUND}"; make one with: liqoctl playground up'
        ) from None
    networks = {"ipam.podCIDRs": [told["podCIDR"]], "ipam.serviceCIDR": told["serviceCIDR"]}
    return Facts({**networks, "apiServer.address": told["server"]}, told["clusterName"])


async def kubeadm(cluster: Cluster) -> Facts:
    found = await cluster.list(Pod, scope=CONTROLLER_MANAGER)
    if not found.items:
        raise LiqoError(
            f"kube-controller-manager not found in {cluster.access.server}: was this cluster made "
            f"by kubeadm? If not, {INSTEAD}"
        )
    return Facts(networks_of(flags_of(found.items[0])))


async def kind(cluster: Cluster) -> Facts:
    """Its kubeconfig has an address of this machine; the controllers find a better one."""
    return Facts((await kubeadm(cluster)).values, is_reachable=False)


async def k3s(_: Cluster) -> Facts:
    """Its defaults; the flags say otherwise."""
    return Facts({"ipam.podCIDRs": ["10.42.0.0/16"], "ipam.serviceCIDR": "10.43.0.0/16"})


async def generic(_: Cluster) -> Facts:
    return Facts()


PROVIDERS: Mapping[str, Callable[[Cluster], Awaitable[Facts]]] = {
    "": generic,
    "playground": playground,
    "kind": kind,
    "kubeadm": kubeadm,
    "k3s": k3s,
}


def check(provider: str) -> None:
    if provider in CLOUDS:
        raise LiqoError(f'the provider "{provider}" is not supported: {INSTEAD}')
    if provider not in PROVIDERS:
        known = ", ".join(filter(None, PROVIDERS))
        raise LiqoError(f'there is no provider "{provider}" (there: {known}); or {INSTEAD}')


def flags_of(pod: Pod) -> dict[str, str]:
    """Of all its containers, as they are written: {"--cluster-cidr": "10.244.0.0/16"}."""
    words: list[str] = []
    for container in pod.spec.get("containers", ()):
        words += [*container.get("command", ()), *container.get("args", ())]
    return {name: value for name, _, value in (word.partition("=") for word in words)}


def networks_of(flags: Mapping[str, str]) -> Values:
    """With a comma they have two families; ours is the first."""
    pods = flags.get("--cluster-cidr", "172.16.0.0/16").split(",")
    services = flags.get("--service-cluster-ip-range", "10.96.0.0/12").split(",")
    return {"ipam.podCIDRs": pods[:1], "ipam.serviceCIDR": services[0]}
