"""Which providers we replicate to, and what we know of the other side."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

from liqo.api import labels
from liqo.api.authentication import ResourceSlice
from liqo.consumer.replication.route import Route, is_dead, link, locals_of, wanted
from liqo.kube.cache import Caches
from liqo.runtime.controller import Controller
from liqo.runtime.plan import NOTHING
from liqo.runtime.remotes import Remote
from tests.builders import bring
from tests.unit.consumer import things
from tests.unit.consumer.replication.routes import ROUTE, a_foreign_cluster, a_kubeconfig


@dataclass(frozen=True)
class Seen:
    """A copy of the other side, as far as it matters here."""

    synced: bool = True
    refused: bool = False


def _named(route: Route) -> Controller[Any]:
    """Does nothing; its name tells where it was told to work."""
    return Controller(str(route), {}, lambda key: None, lambda state: NOTHING)


def remotes(here: Caches) -> dict[str, Any]:
    found = wanted(here, things.HOME, lambda route, there: [_named(route)])
    return {key.name: remote for key, remote in found.items()}


def test_a_kubeconfig_of_a_control_plane_is_a_remote() -> None:
    here = things.caches()
    bring(here, a_kubeconfig())
    (remote,) = remotes(here).values()
    assert isinstance(remote, Remote)
    assert (remote.name, remote.place) == ("milan", "liqo-tenant-rome")
    assert remote.access.server == "https://milan.invalid"
    assert [each.name for each in remote.controllers(here)] == [str(ROUTE)]


def test_the_kubeconfig_of_a_slice_is_none() -> None:
    here = things.caches()
    marks = {labels.REMOTE_CLUSTER_ID: "milan", labels.IDENTITY_TYPE: "ResourceSlice"}
    bring(here, a_kubeconfig(labels=marks))
    assert remotes(here) == {}


@pytest.mark.parametrize(
    ("metadata", "reason"),
    [
        ({"labels": {labels.IDENTITY_TYPE: "ControlPlane"}}, "the label liqo.io/remote-cluster-id"),
        ({"annotations": {}}, "the annotation liqo.io/remote-tenant-namespace"),
    ],
)
def test_what_is_incomplete_says_what_is_missing(metadata: dict[str, Any], reason: str) -> None:
    here = things.caches()
    bring(here, a_kubeconfig(**metadata))
    (found,) = remotes(here).values()
    assert found == f"{reason} is missing"


def test_a_kubeconfig_that_is_none_says_so() -> None:
    here = things.caches()
    bring(here, a_kubeconfig(server="ftp://milan"))
    (found,) = remotes(here).values()
    assert "is not an http or https address" in found


def test_of_two_kubeconfigs_the_older_is_used() -> None:
    here = things.caches()
    bring(here, a_kubeconfig(creation_timestamp="2026-01-02T12:00:00Z"))
    rival = a_kubeconfig(name="rival", creation_timestamp="2026-01-03T12:00:00Z")
    bring(here, rival)
    found = remotes(here)
    assert isinstance(found[ROUTE.secret.name], Remote)
    assert "has an older kubeconfig" in found["rival"]


def test_what_another_peer_says_about_a_provider_does_not_count() -> None:
    here = things.caches()
    foreign = {labels.REMOTE_CLUSTER_ID: "naples", labels.IDENTITY_TYPE: "ControlPlane"}
    bring(here, a_kubeconfig())
    early = "2026-01-01T12:00:00Z"
    bring(here, a_kubeconfig(name="planted", labels=foreign, creation_timestamp=early))
    bring(here, a_kubeconfig(name="real", namespace="liqo-tenant-naples", labels=foreign))
    found = remotes(here)
    assert found["planted"] == "it is not in the tenant namespace of cluster naples"
    assert isinstance(found["real"], Remote)


def test_only_what_goes_this_way_is_ours_to_carry() -> None:
    here = things.caches()
    things.put(here, things.a_request())
    elsewhere = {**things.REPLICATED, labels.REMOTE_ID: "naples"}
    things.put(here, things.a_request(namespace="other"))
    assert locals_of(here, ResourceSlice, ROUTE) == [things.a_request()]
    things.put(here, things.a_request(labels=elsewhere, resource_version="2"))
    assert locals_of(here, ResourceSlice, ROUTE) == []


@pytest.mark.parametrize(
    ("declared", "status", "dead"),
    [
        ("true", None, True),
        ("true", "Error", True),
        ("true", "Established", False),
        ("false", "Error", False),
        ("", "Error", False),
    ],
)
def test_dead_is_what_was_declared_so_and_does_not_answer(
    declared: str, status: Any, dead: bool
) -> None:
    here = things.caches()
    things.put(here, a_foreign_cluster(declared, status))
    assert is_dead(here, "milan") is dead
    assert not is_dead(here, "naples")


def test_what_we_know_of_the_other_side() -> None:
    here = things.caches()
    assert link(here, ROUTE, [Seen(), Seen()]) == "open"
    assert link(here, ROUTE, [Seen(), Seen(synced=False)]) == "unknown"
    assert link(here, ROUTE, [Seen(), Seen(synced=False, refused=True)]) == "withdrawn"
    things.put(here, a_foreign_cluster("true"))
    assert link(here, ROUTE, [Seen(refused=True)]) == "dead"
