"""An accepted slice with credentials becomes a VirtualNode."""

from __future__ import annotations

import msgspec
import pytest

from liqo.api import labels
from liqo.api.authentication import Identity, IdentityStatus, ResourceSlice
from liqo.api.offloading import VirtualNode
from liqo.api.values import LocalReference, StorageClass
from liqo.consumer.virtualnode import State, controller, forge, is_wished, observe, plan
from liqo.rules.ownership import owned_by
from liqo.runtime.plan import NOTHING, Apply, Record
from liqo.runtime.requests import body_of
from liqo.runtime.tenants import secrets
from tests.builders import bring
from tests.captured import captured, comparable
from tests.unit.consumer import things

KUBECONFIG = "kubeconfig-resourceslice-milan"
GPU = "nvidia.com/gpu 0 = floor(0.9 × 1): use at-least-one"
SUM = f"""\
cpu 45 = floor(0.9 × (100 − 50))
{GPU}
largest pod on one of 4 nodes: memory 60Gi, cpu 25"""
BY_THE_WEBHOOK = {"createNode", "disableNetworkCheck", "offloadingPatch", "template"}


def accepted(**status: object) -> ResourceSlice:
    granted = things.answered(authentication="Accepted", resources="Accepted")
    return msgspec.structs.replace(
        granted, status=msgspec.structs.replace(granted.status, **status)
    )


def a_state(granted: ResourceSlice, kubeconfig: str = KUBECONFIG) -> State:
    return State(granted, kubeconfig, None, things.HOME)


def test_the_virtual_node_is_the_captured_one() -> None:
    """But for what the webhook adds."""
    classes = (StorageClass(storage_class_name="liqo"),)
    made = forge(a_state(accepted(storage_classes=classes)), "milan")
    wanted = captured("consumer", "VirtualNode", "milan")
    del wanted["status"]
    wanted["spec"] = {
        name: value for name, value in wanted["spec"].items() if name not in BY_THE_WEBHOOK
    }
    assert comparable(body_of(made)) == comparable(wanted)


def test_the_selector_of_a_class_controller_is_handed_on() -> None:
    made = forge(a_state(accepted(node_selector={"disk": "fast"})), "milan")
    assert made.spec.offloading_patch is not None
    assert made.spec.offloading_patch.node_selector == {"disk": "fast"}


def test_what_no_node_may_have_is_cut() -> None:
    """Of a class that knows no better; our webhook would refuse it."""
    resources = {"cpu": "500m", "pods": "1500m"}
    made = forge(a_state(accepted(resources=resources)), "milan")
    assert made.spec.resource_quota.hard == {"cpu": "500m", "pods": "1"}


def test_a_new_one_is_told_of_once() -> None:
    state = a_state(accepted())
    apply, record = plan(state).actions
    assert apply == Apply(forge(state, "milan"))
    assert isinstance(record, Record)
    assert record.reason == "VirtualNodeCreated"
    there = State(state.granted, KUBECONFIG, VirtualNode(), things.HOME)
    assert plan(there).actions == (apply,)


def shared(**resources: str) -> ResourceSlice:
    """A share, with its sum."""
    granted = accepted(resources=resources)
    authentication, answer = granted.status.conditions
    told = msgspec.structs.replace(answer, message=SUM)
    status = msgspec.structs.replace(granted.status, conditions=(authentication, told))
    return msgspec.structs.replace(granted, status=status)


def test_what_fits_on_one_node_of_the_provider_is_told() -> None:
    assert forge(a_state(shared(cpu="45")), "milan").spec.annotations == {
        "offloading.liqo.io/largest-pod": "cpu=25,memory=60Gi"
    }


def test_a_provider_that_explains_nothing_is_no_less_welcome() -> None:
    assert forge(a_state(accepted()), "milan").spec.annotations == {}


def test_what_a_share_rounds_away_is_told_whenever_the_provider_offers_anew() -> None:
    new = plan(a_state(shared(cpu="45")))
    told = Record(shared(cpu="45"), "RoundedToZero", GPU, "Warning")
    assert new.actions[2:] == (told,)
    node = forge(a_state(shared(cpu="45")), "milan")
    there = State(shared(cpu="45"), KUBECONFIG, node, things.HOME)
    assert len(plan(there).actions) == 1
    more = State(shared(cpu="90"), KUBECONFIG, node, things.HOME)
    assert [type(each) for each in plan(more).actions] == [Apply, Record]


@pytest.mark.parametrize(
    "granted",
    [
        things.answered(authentication="Accepted", resources="Denied"),
        things.answered(authentication="Denied", resources="Accepted"),
        things.answered(authentication="Accepted"),
        msgspec.structs.replace(accepted(), metadata=things.meta("milan", annotations={})),
        msgspec.structs.replace(
            accepted(),
            metadata=things.meta(
                "milan",
                labels=things.REPLICATED,
                annotations={labels.CREATE_VIRTUAL_NODE: "true"},
                deletion_timestamp="2026-01-02T12:00:00Z",
            ),
        ),
    ],
)
def test_without_wish_and_both_answers_nothing_is_done_and_nothing_undone(
    granted: ResourceSlice,
) -> None:
    assert plan(a_state(granted)) == NOTHING


def test_without_credentials_it_waits() -> None:
    assert plan(a_state(accepted(), kubeconfig="")) == NOTHING


@pytest.mark.parametrize(
    ("value", "wished"), [("true", True), ("yes", True), ("", False), ("False", False)]
)
def test_what_counts_as_a_wish(value: str, wished: bool) -> None:
    asked = things.a_request(annotations={labels.CREATE_VIRTUAL_NODE: value})
    assert is_wished(asked) is wished
    assert not is_wished(things.a_request(annotations={}))


def test_what_is_observed() -> None:
    here, granted = things.caches(), accepted()
    watched = controller(here, things.HOME).watches
    things.put(here, granted)
    assert observe(here, things.HOME, granted.key) == a_state(granted, "")
    identity = Identity(
        metadata=things.meta("resourceslice-milan", owner_references=(owned_by(granted),)),
        status=IdentityStatus(kubeconfig_secret_ref=LocalReference(name=KUBECONFIG)),
    )
    secret = things.a_secret(KUBECONFIG, {}, owner_references=(owned_by(identity),))
    things.put(here, identity)
    assert observe(here, things.HOME, granted.key) == a_state(granted, "")
    bring(here, secret)
    assert observe(here, things.HOME, granted.key) == a_state(granted)
    assert list(watched[secrets(here)](secret)) == [granted.key]


def test_what_a_consumer_asks_of_us_is_not_observed() -> None:
    here = things.caches()
    marks = {labels.REPLICATED: "true", labels.ORIGIN_ID: "naples"}
    copy = things.a_request(labels=marks)
    things.put(here, copy)
    assert observe(here, things.HOME, copy.key) is None
