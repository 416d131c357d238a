"""What cannot work, found before anything is changed. Each function gives sentences, or nothing."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from ipaddress import IPv4Address, IPv4Network, ip_address
from itertools import combinations
from urllib.parse import urlsplit

from liqo.api import labels
from liqo.api.kubernetes import Pod, Service
from liqo.errors import LiqoError
from liqo.install import marks, networks
from liqo.install.settings import Settings
from liqo.install.surroundings import Surroundings
from liqo.plugin import address as plugin_address
from liqo.provider.grant import DEFAULTS
from liqo.rules import amounts, capacity, names

LABEL = re.compile(r"[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?")
LOCAL = {"localhost", "127.0.0.1", "0.0.0.0", "::1"}
ONE_OF = {
    "pullPolicy": ("Always", "IfNotPresent", "Never"),
    "webhook.failurePolicy": ("Fail", "Ignore"),
    "controllerManager.config.defaultLimitsEnforcement": ("None", "Soft", "Hard"),
    "controllerManager.config.sharingRounding": capacity.ROUNDINGS,
    "offloading.podSecurity": ("privileged", "baseline", "restricted", ""),
}


def refusals(settings: Settings, seen: Surroundings) -> Iterator[str]:
    """What no flag can make right: it would destroy what is there."""
    if seen.elsewhere:
        yield (
            f'Liqo is installed in the namespace "{seen.elsewhere}" of this cluster, and there can '
            f"be only one: say --namespace {seen.elsewhere}, or uninstall it first"
        )
    if seen.installer not in ("", marks.INSTALLER):
        yield (
            f'the namespace "{settings.namespace}" holds a Liqo that was installed with '
            f"{seen.installer}: uninstall that one first"
        )
    if seen.cluster_id and seen.cluster_id != settings.cluster_id:
        yield (
            "Changing the cluster ID by providing a different .discovery.config.clusterID value "
            f'is not allowed. It is "{seen.cluster_id}"; leave --cluster-id out'
        )
    if problem := names.check_cluster_id(settings.cluster_id):
        yield problem


def renumbered(settings: Settings, seen: Surroundings) -> Iterator[str]:
    """A Network keeps its CIDR for life."""
    there = {network.metadata.name: network.spec.cidr for network in seen.networks}
    for wanted in networks.manifests(settings):
        name, cidr = wanted["metadata"]["name"], wanted["spec"]["cidr"]
        if there.get(name, cidr) != cidr:
            yield (
                f'the network "{name}" of this installation is {there[name]} and cannot become '
                f"{cidr}: uninstall first"
            )


def problems(settings: Settings, seen: Surroundings) -> Iterator[str]:
    """What --skip-validation lets pass."""
    for key, words in ONE_OF.items():
        if settings[key] not in words:
            known = ", ".join(word or "nothing" for word in words)
            yield f'the value "{key}" must be one of {known}, and is {settings[key]!r}'
    yield from unfit(settings.labels)
    yield from unshareable(settings)
    yield from ungrantable(settings)
    yield from unaskable(settings["controllerManager.config.resourcePluginAddress"])
    host = urlsplit(settings["apiServer.address"]).hostname
    if host in LOCAL:
        yield (
            "cannot use localhost as API Server address: other clusters must reach it; "
            "say another one with --api-server-url"
        )
    wrong = list(_unreadable(_cidrs(settings)))
    yield from wrong
    if not wrong:
        yield from overlaps(_cidrs(settings))
        yield from outside(settings, seen)


def unfit(labels_of_cluster: Mapping[str, str]) -> Iterator[str]:
    """They become labels of nodes, and a flag in between."""
    for name, value in labels_of_cluster.items():
        if not LABEL.fullmatch(name.rpartition("/")[2]) or not LABEL.fullmatch(value or "x"):
            yield f'"{name}={value}" cannot be the label of a node: use letters, digits, "-._"'


def unshareable(settings: Settings) -> Iterator[str]:
    """Whatever is not a percentage; of which peer, if it is for one."""
    percentage = settings["controllerManager.config.resourceSharingPercentage"]
    if wrong := capacity.check_percentage(str(percentage)):
        yield f"--sharing-percentage: {wrong}"
    for peer, written in settings["controllerManager.config.sharingPercentageOfPeers"].items():
        if wrong := names.check_cluster_id(peer) or capacity.check_percentage(str(written)):
            yield f"controllerManager.config.sharingPercentageOfPeers.{peer}: {wrong}"


def ungrantable(settings: Settings) -> Iterator[str]:
    """No slice that is silent about one of them could be answered with it."""
    for name in DEFAULTS:
        key = f"offloading.defaultNodeResources.{name}"
        if wrong := amounts.check_amount(name, settings[key]):
            yield f"{key}: {wrong}"


def unaskable(plugin: str) -> Iterator[str]:
    try:
        if plugin:
            plugin_address.parse(plugin)
    except LiqoError as wrong:
        yield f"controllerManager.config.resourcePluginAddress: {wrong}"


def differs(given: str, server: str) -> Iterator[str]:
    """The address that is told to others, and the one that we use ourselves."""
    if given and urlsplit(given).hostname != urlsplit(server).hostname:
        yield (
            f"the API server is {given} for other clusters and {server} in the kubeconfig; if that "
            "is right, say --disable-api-server-sanity-check"
        )


def _cidrs(settings: Settings) -> list[str]:
    service = settings["ipam.serviceCIDR"]
    return [
        *settings.pod_cidrs,
        *([service] if service else ()),
        *networks.known(settings).values(),
        *settings["ipam.reservedSubnets"],
    ]


def _unreadable(cidrs: Iterable[str]) -> Iterator[str]:
    for cidr in cidrs:
        try:
            IPv4Network(cidr)
        except ValueError as why:
            yield f'"{cidr}" is not an IPv4 network such as 10.42.0.0/16: {why}'


def overlaps(cidrs: Iterable[str]) -> Iterator[str]:
    for one, other in combinations(cidrs, 2):
        if IPv4Network(one).overlaps(IPv4Network(other)):
            yield f'CIDR "{one}" overlaps with CIDR "{other}"'


def outside(settings: Settings, seen: Surroundings) -> Iterator[str]:
    """Addresses that are in use, and in no network that was told."""
    pods = {f"pod {pod.key}": pod_ip(pod) for pod in seen.pods}
    yield from _strays(pods, "pod", settings.pod_cidrs)
    services = {f"Service {service.key}": cluster_ip(service) for service in seen.services}
    yield from _strays(services, "service", (settings["ipam.serviceCIDR"],))


def _strays(used: Mapping[str, str], what: str, cidrs: Iterable[str]) -> Iterator[str]:
    within = [IPv4Network(cidr) for cidr in cidrs if cidr]
    for owner, text in used.items():
        address = ip_address(text) if text else None
        if not isinstance(address, IPv4Address):
            continue  # none yet, or of the other family, which we leave alone
        if not any(address in network for network in within):
            known = ", ".join(map(str, within)) or "none is known"
            yield (
                f"the {owner} has the address {address}, outside of the {what} CIDR ({known}): "
                f"say the right one with --{what}-cidr"
            )


def pod_ip(pod: Pod) -> str:
    """Its address of the pod network: none of a pod that shares its node's, or runs elsewhere."""
    if pod.spec.get("hostNetwork") or labels.SHADOW_POD in pod.metadata.labels:
        return ""
    if pod.status.get("phase") in ("Succeeded", "Failed"):
        return ""
    return pod.status.get("podIP", "")


def cluster_ip(service: Service) -> str:
    address = service.spec.get("clusterIP", "")
    return "" if address == "None" else address
