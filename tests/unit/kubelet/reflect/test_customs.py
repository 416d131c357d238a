"""What kinds of others ask goes out, and their status comes back."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from liqo.api import labels
from liqo.api.custom import Custom, model_of
from liqo.api.meta import JSON, Key, Kind, Meta
from liqo.api.offloading import NamespaceMap, VirtualNode, VirtualNodeSpec
from liqo.kube.paths import Scope
from liqo.kubelet.atlas import Atlas
from liqo.kubelet.reflect.customs import (
    NO_CUSTOMS,
    Offer,
    Status,
    Unserved,
    controllers,
    judge,
    observe_status,
    plan_status,
    plan_unserved,
    reflection_of,
    status,
    why_it_stays,
)
from liqo.kubelet.reflect.policy import DEFAULT
from liqo.kubelet.reflect.reflection import State, forge, plan
from liqo.kubelet.reflect.views import Views
from liqo.runtime.plan import NOTHING, Apply, PatchStatus, Plan, Record, do
from tests.unit.kubelet.pods.things import PLACE, SITE, raw
from tests.unit.kubelet.reflect.things import OURS, a_copy, a_map, caches, followed

KIND = Kind("example.org", "v1", "Widget", "widgets")
WIDGET = model_of(KIND)
KEY = Key("shop", "a")


def a_widget(status: JSON | None = None, **metadata: Any) -> Custom:
    given = {
        "name": "a",
        "namespace": "shop",
        "uid": "local-1",
        "resource_version": "1",
        "generation": 7,
    }
    said = {"raw_spec": raw({"size": 1}), "raw_status": raw(status or {})}
    return WIDGET(metadata=Meta(**{**given, **metadata}), **said)


def copied(status: JSON | None = None, **metadata: Any) -> Custom:
    given = {
        "namespace": "shop-rome",
        "uid": "remote-1",
        "generation": 2,
        "labels": OURS,
        "annotations": {labels.LOCAL_UID: "local-1"},
    }
    return a_widget(status, **{**given, **metadata})


def test_its_spec_goes_out_and_nothing_else() -> None:
    made = forge(reflection_of(KIND), a_widget({"ready": True}), PLACE, SITE)
    assert made.kind == KIND
    assert made.body["spec"] == {"size": 1}
    assert made.body.keys() == {"metadata", "spec"}
    state: State[Custom] = State(SITE, PLACE, a_widget())
    assert plan(reflection_of(KIND), state) == do(Apply(made, on="remote"))


def test_what_came_from_another_cluster_goes_no_further() -> None:
    came = a_widget(labels={labels.ORIGIN: "naples"})
    assert judge(came, "DenyList") == "stays"
    assert why_it_stays(came, "DenyList") == "what came from another cluster"


def test_any_other_goes_by_the_policy() -> None:
    assert judge(a_widget(), "DenyList") == "goes"
    assert judge(a_widget(), "AllowList") == "stays"
    assert why_it_stays(a_widget(), "AllowList") == 'the current object (policy: "AllowList")'


@pytest.mark.parametrize(
    ("here", "there", "expected"),
    [
        ({"ready": False}, {}, None),
        ({"ready": True}, {"ready": True}, None),
        ({}, {"ready": True}, {"ready": True}),
        ({"old": 1}, {"ready": True}, {"old": None, "ready": True}),
        ({}, {"ready": True, "observedGeneration": 2}, {"ready": True, "observedGeneration": 7}),
        ({"observedGeneration": 7}, {"observedGeneration": 2}, None),
        ({}, {"ready": True, "observedGeneration": 1}, {"ready": True}),
    ],
)
def test_its_status_comes_back(here: JSON, there: JSON, expected: JSON | None) -> None:
    local = a_widget(here)
    wanted: Plan = do(PatchStatus(local, expected)) if expected is not None else NOTHING
    assert plan_status(Status(local, copied(there))) == wanted


async def test_a_namespace_that_is_accepted_again_shows_what_was_said_meanwhile() -> None:
    made = status(await views(a_widget(), copied()), SITE, KIND)
    [moved] = [keys for each, keys in made.watches.items() if isinstance(each, Atlas)]
    assert list(moved("shop")) == [KEY]


async def views(local: Custom | None, remote: Custom | None) -> Views[Custom]:
    copies: Any = await a_copy(WIDGET, [remote] if remote is not None else [])
    return Views(
        atlas=Atlas(await a_copy(NamespaceMap, [a_map()]), "milan"),
        locals=await a_copy(WIDGET, [local] if local is not None else []),
        remotes=copies,
    )


async def test_only_the_status_of_its_own_copy_is_shown() -> None:
    seen = await views(a_widget(), copied())
    assert observe_status(seen, SITE, KEY) == Status(a_widget(), copied())
    earlier = copied(annotations={labels.LOCAL_UID: "local-0"})
    for local, remote in (
        (None, copied()),
        (a_widget(), None),
        (a_widget(), copied(labels={})),
        (a_widget(), earlier),
    ):
        assert observe_status(await views(local, remote), SITE, KEY) is None
    elsewhere = await views(a_widget(namespace="bank"), copied())
    assert observe_status(elsewhere, SITE, Key("bank", "a")) is None


NODE = VirtualNode(
    metadata=Meta(name="milan", namespace="liqo-tenant-milan", resource_version="1"),
    spec=VirtualNodeSpec(cluster_id="milan"),
)


def test_a_kind_that_a_cluster_does_not_serve_is_told_with_the_way_out() -> None:
    [told] = plan_unserved(Unserved(NODE, ((KIND, "milan"),))).actions
    assert isinstance(told, Record)
    assert (told.about, told.type) == (NODE, "Warning")
    assert told.message.startswith('cluster "milan" does not serve widgets.example.org/v1')
    assert "restart the virtual kubelet" in told.message


def test_what_is_followed_of_each_kind() -> None:
    rome, milan = caches("rome"), caches("milan")
    offer = Offer(served=(KIND,))
    made = list(controllers(rome, milan, SITE, DEFAULT, offer))
    assert [each.name for each in made] == [
        "kubelet/reflect/customs/widgets.example.org",
        "kubelet/reflect/customs/widgets.example.org/status",
    ]
    assert [each.reading.metadata_only for each in milan] == [False]
    out, back = made
    assert followed(out) == ["Widget", "atlas", "Widget", "arrivals", "arrivals"]
    assert followed(back) == ["Widget", "atlas", "Widget"]
    assert list(controllers(rome, milan, SITE, DEFAULT, NO_CUSTOMS)) == []


def test_what_is_missing_is_looked_at_with_the_virtual_node() -> None:
    rome = caches("rome")
    offer = Offer(missing=((KIND, "milan"),))
    [made] = controllers(rome, caches("milan"), SITE, DEFAULT, offer)
    assert made.observe(NODE.key) is None
    rome.of(VirtualNode, Scope("liqo-tenant-milan")).take(NODE)
    assert made.observe(NODE.key) == Unserved(NODE, offer.missing)
    other = msgspec.structs.replace(NODE, metadata=Meta(name="other", namespace=NODE.key.namespace))
    assert made.observe(other.key) is None
