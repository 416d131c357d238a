"""Who asked an API server for what, from the audit log of its cluster."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime

from liqo.api.meta import JSON
from liqo.playground.cluster import Site
from liqo.rules import names

OURS = "liqo"  # the user agent of all that runs in a cluster; that of liqoctl is its name
ACCOUNTS = "system:serviceaccount:"
TENANTS = f"{ACCOUNTS}{names.tenant_namespace('')}"  # where virtual kubelets run
OUR_PROGRAMS = (
    "controllers",
    "remote controllers",
    "webhook",
    "metric agent",
    "kubelet",
    "remote kubelet",
)
INSTALLED = {names.WEBHOOK: "webhook", names.METRIC_AGENT: "metric agent"}
READING = frozenset({"get", "list", "watch"})


@dataclass(frozen=True)
class Asked:
    """One request; a watch counts as one, however long it stays open."""

    at: float  # seconds since 1970
    who: str  # liqoctl, one of OUR_PROGRAMS; or somebody else's user agent
    verb: str
    what: str  # pods, pods/status; or a path that is no resource's
    name: str  # of the object
    uri: str
    code: int  # of the answer
    is_open: bool  # a watch that has not ended

    @property
    def is_write(self) -> bool:
        return self.verb not in READING

    @property
    def is_heartbeat(self) -> bool:
        """Of those that we send whether or not anything happens."""
        return self.what in ("leases", "/livez")


def asked(site: Site, since: float = 0.0) -> list[Asked]:
    """All requests that were received since then, in their order."""
    written = (site.folder_of(site.cluster.control_plane) / "logs" / "audit.log").read_bytes()
    whole, _, _ = written.rpartition(b"\n")  # behind the last one, one may be half written
    latest = {entry["auditID"]: entry for entry in map(json.loads, whole.splitlines())}
    return sorted((one for one in read(latest.values()) if one.at >= since), key=lambda one: one.at)


def read(entries: Iterable[JSON]) -> Iterator[Asked]:
    for entry in entries:
        about = entry.get("objectRef", {})
        parts = (about.get("resource", ""), about.get("subresource", ""))
        yield Asked(
            datetime.fromisoformat(entry["requestReceivedTimestamp"]).timestamp(),
            who(entry),
            entry["verb"],
            "/".join(filter(None, parts)) or entry["requestURI"].partition("?")[0],
            about.get("name", ""),
            entry["requestURI"],
            entry.get("responseStatus", {}).get("code", 0),
            entry["stage"] == "ResponseStarted",
        )


def who(entry: JSON) -> str:
    """Remote is who comes with the certificate of a tenant, or of one of its slices."""
    agent, user = entry.get("userAgent", ""), entry["user"]
    if agent != OURS:
        return str(agent)
    name = user["username"]
    if not name.startswith(ACCOUNTS):
        is_control_plane = names.CONTROL_PLANES in user.get("groups", ())
        return "remote controllers" if is_control_plane else "remote kubelet"
    if name.startswith(TENANTS):
        return "kubelet"
    return INSTALLED.get(name.rpartition(":")[2], "controllers")
