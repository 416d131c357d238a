"""Whether another cluster can be reached, as its ForeignCluster says."""

from __future__ import annotations

from liqo.api import labels
from liqo.api.core import ForeignCluster
from liqo.rules import conditions


def is_given_up(cluster: ForeignCluster) -> bool:
    """Declared gone for good by a person, and nothing speaks against it."""
    declared = cluster.metadata.annotations.get(labels.PERMANENTLY_UNREACHABLE) == "true"
    return declared and not answers(cluster)


def carries(cluster: ForeignCluster) -> bool:
    """Whether what is sent to its pods can arrive, as far as anybody knows."""
    status = cluster.status
    if status is None:
        return True
    called = conditions.find(status.conditions, "APIServerStatus")
    if called is not None and called.status not in ("Established", "None"):
        return False
    network = status.modules.networking if status.modules is not None else None
    if network is None or not network.enabled:
        return True
    tunnel = conditions.find(network.conditions, "NetworkConnectionStatus")
    return tunnel is not None and tunnel.status == "Established"


def answers(cluster: ForeignCluster) -> bool:
    status = cluster.status
    found = conditions.find(status.conditions, "APIServerStatus") if status else None
    return found is not None and found.status == "Established"
