"""Whom a pod talks to; the whole manifests are in test_forge.py."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, cast

import pytest

from liqo.api import labels
from liqo.api.kubernetes import PodSpec
from liqo.api.meta import JSON, Meta
from liqo.kubelet.pods.apiserver import Mode, mode_of, stay_of, supported
from liqo.kubelet.site import ApiServer, Site
from tests.unit.kubelet.pods.things import SITE

SILENT = replace(SITE, api_server=None)
NAMESPACE = {"name": "NS", "valueFrom": {"fieldRef": {"fieldPath": "metadata.namespace"}}}
CA: JSON = {"name": "kube-root-ca.crt", "key": "ca.crt"}
OURS: JSON = {**CA, "name": "kube-root-ca.crt.rome"}
TOKEN: JSON = {"serviceAccountToken": {"path": "token"}}


def changed(
    spec: JSON,
    site: Site = SITE,
    namespace: str = "shop-rome",
    marks: dict[str, str] | None = None,
) -> JSON:
    pod = Meta(name="web-0", namespace="shop", annotations=marks or {})
    given = cast(PodSpec, spec)
    return supported(given, stay_of(pod, given, namespace, site))


def env(*variables: Any, **more: Any) -> list[JSON]:
    """Of a container there, without the seven that tell of an API server."""
    spec = {"containers": [{"name": "web", "env": list(variables)}]}
    forged: list[JSON] = changed(spec, **more)["containers"][0]["env"]
    return [each for each in forged if not each["name"].startswith("KUBERNETES_")]


@pytest.mark.parametrize(
    ("word", "site", "mode"),
    [
        ("", SITE, "Home"),
        ("whatever", SITE, "Home"),
        ("", SILENT, "Disabled"),
        ("disabled", SITE, "Disabled"),
        ("remote", SITE, "Remote"),
        ("remote", SILENT, "Remote"),
    ],
)
def test_the_pod_chooses_else_the_site(word: str, site: Site, mode: Mode) -> None:
    assert mode_of(Meta(annotations={labels.API_SERVER_SUPPORT: word}), site) == mode


def test_without_a_network_a_pod_talks_to_the_address_of_its_api_server() -> None:
    forged = changed({"containers": [{"name": "web"}], "initContainers": [{"name": "init"}]})
    assert "hostAliases" not in forged
    for container in (*forged["containers"], *forged["initContainers"]):
        told = {each["name"]: each["value"] for each in container["env"]}
        assert told["KUBERNETES_SERVICE_HOST"] == "rome.example.org"
        assert told["KUBERNETES_SERVICE_PORT"] == "6443"
        assert told["KUBERNETES_PORT_6443_TCP"] == "tcp://rome.example.org:6443"


def test_with_a_network_the_usual_name_means_an_address_of_it() -> None:
    site = replace(SITE, api_server=ApiServer("kubernetes.default", 443, ("10.70.0.1",)))
    known = {"ip": "10.1.1.1", "hostnames": ["db"]}
    assert changed({"hostAliases": [known]}, site)["hostAliases"] == [
        known,
        {"ip": "10.70.0.1", "hostnames": ["kubernetes.default", "kubernetes.default.svc"]},
    ]
    disabled = {labels.API_SERVER_SUPPORT: "disabled"}
    assert "hostAliases" not in changed({"hostAliases": [known]}, site, marks=disabled)


def test_an_address_of_the_new_kind_stands_in_brackets() -> None:
    site = replace(SITE, api_server=ApiServer("fd00::1", 6443))
    (container,) = changed({"containers": [{"name": "web"}]}, site)["containers"]
    told = {each["name"]: each["value"] for each in container["env"]}
    assert told["KUBERNETES_PORT"] == "tcp://[fd00::1]:6443"
    assert told["KUBERNETES_SERVICE_HOST"] == "fd00::1"


def test_tokens_come_from_our_secret_or_not_at_all() -> None:
    volume = {"name": "access", "projected": {"sources": [TOKEN, {"configMap": CA}]}}
    item = {"key": "access-3c469e", "path": "token"}
    secret = {"secret": {"name": "web-0-token", "items": [item]}}
    (there,) = changed({"volumes": [volume]})["volumes"]
    assert there["projected"]["sources"] == [secret, {"configMap": OURS}]
    (there,) = changed({"volumes": [volume]}, SILENT)["volumes"]
    assert there["projected"]["sources"] == [{"configMap": OURS}]
    remote = {labels.API_SERVER_SUPPORT: "remote"}
    assert "volumes" not in changed({"volumes": [volume]}, marks=remote)


def test_P_FORGE3_whatever_refers_to_our_root_ca_follows_it() -> None:
    key = {"name": "CA", "valueFrom": {"configMapKeyRef": CA}}
    assert env(key) == [{"name": "CA", "valueFrom": {"configMapKeyRef": OURS}}]
    container = {"name": "web", "envFrom": [{"configMapRef": CA}, {"secretRef": CA}]}
    (there,) = changed({"containers": [container]}, SILENT)["containers"]
    assert there["envFrom"] == [{"configMapRef": OURS}, {"secretRef": CA}]
    (volume,) = changed({"volumes": [{"name": "ca", "configMap": CA}]})["volumes"]
    assert volume["configMap"] == OURS


def test_other_references_stay_as_they_are() -> None:
    plain = {"name": "A", "value": "b"}
    other = {"name": "C", "valueFrom": {"configMapKeyRef": {"name": "settings", "key": "c"}}}
    assert env(plain, other) == [plain, other]
    volumes = [{"name": "s", "emptyDir": {}}, {"name": "c", "configMap": {"name": "settings"}}]
    assert changed({"volumes": volumes})["volumes"] == volumes


def test_a_pod_goes_on_knowing_its_service_account() -> None:
    account = {"name": "SA", "valueFrom": {"fieldRef": {"fieldPath": "spec.serviceAccountName"}}}
    spec = {"serviceAccountName": "robot", "containers": [{"name": "web", "env": [account]}]}
    assert changed(spec)["containers"][0]["env"][0] == {"name": "SA", "value": "robot"}
    assert env(account) == [{"name": "SA", "value": "default"}]


def test_P_FORGE9_a_pod_goes_on_calling_its_namespace_as_at_home() -> None:
    assert env(NAMESPACE) == [{"name": "NS", "value": "shop"}]
    file = {
        "path": "ns",
        "fieldRef": {"apiVersion": "v1", "fieldPath": "metadata.namespace"},
    }
    told = f"metadata.annotations['{labels.LOCAL_NAMESPACE}']"
    there = {"path": "ns", "fieldRef": {"apiVersion": "v1", "fieldPath": told}}
    label = {"path": "labels", "fieldRef": {"fieldPath": "metadata.labels"}}
    volumes = [
        {"name": "plain", "downwardAPI": {"items": [file, label]}},
        {"name": "mixed", "projected": {"sources": [{"downwardAPI": {"items": [file]}}]}},
    ]
    plain, mixed = changed({"volumes": volumes})["volumes"]
    assert plain["downwardAPI"]["items"] == [there, label]
    assert mixed["projected"]["sources"] == [{"downwardAPI": {"items": [there]}}]


def test_P_FORGE9_where_names_are_the_same_or_nobody_is_talked_to_nothing_changes() -> None:
    file = {"path": "ns", "fieldRef": {"fieldPath": "metadata.namespace"}}
    volumes = [{"name": "plain", "downwardAPI": {"items": [file]}}]
    assert env(NAMESPACE, namespace="shop") == [NAMESPACE]
    assert env(NAMESPACE, site=SILENT) == [NAMESPACE]
    assert changed({"volumes": volumes}, namespace="shop")["volumes"] == volumes


def test_a_pod_that_talks_to_the_provider_is_somebody_there() -> None:
    remote = {labels.API_SERVER_SUPPORT: "remote"}
    robot: JSON = {"serviceAccountName": "robot", "containers": [{"name": "web"}]}
    assert changed(robot, marks=remote) == {
        "automountServiceAccountToken": True,
        "serviceAccountName": "robot",
    }
    guest = {**remote, labels.REMOTE_SERVICE_ACCOUNT_NAME: "guest"}
    assert changed(robot, marks=guest)["serviceAccountName"] == "guest"
    nobody = {**remote, labels.REMOTE_SERVICE_ACCOUNT_NAME: ""}
    assert "serviceAccountName" not in changed(robot, marks=nobody)
