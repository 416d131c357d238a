"""Who may begin to peer with the token of a printed command, and what is left of it in the end."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import msgspec
import pytest

from liqo.api import labels
from liqo.api.authentication import (
    Identity,
    PeeringClaim,
    PeeringClaimSpec,
    PeeringClaimStatus,
    Renew,
    Tenant,
)
from liqo.api.kubernetes import (
    ClusterRoleBinding,
    Namespace,
    Role,
    RoleBinding,
    Secret,
    ServiceAccount,
)
from liqo.api.meta import Key, Meta
from liqo.kube.paths import Scope
from liqo.kube.reading import Metadata
from liqo.provider.claim import (
    STRAY,
    Lender,
    State,
    controller,
    observe,
    plan,
    refusal,
    seconds_left,
)
from liqo.provider.watched import CLAIMED
from liqo.rules import claims, handshake, keys, names, tenancy
from liqo.runtime.clock import timestamp
from liqo.runtime.plan import Create, Delete, Manifest, Patch, PatchStatus, Plan, do
from tests.unit.provider.things import (
    ADMITTED,
    HOME,
    NOW,
    OTHER,
    PEM,
    PUBLIC,
    a_home,
    a_renew,
    a_tenant,
    holding,
    leaving,
    raw,
    unreadable,
)

NAME = "liqo-peer-0123abcd"
KEY = Key("liqo", NAME)
MILAN = Lender("milan")
OURS = Scope(namespace="liqo", labels=labels.PEERING_CLAIM)
LIFE = 600.0
MARKS = {labels.PEERING_CLAIM: NAME}
READY = PeeringClaimStatus(phase="Ready", message=f"Go on in {HOME}", tenant_namespace=HOME)
UNREADABLE = unreadable(ADMITTED)
OTHER_PUBLIC = keys.public_pem(OTHER.public_key())


def meta(name: str = NAME, namespace: str = "liqo", **more: Any) -> Meta:
    given = {"uid": f"uid-of-{name}", "resource_version": "1", "labels": MARKS, **more}
    return Meta(name=name, namespace=namespace, **given)


def a_token(left: float = LIFE, consumer: str = "") -> ServiceAccount:
    end = timestamp(NOW + timedelta(seconds=left))
    marks = {**MARKS, labels.REMOTE_CLUSTER_ID: consumer} if consumer else MARKS
    return ServiceAccount(metadata=meta(labels=marks, annotations={labels.EXPIRES_AT: end}))


def a_claim(
    status: PeeringClaimStatus | None = None, name: str = NAME, **spec: Any
) -> PeeringClaim:
    """Of rome, with its key."""
    said = {"cluster_id": "rome", "public_key": PUBLIC}
    signed = handshake.sign(PEM, name.encode())
    return PeeringClaim(
        metadata=meta(name, labels={}),
        spec=PeeringClaimSpec(**{**said, "signature": signed, **spec}),
        status=status or PeeringClaimStatus(),
    )


def a_role(*, may_claim: bool) -> Role:
    return Role(metadata=meta(), raw_rules=raw(claims.rules(NAME, may_claim=may_claim)))


def a_binding(key: Key, role: str = NAME) -> RoleBinding:
    return RoleBinding(metadata=meta(key.name, key.namespace), raw_role_ref=raw({"name": role}))


OWN = a_binding(KEY)
GIVEN = (
    a_binding(Key(HOME, NAME), names.PEERING_USER_CLUSTER_ROLE),
    a_binding(Key("liqo", f"{NAME}-liqo-ns"), names.PEERING_USER_ROLE),
)
RIGHTS = [Create(Manifest(RoleBinding.KIND, body)) for body in claims.bindings(KEY, HOME).values()]
MADE_FOR_IT = a_home(**MARKS)


def a_state(**changes: Any) -> State:
    """Rome has claimed, and nothing was done about it yet."""
    state = State(
        key=KEY,
        lender=MILAN,
        token=a_token(),
        claim=a_claim(),
        role=a_role(may_claim=False),
        bindings=(OWN,),
        home=a_home(),
        tenants=(),
        rivals=(),
        is_leaving=False,
        is_shared=False,
        is_bound=False,
        now=NOW,
    )
    return replace(state, **changes)


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
    marks = {**tenancy.namespace_labels("rome"), labels.PEERING_CLAIM: NAME}
    wanted = Manifest(Namespace.KIND, {"metadata": {"name": HOME, "labels": marks}})
    decided = plan(a_state(home=None))
    assert decided.actions[0] == Create(wanted)
    assert said(decided) == ["Pending"]


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


def in_caches(*things: Any) -> Any:
    """As `holding`, and what only this controller follows."""
    scopes: dict[type, Scope] = {
        PeeringClaim: Scope(namespace="liqo"),
        ServiceAccount: OURS,
        Role: OURS,
        RoleBinding: CLAIMED,
    }
    here = holding(*(each for each in things if type(each) not in scopes))
    for each in things:
        if type(each) in scopes:
            here.of(type(each), scopes[type(each)]).take(each)
    return here


def a_grant(kind: str, name: str, namespace: str = "", **marks: str) -> Any:
    """A role that somebody gave to that user or group."""
    model = RoleBinding if namespace else ClusterRoleBinding
    return model(
        metadata=Meta(name="given", namespace=namespace, resource_version="1", labels=marks),
        raw_role_ref=raw({"kind": "ClusterRole", "name": "admin"}),
        raw_subjects=raw([{"kind": kind, "name": name}]),
    )


@pytest.mark.parametrize(
    ("given", "is_bound"),
    [
        (a_grant("User", "rome"), True),
        (a_grant("Group", "rome"), True),
        (a_grant("Group", "rome", "shop"), True),
        (a_grant("ServiceAccount", "rome", "shop"), False),
        (a_grant("Group", "paris"), False),
        (a_grant("User", "rome", HOME), False),
        (a_grant("Group", "rome", **{labels.REMOTE_CLUSTER_ID: "rome"}), False),
    ],
)
def test_whether_the_provider_has_given_rights_to_such_a_name_is_seen(
    given: Any, is_bound: bool
) -> None:
    here = in_caches(a_token(), a_claim(), a_home())
    here.of(type(given)).take(given)
    assert observe(here, MILAN, lambda: NOW, KEY).is_bound is is_bound


def test_what_is_observed() -> None:
    rival = a_claim(None, "liqo-peer-1")
    stranger = a_claim(None, "liqo-peer-2", cluster_id="paris")
    role, tenant = a_role(may_claim=True), a_tenant()
    here = in_caches(a_token(), a_claim(), rival, stranger, role, OWN, a_home(), tenant)
    expected = a_state(role=role, tenants=(tenant,), rivals=(rival,))
    assert observe(here, MILAN, lambda: NOW, KEY) == expected


@pytest.mark.parametrize(
    "thing",
    [
        leaving(a_tenant(), NOW),
        msgspec.structs.replace(
            a_renew(),
            metadata=msgspec.structs.replace(
                a_renew().metadata, annotations={labels.WITHDRAWAL: "true"}
            ),
        ),
        msgspec.structs.replace(
            a_home(),
            metadata=msgspec.structs.replace(
                a_home().metadata, deletion_timestamp=NOW.isoformat(), resource_version="2"
            ),
        ),
    ],
)
def test_an_earlier_peering_is_being_taken_down(thing: Any) -> None:
    here = in_caches(a_token(), a_claim(), a_home(), thing)
    assert observe(here, MILAN, lambda: NOW, KEY).is_leaving
    assert not observe(
        in_caches(a_claim(), a_home(), a_renew()), MILAN, lambda: NOW, KEY
    ).is_leaving


def test_what_happens_to_a_consumer_concerns_its_claims() -> None:
    here = in_caches(a_claim(), a_claim(None, "liqo-peer-2", cluster_id="paris"))
    watches = controller(here, MILAN).watches
    for cache, keys_of in watches.items():
        if cache.reading.model is Tenant:
            assert list(keys_of(a_tenant())) == [KEY]
        if cache is here.of(RoleBinding, CLAIMED):
            assert list(keys_of(GIVEN[0])) == [KEY]
        if cache is here.of(RoleBinding):  # looked at, and waited for by nobody
            assert list(keys_of(GIVEN[0])) == []
    followed = {cache.reading.model for cache in watches}
    assert followed >= {PeeringClaim, ServiceAccount, Metadata, Renew, Identity, Secret}
