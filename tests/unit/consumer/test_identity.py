"""A provider's answer becomes a kubeconfig Secret as the wire has it."""

from __future__ import annotations

import msgspec
import pytest

from liqo.api import labels
from liqo.api.authentication import Identity, IdentitySpec
from liqo.api.meta import Key, Meta
from liqo.api.offloading import VirtualNode, VirtualNodeSpec
from liqo.api.values import LocalReference
from liqo.consumer.home import keys
from liqo.consumer.identity import State, controller, forge, observe, plan
from liqo.rules.ownership import owned_by, used_by
from liqo.runtime.controller import owner
from liqo.runtime.plan import NOTHING, Apply
from liqo.runtime.requests import body_of
from liqo.runtime.tenants import secrets
from tests.unit.consumer import things

PAIR = things.key_pair()


def of_a_slice() -> Identity:
    return Identity(
        metadata=things.meta("resourceslice-milan"),
        spec=IdentitySpec(
            cluster_id="milan", type="ResourceSlice", auth_params=things.SLICE_ANSWER
        ),
    )


def a_state(identity: Identity, *nodes: VirtualNode) -> State:
    return State(identity, things.HOME, PAIR.private, nodes)


def a_node(name: str, secret: str | None = "kubeconfig-resourceslice-milan") -> VirtualNode:
    named = LocalReference(name=secret) if secret is not None else None
    return VirtualNode(
        metadata=things.meta(name), spec=VirtualNodeSpec(kubeconfig_secret_ref=named)
    )


@pytest.mark.parametrize(
    ("identity", "annotations", "length"),
    [
        (things.an_identity(), {labels.REMOTE_TENANT_NAMESPACE: "liqo-tenant-rome"}, 4116),
        (of_a_slice(), None, 4100),
    ],
)
def test_the_secret_is_the_one_of_the_wire(
    identity: Identity, annotations: object, length: int
) -> None:
    """To the length of the kubeconfig in it: nothing is missing, nothing is too much."""
    made = body_of(forge(a_state(identity)))
    metadata = made["metadata"]
    assert metadata["name"] == f"kubeconfig-{identity.metadata.name}"
    assert metadata.get("annotations") == annotations
    assert metadata["labels"] == {
        labels.MANAGED: "true",
        labels.REMOTE_CLUSTER_ID: "milan",
        labels.IDENTITY_TYPE: identity.spec.type,
    }
    assert metadata["ownerReferences"] == [msgspec.to_builtins(owned_by(identity))]
    assert (made["type"], made["data"].keys()) == ("Opaque", {"kubeconfig"})
    assert len(made["data"]["kubeconfig"]) == length


def test_the_secret_is_also_that_of_the_virtual_nodes_that_use_it() -> None:
    """It must not go with its slice while their pods leave."""
    identity, one, other = of_a_slice(), a_node("milan"), a_node("pool")
    made = body_of(forge(a_state(identity, one, other)))["metadata"]["ownerReferences"]
    assert made == msgspec.to_builtins([owned_by(identity), used_by(one), used_by(other)])
    assert [each.get("controller") for each in made] == [True, None, None]


def test_the_virtual_nodes_beside_it_that_name_its_secret_use_it() -> None:
    here, identity = things.caches(), of_a_slice()
    users = a_node("milan"), a_node("pool")
    others = a_node("by-hand", "mine"), a_node("nameless", None)
    elsewhere = a_node("elsewhere")
    moved = msgspec.structs.replace(elsewhere.metadata, namespace="liqo-tenant-turin")
    elsewhere = msgspec.structs.replace(elsewhere, metadata=moved)
    for each in (identity, *reversed(users), *others, elsewhere):
        things.put(here, each)
    keys(here, things.HOME).take(things.the_keys(PAIR))
    assert observe(here, things.HOME, identity.key) == a_state(identity, *users)
    concerned = controller(here, things.HOME).watches[here.of(VirtualNode)]
    assert [list(concerned(each)) for each in users] == [[identity.key]] * 2
    assert [list(concerned(each)) for each in (*others, elsewhere)] == [[]] * 3


def test_the_secret_comes_first_and_then_the_status_that_names_it() -> None:
    identity = things.an_identity()
    secret, status = plan(a_state(identity)).actions
    assert secret == Apply(forge(a_state(identity)))
    assert isinstance(status, Apply)
    assert status.subresource == "status"
    assert body_of(status.object)["status"] == {
        "kubeconfigSecretRef": {"name": "kubeconfig-controlplane-milan"}
    }
    assert "spec" not in body_of(status.object)


def test_the_same_answer_gives_the_same_bytes() -> None:
    identity = things.an_identity()
    assert forge(a_state(identity)) == forge(a_state(identity))


def test_what_is_being_deleted_or_unanswered_is_left_alone() -> None:
    going = things.an_identity(deletion_timestamp="2026-01-02T12:00:00Z")
    unanswered = Identity(metadata=Meta(name="x"), spec=IdentitySpec(type="ControlPlane"))
    assert plan(a_state(going)) == NOTHING
    assert plan(a_state(unanswered)) == NOTHING


def test_what_is_observed() -> None:
    here, identity = things.caches(), things.an_identity()
    watched = controller(here, things.HOME).watches
    assert watched[secrets(here)] is owner
    things.put(here, identity)
    assert observe(here, things.HOME, identity.key) is None  # without our keys
    keys(here, things.HOME).take(things.the_keys(PAIR))
    assert observe(here, things.HOME, identity.key) == a_state(identity)
    assert observe(here, things.HOME, Key("x", "y")) is None
    assert list(watched[keys(here, things.HOME)](things.the_keys(PAIR))) == [identity.key]


def test_a_proxy_is_named_in_the_kubeconfig() -> None:
    identity = things.an_identity()
    answer = msgspec.structs.replace(things.ANSWER, proxy_url="http://10.0.0.1:8118")
    spec = msgspec.structs.replace(identity.spec, auth_params=answer)
    through = msgspec.structs.replace(identity, spec=spec)
    assert forge(a_state(through)) != forge(a_state(identity))
