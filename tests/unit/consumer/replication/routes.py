"""The way from rome to milan, for the tests of replication."""

from __future__ import annotations

from typing import Any

from liqo.api import labels
from liqo.api.core import (
    ConditionStatus,
    ForeignCluster,
    ForeignClusterCondition,
    ForeignClusterSpec,
    ForeignClusterStatus,
)
from liqo.api.kubernetes import Secret
from liqo.api.meta import Key, Meta
from liqo.consumer.replication.route import Route
from liqo.rules.kubeconfig import Login, kubeconfig
from tests.unit.consumer import things

SECRET = "kubeconfig-controlplane-milan"
ROUTE = Route(Key(things.NAMESPACE, SECRET), "rome", "milan", "liqo-tenant-rome")
GOING = "2026-01-02T12:00:00Z"


def a_kubeconfig(server: str = "https://milan.invalid", **metadata: Any) -> Secret:
    login = Login("milan", server, "controlplane-milan", b"", b"", namespace="liqo-tenant-rome")
    given = {
        "labels": {labels.REMOTE_CLUSTER_ID: "milan", labels.IDENTITY_TYPE: "ControlPlane"},
        "annotations": {labels.REMOTE_TENANT_NAMESPACE: "liqo-tenant-rome"},
        **metadata,
    }
    name = given.pop("name", SECRET)
    return things.a_secret(name, {"kubeconfig": kubeconfig(login)}, **given)


def a_foreign_cluster(
    declared: str = "", status: ConditionStatus | None = None, cluster_id: str = "milan"
) -> ForeignCluster:
    condition = (ForeignClusterCondition(type="APIServerStatus", status=status),) if status else ()
    return ForeignCluster(
        metadata=Meta(
            name=cluster_id,
            resource_version="1",
            labels={labels.REMOTE_CLUSTER_ID: cluster_id},
            annotations={labels.PERMANENTLY_UNREACHABLE: declared} if declared else {},
        ),
        spec=ForeignClusterSpec(cluster_id=cluster_id),
        status=ForeignClusterStatus(role="Provider", conditions=condition),
    )
