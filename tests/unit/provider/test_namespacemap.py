"""Namespaces that rome wants on milan."""

from __future__ import annotations

import msgspec
import pytest

from liqo.api import labels
from liqo.api.authentication import Tenant
from liqo.api.kubernetes import Namespace, RoleBinding
from liqo.api.meta import JSON, Key, Meta, Resource
from liqo.api.offloading import MappingPhase, NamespaceMap
from liqo.kube.cache import Caches
from liqo.kube.reading import Metadata
from liqo.provider import namespacemap
from liqo.provider.grant import PodSecurity, Terms
from liqo.provider.namespacemap import Lost, State, controller, observe, plan
from liqo.runtime.plan import NOTHING, Create, Delete, Patch, PatchStatus, Plan, Record, do
from liqo.runtime.sights import NAMESPACES
from tests.unit.provider.maps import (
    MAP,
    NAME,
    ROLE,
    SUBJECTS,
    a_binding,
    a_map,
    a_namespace,
    done,
)
from tests.unit.provider.things import HOME, NOW, a_tenant, holding, leaving


def decided(
    asked: NamespaceMap, *there: Metadata, bound: RoleBinding | None = None, trusted: bool = True
) -> Plan:
    namespaces = {each.metadata.name: each for each in there}
    return plan(State(asked, "rome", trusted, namespaces, {NAME: bound} if bound else {}))


def status(asked: NamespaceMap, **entries: tuple[str, ...] | None) -> PatchStatus:
    """Of each: its name here, its phase, and why."""
    fields = ("remoteNamespace", "phase", "message")
    mapping: dict[str, JSON | None] = {}
    for local, entry in entries.items():
        before: JSON = {"message": None} if local in asked.status.current_mapping else {}
        told = dict(zip(fields, entry, strict=False)) if entry else {}
        mapping[local] = {**before, **told} if told else None
    return PatchStatus(asked, {"currentMapping": mapping})


def test_a_namespace_is_made_with_the_rights_in_it() -> None:
    namespace, binding = done(decided(a_map()))
    assert isinstance(namespace, Create)
    assert isinstance(binding, Create)
    assert namespace.object.body == {  # type: ignore[union-attr]
        "metadata": {
            "name": NAME,
            "labels": {"liqo.io/remote-cluster-id": "rome"},
            "annotations": {
                "liqo.io/managed-by-namespace-map": MAP,
                "liqo.io/original-name": "shop",
            },
        }
    }
    assert binding.object.body == {  # type: ignore[union-attr]
        "metadata": {
            "name": HOME,
            "namespace": NAME,
            "labels": {
                "app.kubernetes.io/managed-by": "liqo",
                "liqo.io/remote-cluster-id": "rome",
            },
            "annotations": {"liqo.io/managed-by-namespace-map": MAP},
        },
        "roleRef": ROLE,
        "subjects": SUBJECTS,
    }


@pytest.mark.parametrize("level", ["privileged", "baseline", "restricted"])
def test_pods_may_ask_no_more_of_our_nodes_than_the_installation_says(level: PodSecurity) -> None:
    here = seeing(a_map(), HOME_OF_ROME)
    seen = observe(here, Terms(pod_security=level), a_map().key)
    assert isinstance(seen, State)
    namespace, _ = done(plan(seen))
    assert isinstance(namespace, Create)
    assert namespace.object.body["metadata"]["labels"] == {  # type: ignore[union-attr]
        "liqo.io/remote-cluster-id": "rome",
        "pod-security.kubernetes.io/enforce": level,
    }


def test_what_is_there_and_bound_is_accepted_and_said_once() -> None:
    asked = a_map()
    accepted = status(asked, shop=(NAME, "Accepted"))
    assert decided(asked, a_namespace(), bound=a_binding()) == do(accepted)
    told = a_map(said={"shop": (NAME, "Accepted")})
    assert decided(told, a_namespace(), bound=a_binding()) == NOTHING


def test_rights_that_are_missing_or_changed_are_given_again_and_what_was_said_stands() -> None:
    asked = a_map(said={"shop": (NAME, "Accepted")})
    [given] = done(decided(asked, a_namespace()))
    assert isinstance(given, Create)
    [mended] = done(decided(asked, a_namespace(), bound=a_binding([])))
    assert given.object == mended.object  # type: ignore[union-attr]


def test_the_namespace_of_somebody_else_is_left_alone_and_that_is_said() -> None:
    asked = a_map()
    taken = f'namespace "{NAME}" already exists and it is not managed by NamespaceMap "{MAP}"'
    expected = do(
        Record(asked, "NamespaceNotCreated", taken, "Warning"),
        status(asked, shop=(NAME, "CreationLoopBackOff", taken)),
    )
    assert decided(asked, a_namespace(managed_by="")) == expected
    assert decided(asked, a_namespace(managed_by="liqo-tenant-venice/milan")) == expected


def test_a_name_that_no_namespace_can_have_is_refused_in_words() -> None:
    asked = a_map({"shop": "Shop_Rome"})
    complaint, said = decided(asked).actions
    assert isinstance(complaint, Record)
    assert complaint.message == '"Shop_Rome" cannot be the name of a namespace'
    assert said == status(asked, shop=("Shop_Rome", "CreationLoopBackOff", complaint.message))


def test_each_namespace_is_made_by_itself() -> None:
    parts = decided(a_map({"aaa": "aaa-rome", "shop": NAME})).parts
    assert [(part.name, len(part.actions)) for part in parts] == [("aaa", 2), ("shop", 2)]


def test_what_was_wrong_is_not_said_any_longer_than_it_is_so() -> None:
    asked = a_map(said={"shop": (NAME, "CreationLoopBackOff")})
    [said] = decided(asked, a_namespace(), bound=a_binding()).actions
    assert said == status(asked, shop=(NAME, "Accepted"))


def test_two_namespaces_of_a_consumer_never_share_one_here() -> None:
    asked = a_map({"bank": NAME, "shop": NAME})
    complaint, said = decided(asked, a_namespace(), bound=a_binding()).actions
    taken = f'the namespace "shop" is called "{NAME}" there already'
    assert complaint == Record(asked, "NamespaceNotCreated", taken, "Warning")
    assert said == status(asked, bank=(NAME, "CreationLoopBackOff", taken), shop=(NAME, "Accepted"))
    _, first, *_ = decided(asked).actions
    assert isinstance(first, PatchStatus)
    assert list(first.status["currentMapping"]) == ["shop"]


def test_labels_that_somebody_changed_are_put_right_and_others_stay() -> None:
    asked = a_map(said={"shop": (NAME, "Accepted")})
    marks = {"team": "a"}
    state = State(asked, "rome", True, {NAME: a_namespace()}, {NAME: a_binding()}, marks)
    [mended] = done(plan(state))
    assert isinstance(mended, Patch)
    assert mended.change == {"metadata": {"labels": marks}}


def test_rights_in_what_is_accepted_do_not_wait_for_labels_that_may_be_refused() -> None:
    """For good, by a policy; and rights that may be refused hold up no labels."""
    said: dict[str, tuple[str, MappingPhase]] = {"shop": (NAME, "Accepted")}
    there, marks = {NAME: a_namespace()}, {"team": "a"}
    labelled, given = plan(State(a_map(said=said), "rome", True, there, {}, marks)).parts
    assert [type(each) for each in labelled.actions] == [Patch]
    assert [type(each) for each in given.actions] == [Create]
    assert labelled.name == given.name == "shop"


def test_nobody_is_let_in_before_the_labels_are_right() -> None:
    """Its level of Pod Security is one of them."""
    there, marks = {NAME: a_namespace()}, {"team": "a"}
    [part] = plan(State(a_map(), "rome", True, there, {}, marks)).parts
    assert [type(each) for each in part.actions] == [Patch, Create]


def bare(**metadata: object) -> Metadata:
    """Somebody took away the annotation that says whose it is."""
    there = a_namespace().metadata
    said = {"annotations": {labels.ORIGINAL_NAME: "shop"}, **metadata}
    return Metadata(metadata=msgspec.structs.replace(there, **said))


def test_a_twin_that_does_not_say_so_any_more_is_known_by_all_else() -> None:
    asked = a_map(said={"shop": (NAME, "Accepted")})
    [mended] = done(decided(asked, bare(), bound=a_binding()))
    assert isinstance(mended, Patch)
    assert mended.change == {
        "metadata": {"annotations": {labels.MANAGED_BY_NAMESPACE_MAP: MAP}},
    }
    unwanted = a_map({}, said={"shop": (NAME, "Accepted")})
    assert Delete(Namespace(metadata=bare().metadata)) in (
        decided(unwanted, bare(), bound=a_binding()).actions
    )


@pytest.mark.parametrize(
    ("there", "bound"),
    [
        (bare(), None),
        (bare(annotations={}), a_binding()),
        (bare(labels={labels.REMOTE_CLUSTER_ID: "turin"}), a_binding()),
        (bare(annotations={labels.MANAGED_BY_NAMESPACE_MAP: "other/map"}), a_binding()),
    ],
)
def test_what_lacks_more_than_that_is_somebody_elses(
    there: Metadata, bound: RoleBinding | None
) -> None:
    [told, *_] = decided(a_map(), there, bound=bound).actions
    assert isinstance(told, Record)
    removed = decided(a_map({}), there, bound=bound).actions
    assert Delete(Namespace(metadata=there.metadata)) not in removed


def test_what_is_no_longer_wanted_goes_and_is_told_until_it_is_gone() -> None:
    asked = a_map({}, {"shop": (NAME, "Accepted")})
    namespace = a_namespace()
    assert decided(asked, namespace) == do(
        Delete(Namespace(metadata=namespace.metadata)), status(asked, shop=(NAME, "Terminating"))
    )
    told = a_map({}, {"shop": (NAME, "Terminating")})
    assert decided(told) == do(status(told, shop=None))
    assert decided(told, a_namespace(managed_by="")) == do(status(told, shop=None))


def test_a_namespace_that_is_wanted_again_while_it_goes_is_made_anew_afterwards() -> None:
    asked = a_map(said={"shop": (NAME, "Terminating")})
    assert decided(asked, a_namespace(going=True)) == NOTHING
    assert len(done(decided(asked))) == 2


def test_another_name_for_the_same_namespace_replaces_the_old_one() -> None:
    asked = a_map({"shop": "shop-2"}, {"shop": (NAME, "Accepted")})
    old = a_namespace()
    first, said, *made = done(decided(asked, old))
    assert first == Delete(Namespace(metadata=old.metadata))
    assert said == status(asked, shop=None)
    assert [type(action) for action in made] == [Create, Create]


def test_a_map_that_goes_takes_its_namespaces_along() -> None:
    going = a_map(said={"shop": (NAME, "Accepted")}, deletion_timestamp="2026-11-16T00:00:00Z")
    namespace = a_namespace()
    assert decided(going, namespace) == do(
        Delete(Namespace(metadata=namespace.metadata)), status(going, shop=(NAME, "Terminating"))
    )
    released = Patch(going, {"metadata": {"finalizers": None}}, only_if_unchanged=True)
    assert decided(going) == do(released)
    assert decided(going, trusted=False) == do(released)


def test_a_map_is_held_before_anything_is_made_for_it() -> None:
    fresh = a_map(finalizers=())
    assert isinstance(decided(fresh).actions[0], Patch)


def test_a_map_in_the_namespace_of_another_consumer_is_ignored() -> None:
    assert decided(a_map(), trusted=False) == NOTHING


HOME_OF_ROME = Metadata(
    metadata=Meta(
        name=HOME,
        resource_version="1",
        labels={labels.TENANT_NAMESPACE: "true", labels.REMOTE_CLUSTER_ID: "rome"},
    )
)


def seeing(*things: Resource) -> Caches:
    here = holding(*(each for each in things if not isinstance(each, Metadata)))
    for each in things:
        if isinstance(each, Metadata):
            here.of(NAMESPACES).take(each)
    return here


def test_rights_go_before_the_namespace_that_somebody_may_hold() -> None:
    asked, namespace, binding = a_map({}), a_namespace(), a_binding()
    first, second, _ = decided(asked, namespace, bound=binding).actions
    assert (first, second) == (Delete(binding), Delete(Namespace(metadata=namespace.metadata)))


def test_what_a_consumer_wipes_from_its_map_is_found_by_whom_it_was_made_for() -> None:
    wiped = a_map({})  # neither in the spec nor in the status, both of which it may write
    namespace, binding = a_namespace(), a_binding()
    here = seeing(wiped, HOME_OF_ROME, namespace, binding)
    seen = observe(here, Terms(pod_security=""), wiped.key)
    assert seen == State(wiped, "rome", True, {NAME: namespace}, {NAME: binding})
    assert plan(seen) == do(
        Delete(binding),
        Delete(Namespace(metadata=namespace.metadata)),
        status(wiped, shop=(NAME, "Terminating")),
    )


def test_a_map_that_went_without_us_takes_its_namespaces_and_rights_along() -> None:
    """Its consumer removed our finalizer and deleted it, or says that it is no copy."""
    namespace, binding, stray = a_namespace(), a_binding(), a_binding(namespace="bank")
    others = a_namespace("fair", "liqo-tenant-venice/milan")
    relabelled = a_map(labels={})
    for known in (None, relabelled):
        there = (namespace, binding, stray, others, *((known,) if known else ()))
        here = seeing(HOME_OF_ROME, *there)
        seen = observe(here, Terms(pod_security=""), relabelled.key)
        assert seen == Lost((namespace,), (binding, stray), known)
        removed = Delete(Namespace(metadata=namespace.metadata))
        assert plan(seen) == do(Delete(binding), Delete(stray), removed)
    keys_of = controller(here, Terms()).watches[here.of(NAMESPACES)]
    assert set(keys_of(namespace)) == {relabelled.key}


def test_a_map_that_is_no_copy_any_more_is_let_go_when_nothing_of_it_is_left() -> None:
    relabelled = a_map(labels={})
    seen = observe(seeing(relabelled, HOME_OF_ROME), Terms(), relabelled.key)
    assert seen == Lost((), (), relabelled)
    released = Patch(relabelled, {"metadata": {"finalizers": None}}, only_if_unchanged=True)
    assert plan(seen) == do(released)
    free = a_map(labels={}, finalizers=())
    assert observe(seeing(free, HOME_OF_ROME), Terms(), free.key) is None


def test_a_namespace_that_only_looks_like_one_of_ours_is_left_alone() -> None:
    own = a_namespace()
    own = msgspec.structs.replace(own, metadata=msgspec.structs.replace(own.metadata, labels={}))
    assert observe(seeing(own), Terms(), Key(HOME, "milan")) is None


def test_nothing_is_made_for_a_tenant_that_goes_or_is_drained() -> None:
    for tenant in (leaving(a_tenant(), NOW), a_tenant(tenant_condition="Drained")):
        seen = observe(seeing(a_map(), HOME_OF_ROME, tenant), Terms(), a_map().key)
        assert isinstance(seen, State)
        assert not seen.trusted
    cordoned = a_tenant(tenant_condition="Cordoned")  # has what it has
    seen = observe(seeing(a_map(), HOME_OF_ROME, cordoned), Terms(), a_map().key)
    assert isinstance(seen, State)
    assert seen.trusted


def test_a_map_is_seen_with_what_it_names() -> None:
    asked, namespace, binding, home = a_map(), a_namespace(), a_binding(), HOME_OF_ROME
    here = seeing(asked, namespace, home, binding)
    seen = observe(here, Terms(pod_security=""), asked.key)
    assert seen == State(asked, "rome", True, {NAME: namespace}, {NAME: binding})
    keys_of = controller(here, Terms()).watches[here.of(NAMESPACES)]
    assert set(keys_of(namespace)) == {asked.key}
    assert set(keys_of(a_namespace(managed_by=""))) == {asked.key}
    assert set(keys_of(home)) == {asked.key}
    assert list(keys_of(a_namespace("else", ""))) == []
    assert list(namespacemap._manager(binding)) == [asked.key]
    assert list(controller(here, Terms()).watches[here.of(Tenant)](a_tenant())) == [asked.key]


def test_a_map_of_our_own_is_not_for_us() -> None:
    ours = msgspec.structs.replace(a_map(), metadata=Meta(name="milan", namespace=HOME))
    assert observe(holding(ours), Terms(), ours.key) is None
    assert observe(holding(), Terms(), Key(HOME, "milan")) is None
