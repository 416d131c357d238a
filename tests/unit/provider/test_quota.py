"""What a grant leaves behind."""

import msgspec
import pytest

from liqo.api.authentication import ResourceSlice, TenantCondition
from liqo.api.meta import Key, Meta
from liqo.api.offloading import Quota
from liqo.provider import grant
from liqo.provider.grant import DEFAULTS, UNKNOWN, Offered, Prospect, Terms
from liqo.provider.quota import State, controller, forge, observe, plan
from liqo.provider.share.supply import LISTING
from liqo.runtime.plan import NOTHING, Apply, Plan, Record, do
from tests import wire
from tests.unit.provider.things import (
    HOME,
    NOW,
    a_slice,
    a_tenant,
    answered,
    holding,
    leaving,
    lending,
    marked,
)

ACCEPTED = answered("Accepted")
DENIED = answered("Denied")
SMALL = forge(ACCEPTED, Offered({"cpu": "1"}), Terms())


def decided(
    granted: ResourceSlice,
    tenant: TenantCondition | None = "Active",
    quota: Quota | None = None,
    terms: Terms | None = None,
) -> object:
    return plan(State(granted, tenant, quota, terms or Terms()))


def quota(resources: dict[str, str | int], granted: ResourceSlice = ACCEPTED) -> object:
    return do(Apply(forge(granted, Offered(resources), Terms())))


def test_a_quota_is_the_one_that_was_captured() -> None:
    [captured] = wire.captured(Quota)[:1]
    [uid] = [each["uid"] for each in captured["metadata"]["ownerReferences"]]
    metadata = msgspec.structs.replace(ACCEPTED.metadata, uid=uid)
    granted = msgspec.structs.replace(ACCEPTED, metadata=metadata)
    made = msgspec.json.encode(forge(granted, Offered(dict(DEFAULTS)), Terms()))
    for added in ("creationTimestamp", "generation", "uid"):
        del captured["metadata"][added]
    assert msgspec.json.decode(made) == {part: captured[part] for part in ("metadata", "spec")}


def test_a_slice_that_is_accepted_has_its_quota() -> None:
    assert decided(ACCEPTED) == quota(dict(DEFAULTS))


def test_a_slice_that_nobody_accepted_has_none() -> None:
    assert decided(a_slice()) == NOTHING
    assert decided(DENIED) == NOTHING


def test_R14_a_slice_denied_later_keeps_its_quota() -> None:
    assert decided(DENIED, quota=SMALL) == quota({"cpu": "1"}, DENIED)


def test_R13_a_quota_follows_the_request_also_downwards() -> None:
    more = forge(ACCEPTED, Offered({"gpu": "1"}), Terms())
    assert decided(ACCEPTED, quota=more) == quota(dict(DEFAULTS))


@pytest.mark.parametrize("tenant", ["Cordoned", "Drained"])
def test_S7_who_marks_its_own_slice_accepted_gains_nothing(tenant: TenantCondition) -> None:
    assert decided(ACCEPTED, tenant) == NOTHING
    assert decided(ACCEPTED, tenant, SMALL) == quota({"cpu": "1"})
    assert decided(ACCEPTED, terms=Terms(default_class=False)) == NOTHING


def test_S7_what_a_consumer_writes_as_granted_is_not_what_it_gets() -> None:
    status = msgspec.structs.replace(ACCEPTED.status, resources={"cpu": "1000"})
    lying = msgspec.structs.replace(ACCEPTED, status=status)
    assert decided(lying) == quota(grant.offered(lying, Terms()), lying)


def test_a_class_of_somebody_else_grants_what_its_controller_says() -> None:
    spec = msgspec.structs.replace(ACCEPTED.spec, class_="gold")
    status = msgspec.structs.replace(ACCEPTED.status, resources={"cpu": "2"})
    gold = msgspec.structs.replace(ACCEPTED, spec=spec, status=status)
    assert decided(gold) == quota({"cpu": "2"}, gold)


@pytest.mark.parametrize(
    ("annotation", "value", "cordoned"),
    [
        ("cordon", "true", True),
        ("cordon_tenant", "true", True),
        ("cordon", "", True),
        ("cordon", "false", False),
        ("cordon", "False", False),
        ("cordon", "0", False),
    ],
)
def test_a_cordoned_slice_cordons_its_quota_whatever_was_answered(
    annotation: str, value: str, cordoned: bool
) -> None:
    slice_ = marked(DENIED, **{annotation: value})
    [applied] = plan(State(slice_, "Active", SMALL, Terms())).actions
    assert isinstance(applied, Apply)
    assert isinstance(applied.object, Quota)
    assert applied.object.spec.cordoned is cordoned


def test_what_is_observed() -> None:
    key = ACCEPTED.key
    tenant, terms = a_tenant(tenant_condition="Cordoned"), Terms()
    quota = msgspec.structs.replace(
        SMALL, metadata=msgspec.structs.replace(SMALL.metadata, resource_version="1")
    )
    here = holding(ACCEPTED, tenant, quota)
    assert observe(here, lending(here), key) == State(ACCEPTED, "Cordoned", quota, terms)
    here = holding(tenant)
    assert observe(here, lending(here), key) is None


def test_our_own_requests_have_no_quota_here() -> None:
    own = msgspec.structs.replace(ACCEPTED, metadata=Meta(name="own", resource_version="1"))
    here = holding(own, a_tenant())
    assert observe(here, lending(here), own.key) is None


def test_nobody_is_granted_anything_where_the_slice_goes_or_its_tenant_or_there_is_none() -> None:
    gone = "2026-11-15T10:17:16Z"
    going = msgspec.structs.replace(
        ACCEPTED, metadata=msgspec.structs.replace(ACCEPTED.metadata, deletion_timestamp=gone)
    )
    for here in (
        holding(going, a_tenant()),
        holding(ACCEPTED, leaving(a_tenant(), NOW)),
        holding(ACCEPTED),
    ):
        seen = observe(here, lending(here), ACCEPTED.key)
        assert seen is not None
        assert seen.tenant is None
    assert decided(ACCEPTED, None) == NOTHING


def test_the_quota_of_a_slice_that_somebody_holds_takes_no_more_pods() -> None:
    stands = msgspec.structs.replace(
        SMALL, metadata=msgspec.structs.replace(SMALL.metadata, uid="quota-1")
    )
    closed = msgspec.structs.replace(
        stands, spec=msgspec.structs.replace(stands.spec, cordoned=True)
    )
    assert decided(ACCEPTED, None, stands) == do(Apply(closed))  # with its uid: never made anew
    assert decided(ACCEPTED, None, closed) == NOTHING


def test_a_tenant_and_a_quota_bring_the_slice() -> None:
    here = holding(ACCEPTED)
    lent = lending(here)
    watches = controller(here, lent).watches
    assert list(watches[here.of(Quota)](SMALL)) == [Key(HOME, "milan")]
    assert list(watches[lent.shares](ACCEPTED.key)) == [ACCEPTED.key]


SHARE = answered("Accepted", class_="share")
FRESH = Offered({"cpu": "45"}, "cpu 45 = floor(0.9 × (100 − 50))")


def shared(offered: Offered, wait: float | None = None, granted: ResourceSlice = SHARE) -> Plan:
    return do(Apply(forge(granted, offered, Terms())), wake_after=wait)


def test_the_quota_of_a_share_says_how_much_it_is_and_why() -> None:
    made = forge(SHARE, FRESH, Terms())
    assert made.spec.resources == {"cpu": "45"}
    assert made.metadata.annotations == {"liqo.io/explanation": FRESH.explanation}
    assert grant.standing(made) == FRESH


@pytest.mark.parametrize(
    ("granted", "tenant", "quota", "share", "planned"),
    [
        (SHARE, "Active", None, Prospect(None, 0.5), do(wake_after=0.5)),
        (SHARE, "Active", None, Prospect(FRESH), shared(FRESH)),
        (SHARE, "Active", SMALL, Prospect(FRESH), shared(FRESH)),
        (SHARE, "Active", SMALL, Prospect(FRESH, 0.5), shared(FRESH, 0.5)),
        (SHARE, "Active", SMALL, Prospect(None, 0.5), shared(Offered({"cpu": "1"}), 0.5)),
        (SHARE, "Cordoned", SMALL, UNKNOWN, shared(Offered({"cpu": "1"}))),
        (
            answered("Denied", class_="share"),
            "Active",
            SMALL,
            UNKNOWN,
            shared(Offered({"cpu": "1"}), granted=answered("Denied", class_="share")),
        ),
    ],
)
def test_the_quota_of_a_share_follows_what_is_offered(
    granted: ResourceSlice,
    tenant: TenantCondition,
    quota: Quota | None,
    share: Prospect,
    planned: Plan,
) -> None:
    assert plan(State(granted, tenant, quota, Terms(), share)) == planned


def test_a_share_is_looked_at_where_one_may_be_granted() -> None:
    here = holding(SHARE, a_tenant())
    for terms, share in (
        (Terms(), Prospect(None, LISTING)),
        (Terms(share_class=False), UNKNOWN),
    ):
        assert observe(here, lending(here, terms), SHARE.key) == State(
            SHARE, "Active", None, terms, share
        )


def test_what_is_wrong_with_whoever_decides_is_told_and_what_was_granted_stays() -> None:
    trouble = Prospect(FRESH, problem="nobody is there")
    planned = plan(State(SHARE, "Active", SMALL, Terms(), trouble))
    record = Record(SHARE, "ResourcePluginSilent", "nobody is there", "Warning")
    assert planned == do(*shared(FRESH).actions, record)
