"""What a grant leaves behind."""

import msgspec
import pytest

from liqo.api.authentication import ResourceSlice, TenantCondition
from liqo.api.meta import Key, Meta
from liqo.api.offloading import Quota
from liqo.provider import grant
from liqo.provider.grant import DEFAULTS, Terms
from liqo.provider.quota import State, controller, forge, observe, plan
from liqo.runtime.plan import NOTHING, Apply, do
from tests import wire
from tests.unit.provider.things import HOME, a_slice, a_tenant, answered, holding, marked

ACCEPTED = answered("Accepted")
DENIED = answered("Denied")
SMALL = forge(ACCEPTED, {"cpu": "1"}, Terms())


def decided(
    granted: ResourceSlice,
    tenant: TenantCondition = "Active",
    quota: Quota | None = None,
    terms: Terms | None = None,
) -> object:
    return plan(State(granted, tenant, quota, terms or Terms()))


def quota(resources: dict[str, str | int], granted: ResourceSlice = ACCEPTED) -> object:
    return do(Apply(forge(granted, resources, Terms())))


def test_a_quota_is_the_one_that_was_captured() -> None:
    [captured] = wire.captured(Quota)[:1]
    [uid] = [each["uid"] for each in captured["metadata"]["ownerReferences"]]
    metadata = msgspec.structs.replace(ACCEPTED.metadata, uid=uid)
    granted = msgspec.structs.replace(ACCEPTED, metadata=metadata)
    made = msgspec.json.encode(forge(granted, dict(DEFAULTS), Terms()))
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
    assert decided(ACCEPTED, quota=forge(ACCEPTED, {"gpu": "1"}, Terms())) == quota(dict(DEFAULTS))


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
    assert observe(holding(ACCEPTED, tenant, quota), terms, key) == State(
        ACCEPTED, "Cordoned", quota, terms
    )
    assert observe(holding(ACCEPTED), terms, key) is None
    assert observe(holding(tenant), terms, key) is None


def test_our_own_requests_and_those_that_end_have_no_quota_here() -> None:
    own = msgspec.structs.replace(ACCEPTED, metadata=Meta(name="own", resource_version="1"))
    ending = msgspec.structs.replace(
        ACCEPTED,
        metadata=msgspec.structs.replace(
            ACCEPTED.metadata, deletion_timestamp="2026-11-15T10:17:16Z"
        ),
    )
    for slice_ in (own, ending):
        assert observe(holding(slice_, a_tenant()), Terms(), slice_.key) is None


def test_a_tenant_and_a_quota_bring_the_slice() -> None:
    here = holding(ACCEPTED)
    watches = controller(here, Terms()).watches
    assert list(watches[here.of(Quota)](SMALL)) == [Key(HOME, "milan")]
