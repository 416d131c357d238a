"""Who may begin to peer with the token of a printed command, and what is left of it in the end."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import msgspec
import pytest

from liqo.api import labels
from liqo.api.kubernetes import (
    Namespace,
    ServiceAccount,
)
from liqo.provider.claim import (
    STRAY,
    plan,
    refusal,
    seconds_left,
)
from liqo.rules import claims, tenancy
from liqo.runtime.clock import timestamp
from liqo.runtime.plan import Create, Delete, Manifest, Patch, PatchStatus, Plan, do
from tests.unit.provider.claims import (
    GIVEN,
    LIFE,
    MADE_FOR_IT,
    NAME,
    OTHER_PUBLIC,
    OWN,
    READY,
    RIGHTS,
    UNREADABLE,
    a_claim,
    a_role,
    a_state,
    a_token,
    meta,
)
from tests.unit.provider.things import (
    ADMITTED,
    HOME,
    NOW,
    a_home,
    a_tenant,
)


def said(planned: Plan) -> list[object]:
    """The phases that were written."""
    return [each.status.get("phase") for each in planned.actions if isinstance(each, PatchStatus)]


def test_who_claims_is_given_the_rights_of_a_peering_user() -> None:
    told = PatchStatus(a_claim(), msgspec.to_builtins(READY))
    assert plan(a_state()) == do(*RIGHTS, told, wake_after=LIFE)


def test_what_is_done_already_is_left_alone_until_the_end() -> None:
    state = a_state(bindings=(OWN, *GIVEN), claim=a_claim(READY), home=MADE_FOR_IT)
    assert plan(state) == do(wake_after=LIFE)


def test_the_first_claim_is_the_last_that_a_token_can_make() -> None:
    role = a_role(may_claim=True)
    narrowed = Patch(role, {"rules": claims.rules(NAME, may_claim=False)})
    assert plan(a_state(role=role)).actions[0] == narrowed
    assert plan(a_state(role=role, claim=a_claim(cluster_id="milan"))).actions[0] == narrowed


def test_a_tenant_namespace_that_is_missing_is_made_and_marked_as_made_for_this() -> None:
    """That it is, is said before: should it be refused, nobody waits without a word."""
    marks = {**tenancy.namespace_labels("rome"), labels.PEERING_CLAIM: NAME}
    wanted = Manifest(Namespace.KIND, {"metadata": {"name": HOME, "labels": marks}})
    decided = plan(a_state(home=None))
    told = {"phase": "Pending", "message": "the tenant namespace is being made"}
    assert decided == do(PatchStatus(a_claim(), told), Create(wanted), wake_after=LIFE)


def test_before_the_claim_there_is_nothing_to_do_but_to_wait_for_its_end() -> None:
    assert plan(a_state(claim=None, home=None)) == do(wake_after=LIFE)


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"claim": a_claim(cluster_id="Rome")}, "lower case"),
        ({"claim": a_claim(cluster_id="milan")}, "cannot peer with itself"),
        ({"claim": a_claim(public_key=OTHER_PUBLIC)}, "did not sign"),
        ({"claim": a_claim(public_key=b"nonsense")}, "did not sign"),
        ({"claim": a_claim(signature=b"")}, "did not sign"),
        (
            {"token": a_token(consumer="paris")},
            "printed for the cluster paris",
        ),
        ({"tenants": (a_tenant(public_key=OTHER_PUBLIC),)}, "another cluster with the ID rome"),
        ({"tenants": (a_tenant(public_key=b""),)}, "another cluster with the ID rome"),
        (
            {"rivals": (a_claim(READY, "liqo-peer-1", public_key=OTHER_PUBLIC),)},
            "another cluster with the ID rome",
        ),
        ({"is_shared": True}, "borrows from rome itself"),
        ({"is_bound": True}, "rome is a user or a group of the provider already"),
        ({"claim": a_claim(cluster_id=f"liqo-peer-user-ab-{'0' * 32}")}, "reserved"),
        ({"home": None, "in_the_way": HOME}, f"a namespace {HOME} that is not labelled"),
        (
            {"tenants": (a_tenant(status=UNREADABLE),)},
            "another cluster with the ID rome",
        ),
    ],
)
def test_who_is_not_believed_is_told_why_and_given_nothing(
    changes: dict[str, Any], why: str
) -> None:
    state = a_state(**changes)
    assert state.claim is not None
    assert why in refusal(state, state.claim)
    decided = plan(state)
    assert said(decided) == ["Denied"]
    assert not any(isinstance(each, Create) for each in decided.actions)


@pytest.mark.parametrize(
    "changes",
    [
        {"tenants": (a_tenant(),)},
        {"tenants": (a_tenant(status=ADMITTED, public_key=OTHER_PUBLIC),)},
        {"rivals": (a_claim(READY, "liqo-peer-1"),)},
        {"rivals": (a_claim(None, "liqo-peer-1", public_key=OTHER_PUBLIC),)},
        {"token": a_token(consumer="rome"), "is_shared": True},
        {"tenants": (a_tenant(),), "is_bound": True},
        {"claim": a_claim(READY), "is_bound": True},
    ],
)
def test_who_is_known_with_this_key_or_named_by_the_administrator_is_welcome(
    changes: dict[str, Any],
) -> None:
    state = a_state(**changes)
    assert state.claim is not None
    assert refusal(state, state.claim) == ""


def test_who_is_denied_later_loses_the_rights_but_may_read_why() -> None:
    state = a_state(bindings=(OWN, *GIVEN), claim=a_claim(READY), is_shared=True)
    assert plan(state).actions[:2] == tuple(map(Delete, GIVEN))
    assert Delete(OWN) not in plan(state).actions


def test_a_new_peering_waits_until_the_last_one_is_taken_down() -> None:
    decided = plan(a_state(is_leaving=True))
    assert said(decided) == ["Pending"]
    assert len(decided.actions) == 1


def test_what_was_ready_stays_so_while_it_is_taken_down_and_ends_with_its_namespace() -> None:
    state = a_state(is_leaving=True, claim=a_claim(READY), bindings=(OWN,))
    assert plan(state) == do(wake_after=LIFE)
    ended = plan(replace(state, is_leaving=False, home=None))
    left = OWN, a_role(may_claim=False), a_claim(READY), a_token()
    assert ended == do(*map(Delete, left))


def test_without_its_account_nobody_can_use_a_claim_and_what_is_left_goes() -> None:
    role, claim = a_role(may_claim=False), a_claim(READY)
    state = a_state(token=None, role=role, claim=claim, bindings=(OWN, *GIVEN), home=MADE_FOR_IT)
    assert plan(state) == do(*map(Delete, (OWN, *GIVEN, role, claim)))
    assert plan(a_state(token=None, role=None, claim=None, bindings=())) == do()


def test_a_claim_under_another_name_than_that_of_a_token_is_given_nothing_and_goes() -> None:
    """No Role can say under which name something is created."""
    stray = a_claim(None, "liqo-peer-mine")
    state = a_state(key=stray.key, token=None, claim=stray, role=None, bindings=())
    assert plan(state) == do(Delete(stray))
    young = msgspec.structs.replace(
        stray, metadata=meta(stray.key.name, creation_timestamp=timestamp(NOW))
    )
    assert plan(replace(state, claim=young)) == do(wake_after=STRAY.total_seconds())


def test_an_account_that_is_not_seen_yet_is_waited_for() -> None:
    """Its Role may be known first: caches of two kinds do not tell in order."""
    born = timestamp(NOW - STRAY + timedelta(seconds=5))
    role = msgspec.structs.replace(a_role(may_claim=True), metadata=meta(creation_timestamp=born))
    state = a_state(token=None, role=role, claim=None, bindings=())
    assert plan(state) == do(wake_after=5.0)
    assert plan(replace(state, now=NOW + timedelta(seconds=5))) == do(Delete(role))


def test_what_has_expired_goes_and_with_it_the_namespace_that_nobody_used() -> None:
    token, role, claim = a_token(0), a_role(may_claim=False), a_claim(READY)
    state = a_state(token=token, role=role, claim=claim, home=MADE_FOR_IT)
    made = Namespace(metadata=MADE_FOR_IT.metadata)
    assert plan(state) == do(*map(Delete, (made, OWN, role, claim, token)))


@pytest.mark.parametrize(
    "changes",
    [
        {"home": a_home()},
        {"home": a_home(**{labels.PEERING_CLAIM: "liqo-peer-1"})},
        {"home": None},
        {"tenants": (a_tenant(),)},
        {"is_shared": True},
    ],
)
def test_a_namespace_that_somebody_needs_outlives_the_token(changes: dict[str, Any]) -> None:
    state = a_state(**{"token": a_token(0), "home": MADE_FOR_IT, **changes})
    deleted = [each.object for each in plan(state).actions if isinstance(each, Delete)]
    assert not any(isinstance(each, Namespace) for each in deleted)


@pytest.mark.parametrize("end", ["", "tomorrow", "2026-11-15T10:17:16"])
def test_a_token_that_does_not_say_when_it_ends_has_ended(end: str) -> None:
    assert (
        seconds_left(ServiceAccount(metadata=meta(annotations={labels.EXPIRES_AT: end})), NOW) == 0
    )
