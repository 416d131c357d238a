"""The networks of this cluster, as objects: what `liqoctl info` and a peer want to know.

There is no IPAM here, so no network is known by another number: what a Network asks for is what it
gets, and the installer says so in its status.
"""

from __future__ import annotations

from collections.abc import Iterator

from liqo.api import labels
from liqo.api.ipam import Network
from liqo.api.meta import JSON
from liqo.install.kinds import manifest
from liqo.install.marks import marks
from liqo.install.settings import Settings

EXTERNAL = "10.70.0.0/16"  # for addresses by which peers know what is outside of pods
INTERNAL = "10.80.0.0/16"  # for the network module itself
KEPT = {labels.NETWORK_NOT_REMAPPED: "true"}
SHARED = {**KEPT, labels.NETWORK_SHARED: "true"}


def manifests(settings: Settings) -> Iterator[JSON]:
    for cidr in settings.pod_cidrs:
        name = "pod-cidr" if cidr == settings["ipam.podCIDR"] else f"pod-cidr-{dashed(cidr)}"
        yield network(settings, name, cidr, {**SHARED, labels.NETWORK_TYPE: "pod-cidr"})
    if service := settings["ipam.serviceCIDR"]:
        marked = {**SHARED, labels.NETWORK_TYPE: "service-cidr"}
        yield network(settings, "service-cidr", service, marked)
    for name, key in (
        ("external-cidr", "ipam.externalCIDR"),
        ("internal-cidr", "ipam.internalCIDR"),
    ):
        kept = KEPT if settings[key] else {}
        yield network(settings, name, known(settings)[name], {**kept, labels.NETWORK_TYPE: name})
    for cidr in settings["ipam.reservedSubnets"]:
        marked = {**SHARED, labels.NETWORK_TYPE: "reserved"}
        yield network(settings, f"reserved-{dashed(cidr)}", cidr, marked)


def known(settings: Settings) -> dict[str, str]:
    """Those that have a default."""
    return {
        "external-cidr": settings["ipam.externalCIDR"] or EXTERNAL,
        "internal-cidr": settings["ipam.internalCIDR"] or INTERNAL,
    }


def network(settings: Settings, name: str, cidr: str, marked: dict[str, str]) -> JSON:
    begun = manifest(
        Network.KIND, name, {**marks(settings, "network"), **marked}, settings.namespace
    )
    begun["metadata"]["annotations"] = {labels.PREINSTALLED: "true"}
    # Its first address is the gateway's.
    first = {"preAllocated": 1} if name == "external-cidr" else {}
    return {**begun, "spec": {"cidr": cidr, **first}, "status": {"cidr": cidr}}


def dashed(cidr: str) -> str:
    return cidr.replace(".", "-").replace("/", "-")
