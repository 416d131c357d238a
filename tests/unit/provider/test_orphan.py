"""What is left of a consumer that stripped our finalizer and deleted its Tenant."""

import msgspec

from liqo.api import labels
from liqo.api.kubernetes import ClusterRoleBinding, RoleBinding
from liqo.api.meta import Key, Meta
from liqo.provider.orphan import State, controller, observe, plan
from liqo.runtime.plan import Delete, Patch, do
from liqo.runtime.tenants import OF_PEERS
from tests.unit.provider.things import (
    HOME,
    NOW,
    a_home,
    a_map,
    a_nonce,
    a_renew,
    a_slice,
    a_tenant,
    holding,
    leaving,
    raw,
)

ROLE = "liqo-virtual-kubelet-remote-clusterwide"
MARKS = {labels.REMOTE_CLUSTER_ID: "rome"}


def a_binding(name: str = f"liqo-binding-{ROLE}-rome", role: str = ROLE) -> ClusterRoleBinding:
    return ClusterRoleBinding(
        metadata=Meta(name=name, uid="binding-1", resource_version="1", labels=MARKS),
        raw_role_ref=raw({"kind": "ClusterRole", "name": role}),
    )


BINDING = a_binding()
MAPPED = RoleBinding(
    metadata=Meta(
        name=HOME,
        namespace="shop-rome",
        resource_version="1",
        labels=MARKS,
        annotations={labels.MANAGED_BY_NAMESPACE_MAP: f"{HOME}/milan"},
    )
)
THINGS = (a_home(), BINDING, MAPPED, a_slice(), a_map(), a_renew(), a_nonce())


def test_all_of_it_goes_and_the_trace_that_led_to_it_last() -> None:
    held = msgspec.structs.replace(
        a_slice(), metadata=msgspec.structs.replace(a_slice().metadata, finalizers=("rome/own",))
    )
    assert plan(State(BINDING, (MAPPED,), (held, a_map()), (a_nonce(),))) == do(
        Delete(MAPPED),
        Patch(held, {"metadata": {"finalizers": None}}, only_if_unchanged=True),
        Delete(held),
        Delete(a_map()),
        Patch(a_nonce(), {"data": {"nonce": None}}),
        Delete(BINDING),
    )


def test_without_a_tenant_all_that_its_consumer_has_is_seen_but_for_its_word_of_leaving() -> None:
    said = {labels.WITHDRAWAL: "true"}
    metadata = msgspec.structs.replace(a_renew().metadata, name="mark", annotations=said)
    mark = msgspec.structs.replace(a_renew(), metadata=metadata)
    assert observe(holding(*THINGS, mark), BINDING.key) == State(
        BINDING, (MAPPED,), (a_slice(), a_map(), a_renew()), (a_nonce(),)
    )


def test_while_there_is_a_tenant_its_own_controller_decides() -> None:
    for tenant in (a_tenant(), leaving(a_tenant(), NOW)):
        assert observe(holding(*THINGS, tenant), BINDING.key) is None


def test_bindings_of_others_that_name_a_peer_are_left_alone() -> None:
    kubelet = a_binding("liqo-node-rome", "liqo-virtual-kubelet-local")
    assert observe(holding(a_home(), kubelet), kubelet.key) is None
    assert observe(holding(), BINDING.key) is None


def test_a_tenant_that_goes_brings_the_bindings_of_its_consumer() -> None:
    here = holding(BINDING)
    watches = controller(here).watches
    assert set(watches) == {*here}
    (follow,) = (
        of for cache, of in watches.items() if cache is not here.of(ClusterRoleBinding, OF_PEERS)
    )
    assert list(follow(a_tenant())) == [Key("", BINDING.metadata.name)]
