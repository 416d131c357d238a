"""Which value of a report stands in which box, and under which words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from liqo.api.meta import JSON
from liqo.cli.info.boxes import Section, Value

YES, NO = "✔", "✖"


def local(report: JSON) -> list[Section]:
    """The boxes of `liqoctl info`; the network is shown where the report has it."""
    network = [_local_network(report["network"])] if "network" in report else []
    return [
        _installation(report["local"]),
        _health(report["health"]),
        *network,
        Section("Active peerings", {}, [_peering(each) for each in report["peerings"]["peers"]]),
    ]


def peer(report: JSON) -> list[Section]:
    """The boxes of one peer in `liqoctl info peer`."""
    return [
        _peer_info(report["info"]),
        _network(report["network"]),
        _authentication(report["authentication"]),
        _offloading(report["offloading"]),
    ]


def _installation(told: JSON) -> Section:
    entries = {
        "Cluster ID": told["clusterID"],
        "Version": told["version"],
        "K8s API server": told["APIServerAddr"],
    }
    labels = [Section("Cluster labels", told["labels"])] if told["labels"] else []
    return Section("Local installation info", entries, labels)


def _health(told: JSON) -> Section:
    if told["healthy"]:
        verdict, pods = f"{YES}    Liqo is healthy", []
    else:
        states = {name: _pod(state) for name, state in told["unhealthyPods"].items()}
        verdict, pods = f"{NO}    Liqo is unhealthy", [Section("Unhealthy pods", states)]
    return Section("Installation health", {}, [Section(verdict), *pods])


def _pod(state: JSON) -> str:
    ready = f"{state['readyContainers']}/{state['totalContainers']}"
    return f"Status: {state['status']}, Ready: {ready}, Restarts: {state['restarts']}"


def _local_network(told: JSON) -> Section:
    entries: dict[str, Value] = {
        "Pod CIDRs": told["podCIDRs"],
        "Service CIDR": told["serviceCIDR"],
        "External CIDR": told["externalCIDR"],
        "Internal CIDR": told["internalCIDR"],
    }
    return Section("Network", entries)


def _peering(told: JSON) -> Section:
    entries = {
        "Role": told["role"],
        "Networking status": told["networkingStatus"],
        "Authentication status": told["authenticationStatus"],
        "Offloading status": told["offloadingStatus"],
        **_alerts(told),
    }
    return Section(told["clusterID"], entries)


def _peer_info(told: JSON) -> Section:
    entries = {"Cluster ID": told["clusterID"], "Role": told["role"], **_alerts(told)}
    return Section("Peer cluster info", entries)


def _network(told: JSON) -> Section:
    if told["status"] == "Disabled":
        return Section("Network", {"Status": "Disabled"})
    gateway = told["gateway"]
    entries: dict[str, Value] = {
        "Role": gateway["role"],
        "Address": gateway["address"] or [],
        "Port": str(gateway["port"]),
    }
    sections = [_networks(told["CIDRs"]), Section("Gateway", entries)]
    return Section("Network", {"Status": told["status"], **_alerts(told)}, sections)


def _networks(told: JSON) -> Section:
    entries = {}
    for name, words in (("pod", "Pod CIDR"), ("external", "External CIDR")):
        entries[words] = ",".join(told["remote"].get(name, ()))
        if "remapped" in told:
            entries[words] += f" → Remapped to {','.join(told['remapped'].get(name, ()))}"
    return Section("CIDR", {}, [Section("Remote", entries)])


def _authentication(told: JSON) -> Section:
    entries = {"Status": told["status"], **_alerts(told)}
    if told["APIServerAddr"]:
        entries["API server"] = told["APIServerAddr"]
    if told["status"] == "Disabled":
        return Section("Authentication", entries)
    slices = [_slice(each) for each in told["resourceSlices"]]
    return Section("Authentication", entries, [Section("Resource slices", {}, slices)])


def _slice(told: JSON) -> Section:
    verdict = "Resource slice accepted" if told["accepted"] else "Resource slice not accepted"
    sections = [Section(verdict), Section("Resources", told["resources"])]
    return Section(told["name"], {"Action": told["action"], **_alerts(told)}, sections)


def _offloading(told: JSON) -> Section:
    entries = {"Status": told["status"], **_alerts(told)}
    if told["status"] == "Disabled":
        return Section("Offloading", entries)
    nodes = [_virtual_node(each) for each in told["virtualNodes"]]
    return Section("Offloading", entries, [Section("Virtual nodes", {}, nodes)])


def _virtual_node(told: JSON) -> Section:
    entries = {
        "Status": told["status"],
        "Secret": told["secret"],
        "Resource slice": told.get("resourceSlice", ""),
    }
    return Section(told["name"], entries, [Section("Resources", told["resources"])])


def _alerts(told: JSON) -> Mapping[str, Sequence[str]]:
    return {"Alerts": told["alerts"]} if told.get("alerts") else {}
