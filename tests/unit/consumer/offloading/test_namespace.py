"""One namespace that is offloaded: what is done for it, and what is said."""

from datetime import timedelta
from typing import Any

import pytest

from liqo.api import labels
from liqo.api.kubernetes import Deployment
from liqo.api.meta import Key, Meta, Resource
from liqo.api.offloading import NamespaceOffloadingSpec, RemoteNamespace
from liqo.consumer.offloading.namespace import (
    State,
    controller,
    observe,
    plan,
    webhook,
)
from liqo.rules.extent import Extent
from liqo.runtime.plan import NOTHING, Action, Patch, PatchStatus, Record
from tests.unit.consumer.offloading.things import (
    JUST_NOW,
    LONG_AGO,
    NOW,
    SOUTH,
    a_map,
    a_namespace,
    a_virtual_node,
    accepted,
    bring_namespace,
    clock,
    offloading,
    with_status,
)
from tests.unit.consumer.things import HOME, caches, put, raw

KEY = Key("shop", "offloading")
READY = Extent(selected=True, phase="Accepted")
OPEN = {labels.SCHEDULING_ENABLED: "true"}
LOCAL = NamespaceOffloadingSpec(pod_offloading_strategy="Local")


def state(wanted: Any = None, **more: Any) -> State:
    said = {
        "wanted": wanted or offloading(),
        "namespace": a_namespace(marks=OPEN),
        "remote_name": "shop-rome",
        "extents": {"milan": READY},
        "now": NOW,
        **more,
    }
    return State(**said)


def labels_set(actions: tuple[Action, ...]) -> list[Any]:
    patches = [each for each in actions if isinstance(each, Patch) and "labels" in str(each.change)]
    return [each.change["metadata"]["labels"] for each in patches]


def statuses(actions: tuple[Action, ...]) -> list[Any]:
    return [each.status for each in actions if isinstance(each, PatchStatus)]


def finalizers(actions: tuple[Action, ...]) -> list[Any]:
    changes = [each.change for each in actions if isinstance(each, Patch)]
    return [each["metadata"]["finalizers"] for each in changes if "finalizers" in each["metadata"]]


def events(actions: tuple[Action, ...]) -> list[tuple[str, str]]:
    return [(each.reason, each.message) for each in actions if isinstance(each, Record)]


def test_E09_the_status_tells_phase_name_and_every_cluster() -> None:
    [said] = statuses(plan(state(offloading(generation=3))).actions)
    assert said["offloadingPhase"] == "Ready"
    assert said["remoteNamespaceName"] == "shop-rome"
    assert said["observedGeneration"] == 3
    assert [each["reason"] for each in said["remoteNamespacesConditions"]["milan"]] == [
        "ClusterSelected",
        "RemoteNamespaceCreated",
    ]


def test_what_is_said_already_is_not_said_again() -> None:
    [said] = statuses(plan(state()).actions)
    later = NOW + timedelta(hours=1)
    assert plan(state(with_status(offloading(), said), now=later)) == NOTHING


def test_a_cluster_that_vanished_is_no_longer_listed() -> None:
    [said] = statuses(plan(state()).actions)
    [again] = statuses(plan(state(with_status(offloading(), said), extents={})).actions)
    assert again["remoteNamespacesConditions"] is None
    assert again["offloadingPhase"] == "NoClusterSelected"


@pytest.mark.parametrize(
    ("spec", "marks", "change"),
    [
        (NamespaceOffloadingSpec(), {}, [OPEN]),
        (NamespaceOffloadingSpec(), {labels.SCHEDULING_ENABLED: "false"}, [OPEN]),
        (NamespaceOffloadingSpec(pod_offloading_strategy="Remote"), OPEN, []),
        (LOCAL, OPEN, []),
        (LOCAL, {}, []),
    ],
)
def test_where_pods_may_go_out_the_namespace_is_labelled(
    spec: NamespaceOffloadingSpec, marks: dict[str, str], change: list[Any]
) -> None:
    namespace = a_namespace(marks=marks)
    actions = plan(state(offloading(spec=spec), namespace=namespace)).actions
    assert labels_set(actions) == change


def test_a_new_one_is_held() -> None:
    [held] = finalizers(plan(state(offloading(finalizers=()))).actions)
    assert held == [labels.NAMESPACE_OFFLOADING_FINALIZER]


def test_one_that_goes_waits_until_no_cluster_has_anything() -> None:
    going = offloading(deletion_timestamp=JUST_NOW)
    waiting = plan(state(going, extents={"milan": Extent(selected=False, phase="Terminating")}))
    assert labels_set(waiting.actions) == [{labels.SCHEDULING_ENABLED: None}]
    [said] = statuses(waiting.actions)
    assert said["offloadingPhase"] == "Terminating"
    assert waiting.wake_after == 240
    assert finalizers(waiting.actions) == []
    gone = plan(state(going, extents={"milan": Extent(selected=False)}, namespace=None))
    assert finalizers(gone.actions) == [None]


def test_one_that_goes_waits_until_no_cluster_is_asked_for_it() -> None:
    """The provider has not answered, and may still make it."""
    here = caches()
    put(here, offloading(deletion_timestamp=JUST_NOW))
    put(here, a_virtual_node())
    put(here, a_map(desired={"shop": "shop-rome"}))
    asked = observe(here, HOME, clock, KEY)
    assert asked is not None
    assert finalizers(plan(asked).actions) == []
    put(here, a_map(resource_version="2"))
    asked_no_more = observe(here, HOME, clock, KEY)
    assert asked_no_more is not None
    assert finalizers(plan(asked_no_more).actions) == [None]


def test_a_provider_that_never_answers_holds_nothing_for_ever() -> None:
    going = offloading(deletion_timestamp=LONG_AGO)
    gone = plan(state(going, extents={"milan": Extent(selected=False, phase="Terminating")}))
    assert finalizers(gone.actions) == [None]


def test_one_that_others_hold_is_left_to_them() -> None:
    assert plan(state(offloading(deletion_timestamp=JUST_NOW, finalizers=("theirs",)))) == NOTHING


def test_one_that_is_not_heeded_says_why_and_is_not_held() -> None:
    refused = plan(state(objection="it cannot be", extents={}))
    assert finalizers(refused.actions) == [None]
    assert events(refused.actions) == [("Invalid", "it cannot be")]
    [said] = statuses(refused.actions)
    assert (said["offloadingPhase"], said["observedGeneration"]) == ("NoClusterSelected", 1)


def test_a_selector_that_matches_nothing_is_told_with_what_there_is() -> None:
    elsewhere = {"milan": Extent(selected=False), "turin": Extent(selected=False)}
    assert events(plan(state(extents=elsewhere)).actions) == [
        ("NoClusterSelected", "no cluster matches the ClusterSelector; there are milan, turin")
    ]
    assert events(plan(state(extents={})).actions) == []


def test_a_selector_that_cannot_be_read_is_told() -> None:
    term = {"matchExpressions": [{"key": "region", "operator": "Near"}]}
    spec = NamespaceOffloadingSpec(cluster_selector={"nodeSelectorTerms": [term]})
    [(reason, message)] = events(plan(state(offloading(spec=spec))).actions)
    assert reason == "Invalid"
    assert message.startswith("Invalid ClusterSelector: nodeSelectorTerms[0]")


def test_what_a_provider_objects_is_told() -> None:
    taken = Extent(selected=True, phase="CreationLoopBackOff", problem="it exists")
    assert events(plan(state(extents={"milan": taken})).actions) == [
        ("CreationLoopBackOff", "milan: it exists")
    ]


def test_a_webhook_that_does_not_run_is_told_where_pods_need_it() -> None:
    silent = {"unreviewed": "it does not run"}
    assert events(plan(state(**silent)).actions) == [("WebhookUnavailable", "it does not run")]
    assert events(plan(state(offloading(spec=LOCAL), **silent)).actions) == []


def test_what_is_seen_of_each_cluster() -> None:
    here = caches()
    assert observe(here, HOME, clock, KEY) is None
    elsewhere = {"key": labels.REMOTE_CLUSTER_ID, "operator": "NotIn", "values": ["bari"]}
    selector = {"nodeSelectorTerms": [{"matchExpressions": [elsewhere]}]}
    put(here, offloading(spec=NamespaceOffloadingSpec(cluster_selector=selector)))
    bring_namespace(here, a_namespace())
    full = {
        "milan": a_map(desired={"shop": "shop-rome"}, current={"shop": accepted()}),
        "turin": a_map("turin", desired={"shop": "shop-rome"}),
        "pisa": a_map("pisa", current={"shop": accepted("old")}),
        "bari": a_map("bari", current={"shop": accepted()}),
        "lecce": a_map("lecce", desired={"other": "shop-rome"}),
        "crema": a_map("crema", current={"other": accepted()}),
        "siena": a_map(
            "siena",
            current={"shop": RemoteNamespace(remote_namespace="shop-rome", message="taken")},
        ),
    }
    for provider, known in full.items():
        put(here, known)
        put(here, a_virtual_node(provider))
    seen = observe(here, HOME, clock, KEY)
    assert seen is not None
    taken = 'the namespace "other" is called "shop-rome" there already'
    assert seen.extents == {
        "milan": READY,
        "turin": Extent(selected=True),
        "pisa": Extent(selected=True),
        "bari": Extent(selected=False, phase="Terminating"),
        "lecce": Extent(selected=True, phase="CreationLoopBackOff", problem=taken),
        "crema": Extent(selected=True, phase="CreationLoopBackOff", problem=taken),
        "siena": Extent(selected=True, problem="taken"),
    }
    assert (seen.remote_name, seen.namespace, seen.unreviewed) == ("shop-rome", a_namespace(), "")


def test_a_name_that_is_too_long_is_told_of_every_selected_cluster() -> None:
    here = caches()
    put(here, offloading("x" * 60))
    put(here, a_map())
    put(here, a_virtual_node())
    seen = observe(here, HOME, clock, Key("x" * 60, "offloading"))
    assert seen is not None
    assert seen.extents["milan"].phase == "CreationLoopBackOff"
    assert "65 characters" in seen.extents["milan"].problem


def test_in_a_namespace_of_kubernetes_nothing_is_seen() -> None:
    here = caches()
    put(here, offloading("kube-system"))
    put(here, a_map())
    seen = observe(here, HOME, clock, Key("kube-system", "offloading"))
    assert seen is not None
    assert (bool(seen.objection), seen.extents) == (True, {})


@pytest.mark.parametrize(("available", "is_running"), [(0, False), (2, True)])
def test_the_webhook_answers_while_one_of_its_pods_is_available(
    available: int, is_running: bool
) -> None:
    here = caches()
    put(here, offloading())
    webhook(here, HOME).take(
        Deployment(
            metadata=Meta(name="liqo-webhook", namespace="liqo", resource_version="1"),
            raw_status=raw({"availableReplicas": available}),
        )
    )
    seen = observe(here, HOME, clock, KEY)
    assert seen is not None
    assert ("the Deployment liqo-webhook" in seen.unreviewed) is not is_running


def test_pods_of_a_namespace_that_looks_like_a_tenants_are_not_reviewed() -> None:
    here = caches()
    put(here, offloading())
    bring_namespace(here, a_namespace(marks={labels.TENANT_NAMESPACE: "true"}))
    seen = observe(here, HOME, clock, KEY)
    assert seen is not None
    assert seen.objection == ""
    assert "Remove the label" in seen.unreviewed


def concerned(here: Any, changed: Resource, number: int) -> list[Key]:
    keys_of = list(controller(here, HOME, clock).watches.values())[number]
    return list(keys_of(changed))


def test_one_that_another_was_preferred_to_hears_of_it() -> None:
    """Both came at once: it said that it is being created before it could know better."""
    here = caches()
    [coming] = statuses(plan(state(extents={"milan": Extent(selected=True)})).actions)
    put(here, with_status(offloading(), coming))
    assert concerned(here, a_map(desired={"shop": "shop-rome"}), 2) == []
    assert concerned(here, a_map(desired={"other": "shop-rome"}), 2) == [KEY]
    [elsewhere] = statuses(plan(state(extents={"milan": Extent(selected=False)})).actions)
    put(here, with_status(offloading(resource_version="2"), elsewhere))
    assert concerned(here, a_map(desired={"other": "shop-rome"}), 2) == []


def test_a_change_concerns_those_that_it_may_matter_to() -> None:
    here = caches()
    [said] = statuses(plan(state()).actions)
    put(here, with_status(offloading(), said))
    put(here, offloading("farm", NamespaceOffloadingSpec(cluster_selector=SOUTH)))
    put(here, offloading("left", deletion_timestamp=JUST_NOW))
    farm, left = Key("farm", "offloading"), Key("left", "offloading")
    assert concerned(here, offloading(), 0) == [KEY]
    assert concerned(here, a_namespace(), 1) == [KEY]
    assert concerned(here, a_namespace("other"), 1) == []
    known = a_map(current={"shop": accepted()})
    assert concerned(here, known, 2) == [farm, left]
    assert concerned(here, a_map(), 2) == [KEY, farm, left]
    copy = a_map(labels={labels.REPLICATED: "true", labels.ORIGIN_ID: "venice"})
    assert concerned(here, copy, 2) == []
    assert concerned(here, a_virtual_node(), 3) == [KEY, farm, left]
    assert concerned(here, a_virtual_node(), 4) == [farm]
