"""When an installation, and when a peering, is healthy."""

from __future__ import annotations

import pytest

from liqo.api.core import ConditionStatus, ForeignCluster, ForeignClusterCondition, Module
from liqo.api.core import ForeignClusterSpec as Spec
from liqo.api.kubernetes import Pod
from liqo.cli.info import health
from tests.unit.cli.installations import a_pod
from tests.unit.cli.served import decoded


def a_module(*statuses: ConditionStatus, message: str = "no key") -> Module:
    made = [
        ForeignClusterCondition(type="AuthTenantStatus", status=status, message=message)
        for status in statuses
    ]
    return Module(enabled=True, conditions=tuple(made))


@pytest.mark.parametrize(
    ("module", "word", "alerts"),
    [
        (Module(enabled=False), "Disabled", []),
        (Module(enabled=True), "Healthy", []),
        (a_module("Ready", "Established"), "Healthy", []),
        (a_module("Ready", "NotReady"), "Unhealthy", ["no key"]),
        (a_module("Pending", message=""), "Unhealthy", ["AuthTenantStatus: Pending"]),
    ],
)
def test_a_module_is_as_good_as_its_worst_condition(
    module: Module, word: str, alerts: list[str]
) -> None:
    assert health.of_module(module) == word
    assert health.alerts(module.conditions) == alerts


def test_a_peer_that_nobody_has_looked_at_is_unknown_and_off() -> None:
    peer = ForeignCluster(spec=Spec(cluster_id="milan"))
    assert health.status(peer).role == "Unknown"
    assert health.modules(peer) == health.ALL_OFF


def test_pods_are_well_when_ready_or_done() -> None:
    pods = [
        a_pod("well"),
        a_pod("done", ready=False, phase="Succeeded"),
        a_pod("ill", ready=False, restarts=3),
        {"metadata": {"name": "new"}, "status": {}},
    ]
    assert health.unhealthy_pods(decoded(Pod, *pods)) == {
        "ill": {"status": "Running", "readyContainers": 1, "totalContainers": 2, "restarts": 3},
        "new": {"status": "Unknown", "readyContainers": 0, "totalContainers": 0, "restarts": 0},
    }
