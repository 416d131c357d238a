"""Manifest in, manifest out: what a provider is asked to run."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import pytest
import yaml

from liqo.api import labels
from liqo.api.kubernetes import Pod
from liqo.api.meta import JSON
from liqo.api.offloading import Affinity, OffloadingPatch, ShadowPod
from liqo.kubelet.pods.forge import left_behind, remote_spec, shadow_pod
from liqo.kubelet.site import ApiServer, Site
from liqo.runtime.plan import Manifest
from liqo.runtime.requests import body_of
from tests import wire
from tests.captured import comparable
from tests.golden import assert_golden
from tests.unit.kubelet.pods import things
from tests.unit.kubelet.pods.things import SITE

FORGED = Path(__file__).parent / "forged"
LIKE_THE_GO_ONE = replace(SITE, api_server=ApiServer("kubernetes.default", 443))
PATCHED = replace(
    SITE,
    patch=OffloadingPatch(
        node_selector={"tier": "guests"},
        tolerations=({"key": "guests", "operator": "Exists"},),
        affinity=Affinity(
            node_affinity={
                "requiredDuringSchedulingIgnoredDuringExecution": {
                    "nodeSelectorTerms": [
                        {"matchExpressions": [{"key": "gpu", "operator": "Exists"}]}
                    ]
                }
            }
        ),
        runtime_class_name="kata",
        labels_not_reflected=("secret-plans", labels.NODE_NAME),
        annotations_not_reflected=("private/note",),
    ),
)
TALKS_TO = {
    "remote": {labels.API_SERVER_SUPPORT: "remote"},
    "disabled": {labels.API_SERVER_SUPPORT: "disabled"},
}


def pod_of(name: str, **annotations: str) -> Pod:
    manifest: JSON = yaml.load((FORGED / f"{name}.pod.yaml").read_text(), yaml.CSafeLoader)
    manifest["metadata"].setdefault("annotations", {}).update(annotations)
    return msgspec.json.decode(msgspec.json.encode(manifest), type=Pod)


def text(forged: Manifest) -> str:
    return yaml.safe_dump(body_of(forged), sort_keys=True)


def test_a_shadow_pod_is_the_captured_one_but_for_what_is_better() -> None:
    (captured,) = wire.captured(ShadowPod)
    expected = comparable(captured)
    del expected["status"]
    del expected["metadata"]["labels"][labels.CREATOR_USER]  # the provider's webhook puts it there
    # P-RACE4: it says for which pod of this name it was made.
    expected["metadata"]["annotations"][labels.LOCAL_POD_UID] = "local-1"
    # P-FORGE9: the pod goes on calling its namespace as its API server at home does.
    expected["metadata"]["annotations"][labels.LOCAL_NAMESPACE] = "shop"
    pod = expected["spec"]["pod"]
    (variable,) = [each for each in pod["containers"][0]["env"] if each["name"] == "POD_NAMESPACE"]
    del variable["valueFrom"]
    variable["value"] = "shop"
    file = pod["volumes"][1]["projected"]["sources"][2]["downwardAPI"]["items"][0]
    file["fieldRef"]["fieldPath"] = f"metadata.annotations['{labels.LOCAL_NAMESPACE}']"
    assert body_of(shadow_pod(pod_of("web-0"), "shop-rome", LIKE_THE_GO_ONE)) == expected


@pytest.mark.parametrize(
    ("name", "pod", "site"),
    [
        ("web-0", pod_of("web-0"), SITE),
        ("everything", pod_of("everything"), PATCHED),
        ("remote", pod_of("everything", **TALKS_TO["remote"]), PATCHED),
        ("disabled", pod_of("everything", **TALKS_TO["disabled"]), SITE),
    ],
)
def test_a_manifest_becomes_a_manifest(name: str, pod: Pod, site: Site) -> None:
    forged = shadow_pod(pod, "shop-rome", site)
    assert_golden(text(forged), FORGED / f"{name}.shadowpod.yaml")


def spec(annotations: dict[str, str] | None = None, site: Site = SITE, **fields: Any) -> JSON:
    pod = things.a_pod(spec={**things.SPEC, **fields}, annotations=annotations or {})
    return remote_spec(pod, "shop-rome", site)


def test_forging_leaves_the_pod_as_it_is() -> None:
    pod = pod_of("everything")
    before = bytes(pod.raw_spec)
    assert shadow_pod(pod, "shop-rome", PATCHED) == shadow_pod(pod, "shop-rome", PATCHED)
    assert bytes(pod.raw_spec) == before


@pytest.mark.parametrize(
    ("told", "own", "patched", "chosen"),
    [
        ("kata", "gvisor", "runc", "kata"),
        ("", "gvisor", "runc", "gvisor"),
        ("", "liqo", "runc", "runc"),
        ("", None, "liqo", None),
        ("", "liqo", None, None),
    ],
)
def test_the_runtime_class_is_the_first_that_means_something(
    told: str, own: str | None, patched: str | None, chosen: str | None
) -> None:
    site = replace(SITE, patch=OffloadingPatch(runtime_class_name=patched))
    fields = {"runtimeClassName": own} if own else {}
    forged = spec({labels.REMOTE_RUNTIME_CLASS_NAME: told}, site, **fields)
    assert forged.get("runtimeClassName") == chosen


def test_no_toleration_is_left_of_a_pod_that_tolerates_virtual_nodes_only() -> None:
    assert "tolerations" not in spec(tolerations=[{"key": labels.NOT_ALLOWED_TAINT}])


def test_who_does_not_get_the_network_of_the_host_does_not_get_its_ports() -> None:
    """Kubernetes has set those of a pod that asked for that network; others asked for them."""
    port = {"name": "http", "containerPort": 80, "hostPort": 80}
    spec: JSON = {"containers": [{"name": "web", "ports": [port]}, {"name": "log"}]}
    kept = remote_spec(things.a_pod(spec=spec), "shop-rome", SITE)
    assert kept["containers"][0]["ports"] == [port]
    changed = remote_spec(things.a_pod(spec={**spec, "hostNetwork": True}), "shop-rome", SITE)
    assert changed["containers"][0]["ports"] == [{"name": "http", "containerPort": 80}]
    assert "ports" not in changed["containers"][1]


def test_P_FORGE5_what_stays_home_and_matters_is_named() -> None:
    assert left_behind(pod_of("web-0").spec) == ()
    assert left_behind(pod_of("everything").spec) == (
        "hostIPC",
        "hostNetwork",
        "hostPID",
        "hostUsers",
        "hostnameOverride",
        "os",
        "priorityClassName",
        "resourceClaims",
        "resources",
        "schedulerName",
    )


def test_a_kubelet_that_knows_its_user_says_who_makes_the_pod() -> None:
    pod = pod_of("web-0")
    signed = shadow_pod(pod, "shop-rome", replace(SITE, user="mypool-c34af51dd912"))
    unsigned = shadow_pod(pod, "shop-rome", SITE)
    marks = {**unsigned.body["metadata"]["labels"], labels.CREATOR_USER: "mypool-c34af51dd912"}
    assert signed.body["metadata"]["labels"] == marks
    assert labels.CREATOR_USER not in unsigned.body["metadata"]["labels"]
