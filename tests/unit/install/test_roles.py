"""Roles, and who has them."""

from liqo.api.meta import JSON
from liqo.install import rights
from liqo.install.roles import manifests
from tests.unit.install.settled import settings


def made(kind: str) -> dict[str, JSON]:
    found = [each for each in manifests(settings()) if each["kind"] == kind]
    return {
        f"{each['metadata'].get('namespace', '')}/{each['metadata']['name']}": each
        for each in found
    }


def test_every_cluster_role_of_the_wire_is_there_under_its_label() -> None:
    names = {
        name.removeprefix("/"): role["metadata"]["labels"]
        for name, role in made("ClusterRole").items()
    }
    assert set(rights.HANDED_OUT) <= set(names)
    labelled = {name: labels["app.kubernetes.io/name"] for name, labels in names.items()}
    assert labelled["liqo-remote-controlplane"] == "remote-controlplane"
    assert (
        labelled["liqo-virtual-kubelet-remote-clusterwide"] == "virtual-kubelet-remote-clusterwide"
    )


def test_only_our_own_programs_are_bound() -> None:
    everywhere = made("ClusterRoleBinding")
    assert set(everywhere) == {"/liqo-controller-manager", "/liqo-webhook"}
    bound = made("RoleBinding")
    assert set(bound) == {
        "liqo/liqo-controller-manager",
        "liqo/liqo-webhook",
        "default/liqo-controller-manager",
    }
    for binding in (*everywhere.values(), *bound.values()):
        [subject] = binding["subjects"]
        assert subject["kind"] == "ServiceAccount"
        assert subject["namespace"] == "liqo"
        assert subject["name"] == binding["roleRef"]["name"] == binding["metadata"]["name"]


def test_a_peering_user_has_one_role_and_one_cluster_role() -> None:
    marked = [
        each["metadata"]["name"]
        for each in manifests(settings())
        if each["metadata"]["labels"]["app.kubernetes.io/component"] == "peering-user"
    ]
    assert sorted(marked) == ["liqo-peering-user-liqo-ns", "liqo-peering-user-tenant-ns"]


def test_a_binding_refers_to_a_role_of_its_own_scope() -> None:
    kinds = {each["roleRef"]["kind"] for each in made("RoleBinding").values()}
    assert kinds == {"Role"}
