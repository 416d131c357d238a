"""What changes of a pod that went out, as requests to its provider."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from liqo.api.kubernetes import Pod
from liqo.api.meta import JSON
from liqo.api.offloading import OffloadingPatch, ShadowPod
from liqo.kubelet.pods.changes import changes
from liqo.kubelet.pods.forge import remote_spec
from tests.unit.kubelet.pods.things import GOING, PLACE, SITE, a_pod, a_remote, a_shadow

LED: JSON = {"key": "virtual-node.liqo.io/not-allowed", "operator": "Exists"}
WEB: JSON = {"name": "web", "image": "nginx", "resources": {"limits": {"cpu": "1"}}}
PROXY: JSON = {"name": "proxy", "image": "envoy"}
SPEC: JSON = {"containers": [WEB], "initContainers": [PROXY], "tolerations": [LED]}
LOOK: JSON = {"name": "look", "image": "tools", "targetContainerName": "web"}


def offered(spec: JSON = SPEC, **more: Any) -> ShadowPod:
    """As it was made when the pod was bound."""
    return a_shadow(spec={**remote_spec(a_pod(spec=spec), PLACE.namespace, SITE), **more})


def pending(shadow: ShadowPod, local: Pod, remote: Pod | None = None) -> list[JSON]:
    return [each.patch for each in changes(shadow, local, remote or a_remote(), SITE)]


def now(**fields: Any) -> Pod:
    return a_pod(spec={**SPEC, **fields})


def test_a_pod_that_did_not_change_needs_no_request() -> None:
    assert pending(offered(), now()) == []


def test_labels_and_images_and_tolerations_go_together() -> None:
    more = {"key": "x", "operator": "Exists"}
    spec = {**SPEC, "containers": [{**WEB, "image": "nginx:2"}], "tolerations": [LED, more]}
    local = a_pod(spec=spec, labels={"app": "shop"})
    (only,) = changes(offered(), local, None, SITE)
    assert only.about == ("labels", "image", "tolerations")
    assert only.patch["metadata"] == {"labels": {"app": "shop"}}
    there = offered().spec.pod
    web = {**there["containers"][0], "image": "nginx:2"}
    assert only.patch["spec"]["pod"] == {
        "containers": [web],
        "initContainers": there["initContainers"],
        "tolerations": [more],
    }


def test_what_the_site_tolerates_is_no_change() -> None:
    site = replace(SITE, patch=OffloadingPatch(tolerations=({"key": "y"},)))
    shadow = a_shadow(spec=remote_spec(now(), PLACE.namespace, site))
    assert changes(shadow, now(), None, site) == ()


def test_a_deadline_travels_later_too() -> None:
    assert pending(offered(), now(activeDeadlineSeconds=9)) == [
        {"spec": {"pod": {"activeDeadlineSeconds": 9}}}
    ]


def test_P_FORGE4_resources_go_alone_and_last_with_the_images_of_now() -> None:
    bigger = {**WEB, "image": "nginx:2", "resources": {"limits": {"cpu": "2"}}}
    images, sizes = pending(offered(), now(containers=[bigger]))
    assert images["spec"]["pod"]["containers"][0]["image"] == "nginx:2"
    assert images["spec"]["pod"]["containers"][0]["resources"] == WEB["resources"]
    assert sizes["spec"]["pod"]["containers"][0]["image"] == "nginx:2"
    assert sizes["spec"]["pod"]["containers"][0]["resources"] == {"limits": {"cpu": "2"}}
    assert "env" in sizes["spec"]["pod"]["containers"][0]  # what we added stays


def test_claims_of_devices_stay_as_they_are() -> None:
    claims = {"claims": [{"name": "gpu"}]}
    spec = {**SPEC, "containers": [{**WEB, "resources": {**WEB["resources"], **claims}}]}
    bigger = {**WEB, "resources": {"limits": {"cpu": "2"}, **claims}}
    (only,) = pending(offered(spec), now(containers=[bigger]))
    assert only["spec"]["pod"]["containers"][0]["resources"] == bigger["resources"]


def test_P_FORGE4_an_ephemeral_container_goes_to_the_pod_that_runs() -> None:
    assert pending(offered(), now(ephemeralContainers=[LOOK])) == [
        {"spec": {"pod": {"ephemeralContainers": [LOOK]}}}
    ]
    again = {**LOOK, "name": "again"}
    (only,) = pending(offered(ephemeralContainers=[LOOK]), now(ephemeralContainers=[LOOK, again]))
    assert only == {"spec": {"pod": {"ephemeralContainers": [LOOK, again]}}}


@pytest.mark.parametrize(
    "remote", [None, a_remote(deletion_timestamp=GOING)], ids=["none", "going"]
)
def test_an_ephemeral_container_waits_for_a_pod(remote: Pod | None) -> None:
    assert changes(offered(), now(ephemeralContainers=[LOOK]), remote, SITE) == ()


@pytest.mark.parametrize(("state", "expected"), [("running", 0), ("terminated", 0), ("waiting", 1)])
def test_an_ephemeral_container_that_ran_was_of_an_earlier_pod(state: str, expected: int) -> None:
    shown = {"name": "look", "state": {state: {}}}
    local = a_pod(
        {"phase": "Running", "ephemeralContainerStatuses": [shown]},
        {**SPEC, "ephemeralContainers": [LOOK]},
    )
    assert len(pending(offered(), local)) == expected
