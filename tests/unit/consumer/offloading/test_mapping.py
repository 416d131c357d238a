"""What a NamespaceMap says is what all NamespaceOffloadings want, and nothing else."""

from liqo.api import labels
from liqo.api.meta import Key
from liqo.api.offloading import MappingPhase, NamespaceOffloadingSpec, RemoteNamespace
from liqo.consumer.offloading.mapping import State, controller, observe, plan
from liqo.kube.cache import Caches
from liqo.runtime.plan import NOTHING, Patch, Plan, do
from tests.unit.consumer.offloading.things import (
    JUST_NOW,
    SOUTH,
    a_map,
    a_namespace,
    a_virtual_node,
    accepted,
    bring_namespace,
    offloading,
)
from tests.unit.consumer.things import HOME, caches, put

KEY = Key("liqo-tenant-milan", "milan")


def test_every_namespace_that_selects_the_cluster_is_in_its_map() -> None:
    here = caches()
    put(here, a_map())
    put(here, a_virtual_node())
    put(here, offloading("shop"))
    put(here, offloading("bank", NamespaceOffloadingSpec(pod_offloading_strategy="Local")))
    put(here, offloading("farm", NamespaceOffloadingSpec(cluster_selector=SOUTH)))
    put(here, offloading("left", deletion_timestamp=JUST_NOW))
    put(here, offloading("kube-system"))
    seen = observe(here, HOME, KEY)
    assert seen == State(a_map(), {"shop": "shop-rome", "bank": "bank-rome"}, ("bank",))


def test_a_namespace_that_widens_its_selector_takes_the_twin_of_no_other() -> None:
    """It is the older one, and would be called the same; it comes when the other has gone."""
    here = caches()
    named = NamespaceOffloadingSpec(
        namespace_mapping_strategy="SelectedName", remote_namespace_name="shop-rome"
    )
    put(here, a_virtual_node())
    put(here, offloading("bank", named, creation_timestamp="2026-01-01T00:00:00Z"))
    put(here, offloading("shop", creation_timestamp="2026-01-02T00:00:00Z"))
    known = a_map(desired={"shop": "shop-rome"}, current={"shop": accepted()})
    put(here, known)
    assert decided(here) == NOTHING
    put(here, offloading("shop", deletion_timestamp=JUST_NOW, resource_version="2"))
    assert decided(here) == do(
        Patch(known, {"spec": {"desiredMapping": {"shop": None}}}, only_if_unchanged=True)
    )
    phases: tuple[MappingPhase, ...] = ("Accepted", "Terminating")
    for version, phase in enumerate(phases, 2):
        left = RemoteNamespace(remote_namespace="shop-rome", phase=phase)
        put(here, a_map(current={"shop": left}, resource_version=str(version)))
        assert decided(here) == NOTHING
    empty = a_map(resource_version="4")
    put(here, empty)
    assert decided(here) == do(
        Patch(empty, {"spec": {"desiredMapping": {"bank": "shop-rome"}}}, only_if_unchanged=True)
    )


def decided(here: Caches) -> Plan:
    seen = observe(here, HOME, KEY)
    assert seen is not None
    return plan(seen)


def test_who_deletes_a_node_deletes_no_twin() -> None:
    """That it has this label is known from the Node alone."""
    here = caches()
    known = a_map(desired={"shop": "shop-rome"})
    kind = {"key": "type", "operator": "In", "values": ["virtual-kubelet"]}
    selector = {"nodeSelectorTerms": [{"matchExpressions": [kind]}]}
    put(here, known)
    put(here, a_virtual_node())
    put(here, offloading("shop", NamespaceOffloadingSpec(cluster_selector=selector)))
    seen = observe(here, HOME, KEY)
    assert seen is not None
    assert plan(seen) == NOTHING


def test_who_labels_a_namespace_as_a_tenants_deletes_no_twin() -> None:
    here = caches()
    put(here, a_map(desired={"shop": "shop-rome"}))
    put(here, a_virtual_node())
    put(here, offloading("shop"))
    bring_namespace(here, a_namespace(marks={labels.TENANT_NAMESPACE: "true"}))
    seen = observe(here, HOME, KEY)
    assert seen is not None
    assert plan(seen) == NOTHING


def test_a_map_that_is_not_ours_is_left_alone() -> None:
    here = caches()
    assert observe(here, HOME, KEY) is None
    put(here, a_map())
    assert observe(here, HOME, KEY) is None  # there is no such provider
    put(here, a_virtual_node())
    assert observe(here, HOME, KEY) is not None
    marks = {labels.REPLICATED: "true", labels.ORIGIN_ID: "milan"}
    put(here, a_map(labels=marks, resource_version="2"))
    assert observe(here, HOME, KEY) is None


def test_what_somebody_else_wrote_is_undone() -> None:
    known = a_map(
        desired={"shop": "shop-rome", "bank": "vault", "evil": "kube-system"},
        annotations={labels.PODS_STAY: "shop"},
    )
    assert plan(State(known, {"shop": "shop-rome", "bank": "bank-rome"}, ())) == do(
        Patch(
            known,
            {
                "spec": {"desiredMapping": {"bank": "bank-rome", "evil": None}},
                "metadata": {"annotations": {labels.PODS_STAY: None}},
            },
            only_if_unchanged=True,
        )
    )


def test_a_map_that_is_right_costs_nothing() -> None:
    known = a_map(desired={"bank": "bank-rome"}, annotations={labels.PODS_STAY: "bank"})
    assert plan(State(known, {"bank": "bank-rome"}, ("bank",))) == NOTHING


def test_a_map_that_goes_is_not_emptied_before() -> None:
    known = a_map(desired={"shop": "shop-rome"}, deletion_timestamp=JUST_NOW)
    assert plan(State(known, {}, ())) == NOTHING


def test_every_map_is_decided_anew_when_an_offloading_or_a_node_changes() -> None:
    here = caches()
    copy = a_map("rome", labels={labels.REPLICATED: "true", labels.ORIGIN_ID: "venice"})
    put(here, a_map())
    put(here, copy)
    put(here, a_virtual_node())
    made = controller(here, HOME)
    keys = [list(keys_of(a_map())) for keys_of in made.watches.values()]
    assert keys == [[KEY]] * 4
    [of_map, *_] = made.watches.values()
    assert list(of_map(copy)) == []
