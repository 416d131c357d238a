"""Which providers were left unheard."""

from __future__ import annotations

from typing import Any

import pytest

from liqo.api import labels
from liqo.api.kubernetes import Secret
from liqo.consumer.tombstones import wanted, withdrawals
from liqo.consumer.withdrawal import tombstones
from liqo.runtime.remotes import Remote
from tests.unit.consumer import things
from tests.unit.consumer.replication.routes import a_kubeconfig

MARKS = {labels.TOMBSTONE: "true", labels.REMOTE_CLUSTER_ID: "milan"}
NAME = "liqo-tombstone-milan"


def found(secret: Secret) -> Any:
    here = things.caches()
    here.of(Secret, tombstones("liqo")).take(secret)
    (remote,) = wanted(here, things.HOME).values()
    return remote


def test_a_tombstone_leads_to_its_provider() -> None:
    remote = found(a_kubeconfig(name=NAME, namespace="liqo", labels=MARKS))
    assert isinstance(remote, Remote)
    assert (remote.name, remote.place) == ("milan", "liqo-tenant-rome")
    assert remote.access.server == "https://milan.invalid"
    assert [each.name for each in remote.controllers(things.caches())] == ["consumer/withdrawal"]


@pytest.mark.parametrize(
    ("metadata", "reason"),
    [
        ({"labels": {labels.TOMBSTONE: "true"}}, "liqo.io/remote-cluster-id is missing"),
        ({"annotations": {}}, "liqo.io/remote-tenant-namespace is missing"),
    ],
)
def test_what_is_incomplete_says_what_is_missing(metadata: dict[str, Any], reason: str) -> None:
    given = {"name": NAME, "namespace": "liqo", "labels": MARKS, **metadata}
    assert reason in found(a_kubeconfig(**given))


def test_a_tombstone_without_a_kubeconfig_says_so() -> None:
    notes = {labels.REMOTE_TENANT_NAMESPACE: "liqo-tenant-rome"}
    bare = things.a_secret(NAME, {}, namespace="liqo", labels=MARKS, annotations=notes)
    assert "Secret liqo/liqo-tombstone-milan" in found(bare)


def test_nobody_asks_whether_a_provider_lives_that_was_left() -> None:
    assert withdrawals(things.caches(), things.HOME).alive("milan") is None
