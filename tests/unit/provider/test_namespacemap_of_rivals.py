"""Two namespaces of rome that want the same one on milan: none gets what is the other's."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from liqo.api import labels
from liqo.api.kubernetes import Namespace, RoleBinding
from liqo.api.offloading import NamespaceMap, NamespaceMapStatus, RemoteNamespace
from liqo.kube.errors import Forbidden
from liqo.kube.reading import Metadata
from liqo.provider.grant import Terms
from liqo.provider.namespacemap import State, controller, part_failed, plan
from liqo.runtime.plan import (
    NOTHING,
    Action,
    Create,
    Delete,
    Manifest,
    Patch,
    PatchStatus,
    Record,
    do,
)
from liqo.runtime.sights import NAMESPACES
from tests.unit.provider.maps import NAME, a_binding, a_map, a_namespace, done
from tests.unit.provider.test_namespacemap import decided, seeing, status

HAD: Any = {"shop": (NAME, "Accepted")}


def test_a_twin_that_another_namespace_wants_now_is_deleted_with_all_that_is_in_it() -> None:
    asked, old, bound = a_map({"bank": NAME}, HAD), a_namespace(), a_binding()
    assert decided(asked, old, bound=bound) == do(
        Delete(bound),
        Delete(Namespace(metadata=old.metadata)),
        status(asked, shop=(NAME, "Terminating"), bank=(NAME, "Terminating")),
    )


def test_it_is_waited_for_until_it_is_gone_and_then_made_anew() -> None:
    said: Any = {"shop": (NAME, "Terminating"), "bank": (NAME, "Terminating")}
    asked = a_map({"bank": NAME}, said)
    going = a_namespace(going=True)
    assert decided(asked, going) == do(Delete(Namespace(metadata=going.metadata)))
    told, namespace, binding = done(decided(asked))
    assert isinstance(namespace, Create)
    assert isinstance(binding, Create)
    notes = namespace.object.body["metadata"]["annotations"]  # type: ignore[union-attr]
    assert notes[labels.ORIGINAL_NAME] == "bank"
    assert told == status(asked, shop=None)


def test_that_it_is_gone_is_heard_of() -> None:
    here = seeing(a_map({"bank": NAME}, HAD))
    keys_of = controller(here, Terms()).watches[here.of(NAMESPACES)]
    assert set(keys_of(a_namespace(going=True))) == {a_map().key}


def test_who_wants_its_twin_again_while_it_goes_for_another_gets_a_new_one() -> None:
    said: Any = {"shop": (NAME, "Terminating"), "bank": (NAME, "Terminating")}
    asked = a_map({"shop": NAME}, said)
    assert decided(asked, a_namespace(going=True)) == do(status(asked, bank=None))


def test_a_twin_that_moved_leaves_its_name_to_nobody_before_it_is_empty() -> None:
    asked = a_map({"bank": NAME, "shop": "shop-2"}, HAD)
    first, said, made, _ = done(decided(asked, a_namespace()))
    assert first == Delete(Namespace(metadata=a_namespace().metadata))
    assert said == status(asked, shop=None, bank=(NAME, "Terminating"))
    assert isinstance(made, Create)
    assert made.object.body["metadata"]["name"] == "shop-2"  # type: ignore[union-attr]


def test_of_several_that_want_a_twin_which_goes_one_is_next() -> None:
    asked = a_map({"bank": NAME, "farm": NAME}, HAD)
    said = decided(asked, a_namespace()).actions[-1]
    assert isinstance(said, PatchStatus)
    phases = {local: each["phase"] for local, each in said.status["currentMapping"].items()}
    assert phases == {
        "shop": "Terminating",
        "bank": "Terminating",
        "farm": "CreationLoopBackOff",
    }


@pytest.mark.parametrize("noted", ["bank", "farm", ""])
def test_what_somebody_wrote_on_a_twin_gives_it_to_nobody(noted: str) -> None:
    """Who has it and wants it keeps it; what it says is put right."""
    asked = a_map({"bank": NAME, "shop": NAME}, HAD)
    there = a_namespace(original=noted)
    if not noted:
        del there.metadata.annotations[labels.ORIGINAL_NAME]
    told, said, mended = done(decided(asked, there, bound=a_binding()))
    assert isinstance(told, Record)
    assert isinstance(mended, Patch)
    assert mended.change == {"metadata": {"annotations": {labels.ORIGINAL_NAME: "shop"}}}
    assert isinstance(said, PatchStatus)
    assert list(said.status["currentMapping"]) == ["bank"]


def test_a_namespace_that_is_somebody_elses_is_not_deleted_because_two_want_it() -> None:
    asked = a_map({"bank": NAME}, HAD)
    there = a_namespace(managed_by="liqo-tenant-venice/milan")
    told, said = decided(asked, there).actions
    assert isinstance(told, Record)
    assert said == status(asked, shop=None, bank=(NAME, "CreationLoopBackOff", told.message))


@dataclass
class Milan:
    """What its API server holds, and what has been put into its namespaces by whom."""

    wanted: dict[str, str]
    said: NamespaceMapStatus = field(default_factory=NamespaceMapStatus)
    namespaces: dict[str, Metadata] = field(default_factory=dict)
    bindings: dict[str, RoleBinding] = field(default_factory=dict)
    content: dict[str, set[str]] = field(default_factory=dict)

    @property
    def map(self) -> NamespaceMap:
        return msgspec.structs.replace(a_map(self.wanted), status=self.said)

    def reconcile(self, failing_after: int = 99) -> bool:
        """Whether anything was to be done, but to tell people."""
        state = State(self.map, "rome", True, dict(self.namespaces), dict(self.bindings))
        actions = done(plan(state))
        for action in actions[:failing_after]:
            self.perform(action)
        return any(not isinstance(each, Record) for each in actions)

    def refuse(self, names: str) -> None:
        """All goes well, but that namespaces of these names may not be made."""
        state = State(self.map, "rome", True, dict(self.namespaces), dict(self.bindings))
        decided = plan(state)
        for action in decided.actions:
            self.perform(action)
        for part in decided.parts:
            is_refused = self.wanted[part.name] in names and len(part.actions) > 1
            no = part_failed(state, part.name, Forbidden("no")) if is_refused else NOTHING
            for action in no.actions or part.actions:
                self.perform(action)

    def perform(self, action: Action) -> None:
        match action:
            case Create(Manifest(body=body)) if "roleRef" in body:
                where = body["metadata"]["namespace"]
                self.bindings[where] = a_binding(namespace=where)
            case Create(Manifest(body={"metadata": made})):
                name = made["name"]
                assert name not in self.namespaces
                original = made["annotations"][labels.ORIGINAL_NAME]
                self.namespaces[name] = a_namespace(name, original=original)
                self.content[name] = set()
            case Delete(RoleBinding() as given):
                del self.bindings[given.metadata.namespace]
            case Delete(Namespace(metadata=seen)):
                gone = msgspec.structs.replace(seen, deletion_timestamp="2026-11-16T00:00:00Z")
                self.namespaces[seen.name] = Metadata(metadata=gone)
            case PatchStatus(status=change):
                self.said = NamespaceMapStatus(
                    current_mapping=merged(self.said.current_mapping, change["currentMapping"])
                )
            case Patch():
                raise AssertionError(f"a twin changed hands: {action}")

    def collect(self) -> None:
        """Kubernetes ends what was deleted."""
        for name, each in [*self.namespaces.items()]:
            if each.metadata.deletion_timestamp:
                del self.namespaces[name], self.content[name]
                self.bindings.pop(name, None)

    def fill(self) -> None:
        """Rome puts something into every namespace that it is told to have."""
        for local in self.accepted():
            if self.wanted[local] in self.content:
                self.content[self.wanted[local]].add(local)

    def accepted(self) -> set[str]:
        said = self.said.current_mapping.items()
        answer = {local: each for local, each in said if self.wanted.get(local)}
        return {
            local
            for local, each in answer.items()
            if each == RemoteNamespace(self.wanted[local], "Accepted")
        }


def merged(said: dict[str, RemoteNamespace], change: Any) -> dict[str, RemoteNamespace]:
    stays = {local: each for local, each in said.items() if local not in change}
    told = {local: each for local, each in change.items() if each is not None}
    for each in told.values():
        each.update(message=each.get("message") or "")
    return {**stays, **msgspec.convert(told, dict[str, RemoteNamespace])}


wishes = st.dictionaries(st.sampled_from("abc"), st.sampled_from("xy"))
failures = st.integers(0, 6) | st.sampled_from(["x", "y", "xy"])  # after so many writes; of these
chances = st.lists(st.tuples(failures, st.booleans()), max_size=4)


@given(st.lists(st.tuples(wishes, chances), min_size=1, max_size=5))
def test_whatever_is_asked_in_whatever_order_nobody_finds_what_is_anothers(
    history: list[tuple[dict[str, str], list[tuple[int | str, bool]]]],
) -> None:
    """Writes fail in between, and namespaces take their time; at the end all is as it should be."""
    milan = Milan({})
    for wanted, rounds in history:
        milan.wanted = wanted
        for failure, is_collected in rounds:
            if isinstance(failure, int):
                milan.reconcile(failing_after=failure)
            else:
                milan.refuse(failure)
            milan.fill()
            assert all(len(inside) <= 1 for inside in milan.content.values())
            if is_collected:
                milan.collect()
    for _ in range(5):
        milan.reconcile()
        milan.collect()
    assert not milan.reconcile()
    assert sorted(milan.wanted[local] for local in milan.accepted()) == sorted(
        set(milan.wanted.values())
    )
    for local in milan.accepted():
        there = milan.namespaces[milan.wanted[local]]
        assert there.metadata.annotations[labels.ORIGINAL_NAME] == local
        assert milan.content[there.metadata.name] <= {local}
