"""What a class of a provider's own grants, and when it keeps silent."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from liqo.api.authentication import ResourceSlice, ResourceSliceStatus, Tenant
from liqo.classes.answer import Answer, Refusal, Request, State, controller, observe, plan
from liqo.provider import grant
from liqo.rules.quantity import parse
from liqo.runtime.plan import NOTHING, PatchStatus, Plan, do
from tests.unit.provider.things import NOW, a_slice, a_tenant, answered, holding

ASKED = {"cpu": "3", "memory": "8Gi"}
HALF = {"cpu": "1500m", "memory": "4Gi"}


def half(asked: Request) -> Answer:
    return {name: amount.percent(50) for name, amount in asked.resources.items()}


def refuse(asked: Request) -> Answer:
    return Refusal(f"{asked.consumer} may not have {asked.name}")


def decided(asked: ResourceSlice, *, is_open: bool = True, by: Any = half) -> Plan:
    return plan(by, State(asked, is_open, NOW))


def change(planned: Plan) -> Any:
    (patch,) = planned.actions
    assert isinstance(patch, PatchStatus)
    assert patch.only_if_unchanged
    return patch.status


def test_what_the_function_says_is_granted() -> None:
    written = change(decided(answered(None, class_="half", resources=ASKED)))
    assert written["resources"] == HALF
    said = {each["type"]: each["status"] for each in written["conditions"]}
    assert said == {"Authentication": "Accepted", "Resources": "Accepted"}


def test_a_function_is_told_who_asks_for_what() -> None:
    seen: list[Request] = []

    def watching(asked: Request) -> Answer:
        seen.append(asked)
        return {}

    decided(a_slice(class_="half", resources={"cpu": "500m"}), by=watching)
    assert seen == [Request("rome", "milan", {"cpu": parse("0.5")})]


def test_a_refusal_is_a_sentence_in_the_condition() -> None:
    written = change(decided(a_slice(class_="half", resources=ASKED), by=refuse))
    (said,) = written["conditions"]
    assert (said["status"], said["message"]) == ("Denied", "rome may not have milan")
    assert "resources" not in written


def test_who_comes_late_overwrites_that_nobody_answered() -> None:
    asked = a_slice(class_="half", resources=ASKED)
    late = msgspec.structs.replace(
        asked, status=ResourceSliceStatus(conditions=(grant.nobody_answers(asked),))
    )
    (said,) = change(decided(late))["conditions"]
    assert said["status"] == "Accepted"


def test_what_is_answered_is_answered_once_and_again_when_more_is_asked() -> None:
    told = answered("Accepted", class_="half", resources=ASKED)
    told = msgspec.structs.replace(
        told, status=msgspec.structs.replace(told.status, resources=HALF)
    )
    assert decided(told) == NOTHING
    spec = msgspec.structs.replace(told.spec, resources={"cpu": "8", "memory": "8Gi"})
    more = msgspec.structs.replace(told, spec=spec)
    wanted = PatchStatus(more, {"resources": {"cpu": "4"}}, only_if_unchanged=True)
    assert decided(more) == do(wanted)


def test_a_consumer_that_may_have_nothing_new_is_not_answered() -> None:
    assert decided(a_slice(class_="half", resources=ASKED), is_open=False) == NOTHING


@pytest.mark.parametrize(
    ("tenant", "is_open"),
    [
        (a_tenant(), True),
        (a_tenant(tenant_condition="Cordoned"), False),
        (a_tenant(tenant_condition="Drained"), False),
        (None, False),
    ],
)
def test_only_an_active_tenant_is_answered(tenant: Tenant | None, is_open: bool) -> None:
    asked = a_slice(class_="half")
    here = holding(asked, *((tenant,) if tenant else ()))
    assert observe(here, "half", lambda: NOW, asked.key) == State(asked, is_open, NOW)


def test_slices_of_other_classes_and_our_own_requests_are_none_of_its_business() -> None:
    asked = a_slice(class_="half")
    own = msgspec.structs.replace(
        asked, metadata=msgspec.structs.replace(asked.metadata, labels={})
    )
    for here in (holding(a_slice()), holding(own), holding()):
        assert observe(here, "half", lambda: NOW, asked.key) is None


def test_its_name_says_which_class_it_is_and_a_tenant_brings_its_slices() -> None:
    asked = a_slice(class_="half")
    here = holding(asked, a_tenant())
    made = controller(here, "half", half)
    assert made.name == "classes/half"
    assert list(made.watches[here.of(Tenant)](a_tenant())) == [asked.key]
