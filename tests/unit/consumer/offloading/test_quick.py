"""A label makes a NamespaceOffloading, and its absence ends it."""

import msgspec
import pytest

from liqo.api import labels
from liqo.api.meta import Key
from liqo.api.offloading import NamespaceOffloading
from liqo.consumer.offloading.quick import State, controller, failed, forge, observe, plan
from liqo.kube.errors import Forbidden
from liqo.kube.reading import Metadata
from liqo.runtime.plan import NOTHING, Create, Delete, Plan, Record, do
from tests.unit.consumer.offloading.things import (
    JUST_NOW,
    a_namespace,
    bring_namespace,
    offloading,
)
from tests.unit.consumer.things import HOME, caches, put

ENABLED = {labels.ENABLED: "true"}
DISABLED = {labels.ENABLED: "false"}
MINE = offloading()
OURS = offloading(labels=ENABLED)


@pytest.mark.parametrize(
    ("namespace", "present", "wanted"),
    [
        (a_namespace(marks=ENABLED), None, do(Create(forge("shop")))),
        (a_namespace(marks=ENABLED), OURS, NOTHING),
        (a_namespace(marks=ENABLED), MINE, NOTHING),
        (a_namespace(), OURS, do(Delete(OURS))),
        (a_namespace(marks=DISABLED), OURS, do(Delete(OURS))),
        (a_namespace(), MINE, NOTHING),
        (a_namespace(marks=DISABLED), None, NOTHING),
        (a_namespace(marks=ENABLED, deletion_timestamp=JUST_NOW), None, NOTHING),
    ],
)
def test_E17_the_label_decides(
    namespace: Metadata, present: NamespaceOffloading | None, wanted: Plan
) -> None:
    assert plan(State(namespace, present)) == wanted


def test_what_is_made_has_all_defaults() -> None:
    made = msgspec.to_builtins(forge("shop"))
    assert made["spec"] == {}
    assert made["metadata"]["name"] == "offloading"


def test_where_it_cannot_be_people_are_told() -> None:
    [told] = plan(State(a_namespace(marks=ENABLED), None, "it cannot be")).actions
    assert isinstance(told, Record)
    assert (told.reason, told.message, told.type) == ("NotOffloaded", "it cannot be", "Warning")
    [told] = failed(State(a_namespace(), None), Forbidden("rome: no")).actions
    assert isinstance(told, Record)
    assert told.message == "rome: no"


def test_what_is_seen() -> None:
    here = caches()
    assert observe(here, HOME, Key("", "shop")) is None
    bring_namespace(here, a_namespace(marks=ENABLED))
    bring_namespace(here, a_namespace("kube-system"))
    put(here, MINE)
    assert observe(here, HOME, Key("", "shop")) == State(a_namespace(marks=ENABLED), MINE)
    system = observe(here, HOME, Key("", "kube-system"))
    assert system is not None
    assert "belongs to Kubernetes" in system.objection


def test_namespaces_that_nobody_labelled_concern_nobody() -> None:
    here = caches()
    put(here, MINE)
    of_namespace, of_offloading = controller(here, HOME).watches.values()
    assert list(of_namespace(a_namespace("other"))) == []
    assert list(of_namespace(a_namespace("other", ENABLED))) == [Key("", "other")]
    assert list(of_namespace(a_namespace())) == [Key("", "shop")]
    assert list(of_offloading(MINE)) == [Key("", "shop")]
