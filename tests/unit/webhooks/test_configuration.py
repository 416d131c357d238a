"""The two configurations: who is asked about what, and who never is."""

from __future__ import annotations

import pytest

from liqo.api.meta import JSON
from liqo.webhooks.conditions import BY_A_PEER, STAYS, STAYS_OR_CHANGES
from liqo.webhooks.configuration import (
    DEFAULT,
    NOT_SKIPPED,
    Choices,
    Failure,
    configurations,
)

OF_PEERS = {
    f"{kind}.trespass.liqo.io" for kind in ("resourceslice", "renew", "namespacemap", "secret")
}


def entries(kind: str = "", choices: Choices = DEFAULT) -> list[JSON]:
    return [
        webhook
        for configuration in configurations("liqo", choices=choices)
        if kind in configuration["kind"]
        for webhook in configuration["webhooks"]
    ]


def by_name(name: str, choices: Choices = DEFAULT) -> JSON:
    return next(entry for entry in entries(choices=choices) if entry["name"] == name)


def condition(entry: JSON) -> str:
    """What is asked beside whether it stays."""
    expression: str = entry["matchConditions"][1]["expression"]
    return expression


def test_there_are_two_and_whoever_fills_in_the_authority_finds_them_by_label() -> None:
    mutating, validating = configurations("liqo")
    assert (mutating["kind"], validating["kind"]) == (
        "MutatingWebhookConfiguration",
        "ValidatingWebhookConfiguration",
    )
    for each in (mutating, validating):
        assert each["apiVersion"] == "admissionregistration.k8s.io/v1"
        assert each["metadata"] == {"name": "liqo-webhook", "labels": {"liqo.io/webhook": "true"}}


def test_only_of_what_a_peer_deletes_and_is_not_its_own_are_we_asked() -> None:
    asked = [each for each in entries() if "DELETE" in each["rules"][0]["operations"]]
    assert {each["name"] for each in asked} == OF_PEERS
    for entry in asked:
        assert condition(entry).startswith(f"({BY_A_PEER}) && (request.operation != 'DELETE' || !(")


@pytest.mark.parametrize("failure", ["Fail", "Ignore"])
def test_a_peer_never_profits_from_a_webhook_that_is_silent(failure: Failure) -> None:
    found = {each["name"]: each for each in entries(choices=Choices(failure))}
    guards = ("tenant.mutate", "tenant.validate", "resourceslice.validate")
    prefix = "peers." if failure == "Ignore" else ""
    consumers = {"shadowpod.mutate.liqo.io", "shadowpod.validate.liqo.io"}
    for name in {*OF_PEERS, *consumers, *(f"{prefix}{each}.liqo.io" for each in guards)}:
        assert found[name]["failurePolicy"] == "Fail"


@pytest.mark.parametrize("name", ["tenant.mutate.liqo.io", "resourceslice.validate.liqo.io"])
def test_where_silence_is_consent_peers_are_asked_about_apart(name: str) -> None:
    choices = Choices("Ignore")
    peers, others = by_name(f"peers.{name}", choices), by_name(name, choices)
    assert (peers["failurePolicy"], others["failurePolicy"]) == ("Fail", "Ignore")
    assert condition(peers).endswith(f"({BY_A_PEER})")
    assert condition(others).endswith(f"(!({BY_A_PEER}))")
    assert peers["clientConfig"] == others["clientConfig"]
    assert f"peers.{name}" not in {each["name"] for each in entries()}


def test_who_made_a_shadow_pod_is_noted_where_quotas_are_enforced() -> None:
    names = [entry["name"] for entry in entries(choices=Choices(enforcement=False))]
    assert "shadowpod.mutate.liqo.io" not in names
    assert "shadowpod.validate.liqo.io" in names


def test_what_is_being_deleted_loses_its_finalizers_without_us() -> None:
    for entry in entries():
        [rule] = entry["rules"]
        said = STAYS_OR_CHANGES if rule["resources"] == ["shadowpods"] else STAYS
        stays = {"name": "stays", "expression": said}
        asks_of_changes = rule["operations"] != ["CREATE"]
        assert (stays in entry.get("matchConditions", ())) == asks_of_changes


@pytest.mark.parametrize(
    ("kind", "paths"),
    [
        (
            "Mutating",
            [
                ("/mutate/foreign-cluster", "foreignclusters"),
                ("/mutate/tenants", "tenants"),
                ("/mutate/resourceslices", "resourceslices"),
                ("/mutate/virtualnodes", "virtualnodes"),
                ("/mutate/shadowpods", "shadowpods"),
                ("/mutate/remote-pods", "pods"),
                ("/mutate/pod", "pods"),
                ("/mutate/enabled-pod", "pods"),
                ("/mutate/probes", "namespaceoffloadings"),
            ],
        ),
        (
            "Validating",
            [
                ("/validate/tenants", "tenants"),
                ("/validate/resourceslices", "resourceslices"),
                ("/validate/namespace-offloading", "namespaceoffloadings"),
                ("/validate/shadowpods", "shadowpods"),
                ("/validate/copies/resourceslices", "resourceslices resourceslices/status"),
                ("/validate/copies/renews", "renews renews/status"),
                ("/validate/copies/namespacemaps", "namespacemaps namespacemaps/status"),
                ("/validate/secrets", "secrets"),
            ],
        ),
    ],
)
def test_each_kind_has_its_path(kind: str, paths: list[tuple[str, str]]) -> None:
    assert [
        (entry["clientConfig"]["service"]["path"], " ".join(entry["rules"][0]["resources"]))
        for entry in entries(kind)
    ] == paths


def test_pods_of_namespaces_that_are_not_offloaded_are_never_asked_about() -> None:
    asked = [
        each
        for each in entries()
        if each["rules"][0]["resources"] == ["pods"] and "objectSelector" not in each
    ]
    assert [each["name"] for each in asked] == ["pod.mutate.liqo.io", "enabled.pod.mutate.liqo.io"]
    opened, enabled = (each["namespaceSelector"] for each in asked)
    assert opened["matchLabels"] == {"liqo.io/scheduling-enabled": "true"}
    label, not_yet, *_ = enabled["matchExpressions"]
    assert label == {"key": "liqo.io/enabled", "operator": "In", "values": ["true"]}
    assert not_yet == {"key": "liqo.io/scheduling-enabled", "operator": "DoesNotExist"}


def test_whatever_labels_they_get_neither_kubernetes_nor_we_wait_for_ourselves() -> None:
    for name in ("pod.mutate.liqo.io", "enabled.pod.mutate.liqo.io"):
        *_, exempt, tenants = by_name(name)["namespaceSelector"]["matchExpressions"]
        assert tenants == {"key": "liqo.io/tenant-namespace", "operator": "DoesNotExist"}
        assert exempt == {
            "key": "kubernetes.io/metadata.name",
            "operator": "NotIn",
            "values": ["kube-system", "kube-public", "kube-node-lease", "liqo"],
        }


def test_a_namespace_is_labelled_and_a_pod_counted_only_for_what_will_be_stored() -> None:
    effects = {each["name"]: each["sideEffects"] for each in entries()}
    for name in ("nsoff.validate.liqo.io", "shadowpod.validate.liqo.io"):
        assert effects.pop(name) == "NoneOnDryRun"
    assert set(effects.values()) == {"None"}


def test_the_server_is_a_service_of_the_installation() -> None:
    (mutating, _) = configurations("peers", "asked", 443)
    service = mutating["webhooks"][0]["clientConfig"]["service"]
    path = "/mutate/foreign-cluster"
    assert service == {"namespace": "peers", "name": "asked", "port": 443, "path": path}


def test_an_object_may_be_exempted_by_a_label() -> None:
    exempting = {
        "fc.mutate.liqo.io",
        "virtualnode.mutate.liqo.io",
        "nsoff.validate.liqo.io",
    }
    found = {e["name"] for e in entries() if e.get("objectSelector") == NOT_SKIPPED}
    assert found == exempting


def test_of_pods_only_the_creation_of_those_made_of_a_shadow_is_our_question() -> None:
    entry = by_name("remotepod.mutate.liqo.io")
    assert entry["objectSelector"] == {"matchLabels": {"liqo.io/managed-by": "shadowpod"}}
    assert entry["rules"][0]["operations"] == ["CREATE"]


@pytest.mark.parametrize("failure", ["Fail", "Ignore"])
def test_no_pod_waits_long_for_being_made_cheaper(failure: Failure) -> None:
    made = entries(choices=Choices(failure))
    entry = next(each for each in made if each["name"] == "remotepod.mutate.liqo.io")
    assert (entry["failurePolicy"], entry["timeoutSeconds"]) == ("Ignore", 1)


def test_an_installation_may_leave_pods_as_they_are() -> None:
    names = [entry["name"] for entry in entries(choices=Choices(strip=False))]
    assert "remotepod.mutate.liqo.io" not in names
    assert "tenant.mutate.liqo.io" in names


@pytest.mark.parametrize("name", ["tenant.mutate.liqo.io", "tenant.validate.liqo.io"])
def test_S4_a_peer_cannot_exempt_its_own_tenant(name: str) -> None:
    entry = by_name(name)
    assert "objectSelector" not in entry
    assert condition(entry).endswith(f"|| {BY_A_PEER}")


def test_what_cannot_be_asked_is_refused_and_quickly() -> None:
    for entry in entries():
        cheaper = entry["name"] == "remotepod.mutate.liqo.io"
        dispensable = cheaper or entry["name"] == "probe.mutate.liqo.io"
        assert entry["failurePolicy"] == ("Ignore" if dispensable else "Fail")
        assert entry["timeoutSeconds"] <= 10
        assert entry["admissionReviewVersions"] == ["v1"]
        assert "caBundle" not in entry["clientConfig"]


def test_names_of_webhooks_are_unique() -> None:
    for kind in ("Mutating", "Validating"):
        names = [entry["name"] for entry in entries(kind)]
        assert len(names) == len(set(names))


def test_nothing_is_said_by_an_empty_list() -> None:
    """Applied a second time, it would change the configuration."""
    assert all(value != [] for entry in entries() for value in entry.values())
