"""A provider's answer becomes a kubeconfig Secret as the wire has it."""

from __future__ import annotations

import msgspec
import pytest

from liqo.api import labels
from liqo.api.authentication import Identity, IdentitySpec
from liqo.api.meta import Key, Meta
from liqo.consumer.home import keys
from liqo.consumer.identity import State, controller, forge, observe, plan
from liqo.rules.ownership import owned_by
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


def a_state(identity: Identity) -> State:
    return State(identity, things.HOME, PAIR.private)


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
