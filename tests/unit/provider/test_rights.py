"""Bindings: as the wire has them, made, put right and taken back."""

from liqo.api.kubernetes import ClusterRoleBinding, RoleBinding
from liqo.api.meta import Meta
from liqo.provider.rights import Rights, missing, observe, taken_back, to_cluster, to_namespace
from liqo.runtime.plan import Apply, Create, Delete, Manifest
from tests.unit.provider.things import HOME, a_tenant, holding, raw, roles

TENANT = a_tenant()
INNER, OUTER = "liqo-remote-controlplane", "liqo-virtual-kubelet-remote-clusterwide"
NONE_YET = Rights(INNER, OUTER)
MARKS = {
    "app.kubernetes.io/managed-by": "liqo",
    "liqo.io/remote-cluster-id": "rome",
    "liqo.io/managed": "true",
}
IN_NAMESPACE = RoleBinding(
    metadata=Meta(name=f"liqo-binding-{INNER}", namespace=HOME, resource_version="1", labels=MARKS)
)
IN_CLUSTER = ClusterRoleBinding(
    metadata=Meta(name=f"liqo-binding-{OUTER}-rome", resource_version="1", labels=MARKS)
)
GIVEN = Rights(INNER, OUTER, IN_NAMESPACE, IN_CLUSTER)


def test_roles_and_bindings_are_found() -> None:
    assert observe(holding(*roles()), TENANT) == NONE_YET
    assert observe(holding(*roles(), IN_NAMESPACE, IN_CLUSTER), TENANT) == GIVEN


def in_mapped(namespace: str, managed_by: str) -> RoleBinding:
    """What the consumer's kubelets have in a namespace that was made for it."""
    return RoleBinding(
        metadata=Meta(
            name=HOME,
            namespace=namespace,
            resource_version="1",
            labels={"liqo.io/remote-cluster-id": "rome"},
            annotations={"liqo.io/managed-by-namespace-map": managed_by},
        )
    )


def test_rights_in_the_namespaces_made_for_a_consumer_are_found_and_taken_back() -> None:
    shop, bank = in_mapped("shop-rome", f"{HOME}/milan"), in_mapped("bank", f"{HOME}/gone")
    stranger = in_mapped("fair", "liqo-tenant-rome-2/milan")
    found = observe(holding(*roles(), IN_NAMESPACE, shop, bank, stranger), TENANT)
    assert found.in_mapped == (shop, bank)
    assert taken_back(found) == [Delete(IN_NAMESPACE), Delete(shop), Delete(bank)]


def test_roles_that_are_not_installed_are_named() -> None:
    assert missing(NONE_YET) == []
    assert missing(Rights()) == ["remote-controlplane", "virtual-kubelet-remote-clusterwide"]


def test_the_control_plane_is_a_user_and_its_right_ends_with_the_tenant() -> None:
    assert to_namespace(TENANT, NONE_YET) == [
        Create(
            Manifest(
                RoleBinding.KIND,
                {
                    "metadata": {
                        "name": "liqo-binding-liqo-remote-controlplane",
                        "namespace": HOME,
                        "labels": MARKS,
                        "ownerReferences": [
                            {
                                "apiVersion": "authentication.liqo.io/v1beta1",
                                "kind": "Tenant",
                                "name": "rome",
                                "uid": "tenant-1",
                                "controller": True,
                                "blockOwnerDeletion": True,
                            }
                        ],
                    },
                    "roleRef": {
                        "apiGroup": "rbac.authorization.k8s.io",
                        "kind": "ClusterRole",
                        "name": INNER,
                    },
                    "subjects": [
                        {"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": "rome"}
                    ],
                },
            ),
            or_apply=True,
        )
    ]


def test_all_users_of_the_consumer_are_one_group() -> None:
    assert to_cluster(TENANT, NONE_YET) == [
        Create(
            Manifest(
                ClusterRoleBinding.KIND,
                {
                    "metadata": {"name": f"liqo-binding-{OUTER}-rome", "labels": MARKS},
                    "roleRef": {
                        "apiGroup": "rbac.authorization.k8s.io",
                        "kind": "ClusterRole",
                        "name": OUTER,
                    },
                    "subjects": [
                        {"apiGroup": "rbac.authorization.k8s.io", "kind": "Group", "name": "rome"}
                    ],
                },
            ),
            or_apply=True,
        )
    ]


def test_a_binding_that_is_as_it_should_be_costs_nothing() -> None:
    [made] = to_cluster(TENANT, NONE_YET)
    assert isinstance(made, Create)
    assert isinstance(made.object, Manifest)
    there = ClusterRoleBinding(
        metadata=IN_CLUSTER.metadata,
        raw_role_ref=raw(made.object.body["roleRef"]),
        raw_subjects=raw(made.object.body["subjects"]),
    )
    assert to_cluster(TENANT, Rights(INNER, OUTER, None, there)) == []


def test_a_binding_that_somebody_changed_is_put_right() -> None:
    [made] = to_cluster(TENANT, NONE_YET)
    assert isinstance(made, Create)
    assert to_cluster(TENANT, GIVEN) == [Apply(made.object)]
    assert [type(each) for each in to_namespace(TENANT, GIVEN)] == [Apply]


def test_what_was_given_is_taken_back() -> None:
    assert taken_back(GIVEN) == [Delete(IN_CLUSTER), Delete(IN_NAMESPACE)]
    assert taken_back(Rights(INNER, OUTER, None, IN_CLUSTER)) == [Delete(IN_CLUSTER)]
    assert taken_back(NONE_YET) == []
