"""Who may do what, and who may not."""

import pytest

from liqo.install import rights
from liqo.install.rights import Right

OWN = (
    rights.CONTROLLERS,
    rights.CONTROLLERS_AT_HOME,
    rights.CONTROLLERS_AT_THE_API_SERVER,
    rights.WEBHOOKS,
    rights.WEBHOOKS_AT_HOME,
    rights.METRIC_AGENTS,
    rights.METRIC_AGENTS_AT_THE_API_SERVER,
)


def test_a_right_is_a_rule() -> None:
    right = Right("apps", "deployments deployments/status", "get list", only=("web",))
    assert right.rule == {
        "apiGroups": ["apps"],
        "resources": ["deployments", "deployments/status"],
        "verbs": ["get", "list"],
        "resourceNames": ["web"],
    }


def test_without_names_a_rule_is_about_all() -> None:
    assert "resourceNames" not in Right("", "pods", "get").rule


@pytest.mark.parametrize(
    "table", [rights.CONTROLLERS, rights.WEBHOOKS, rights.METRIC_AGENTS, rights.LOCAL_KUBELETS]
)
def test_nobody_has_a_right_on_secrets_in_the_whole_cluster(table: tuple[Right, ...]) -> None:
    assert [right for right in table if "secrets" in right.resources.split()] == []


def test_webhooks_read_secrets_at_home_by_name() -> None:
    on_secrets = [right for right in rights.WEBHOOKS_AT_HOME if right.resources == "secrets"]
    assert all(right.only or right.verbs == "create" for right in on_secrets)


def test_a_kubelet_reads_one_configmap_of_the_whole_cluster() -> None:
    found = [right for right in rights.LOCAL_KUBELETS if "configmaps" in right.resources.split()]
    assert [right.only for right in found] == [("extension-apiserver-authentication",)]


def test_controllers_register_no_api_but_ours() -> None:
    found = [right for right in rights.CONTROLLERS if "apiservices" in right.resources.split()]
    assert [right.only for right in found] == [("v1beta1.metrics.liqo.io",)]


def test_what_is_handed_out_is_bound_by_name() -> None:
    [bind] = [right for right in rights.CONTROLLERS if "bind" in right.verbs.split()]
    assert bind.only == rights.HANDED_OUT


@pytest.mark.parametrize("table", OWN)
def test_nobody_may_do_everything(table: tuple[Right, ...]) -> None:
    assert not any("*" in f"{right.group}{right.resources}{right.verbs}" for right in table)
    assert not any({"escalate", "impersonate"} & set(right.verbs.split()) for right in table)
