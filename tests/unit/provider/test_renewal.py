"""How a consumer learns of its next certificate."""

import msgspec

from liqo.api.authentication import Renew, RenewStatus, Tenant
from liqo.api.meta import Meta
from liqo.provider.renewal import State, controller, observe, plan
from liqo.runtime.plan import NOTHING, PatchStatus, do
from liqo.runtime.tenants import tenant_namespaces
from tests import wire
from tests.unit.provider.things import (
    ADMITTED,
    DOOR,
    HOME,
    NOW,
    a_certificate,
    a_home,
    a_renew,
    a_tenant,
    holding,
    leaving,
)

TENANT = a_tenant(status=ADMITTED)
PARAMS = msgspec.to_builtins(ADMITTED.auth_params)


def test_a_consumer_is_told_of_its_certificate() -> None:
    renew = a_renew()
    told = PatchStatus(renew, {"authParams": PARAMS})
    assert plan(State(renew, a_home(), TENANT)) == do(told)


def test_the_answer_has_the_fields_that_were_captured() -> None:
    [captured] = wire.captured(Renew)[:1]
    assert PARAMS.keys() == captured["status"]["authParams"].keys()


def test_the_same_certificate_is_no_news_and_of_a_new_one_only_that_is_sent() -> None:
    told = msgspec.structs.replace(a_renew(), status=RenewStatus(auth_params=ADMITTED.auth_params))
    assert plan(State(told, a_home(), TENANT)) == NOTHING
    params = msgspec.structs.replace(DOOR, signed_crt=a_certificate())
    renewed = a_tenant(status=msgspec.structs.replace(ADMITTED, auth_params=params))
    [change] = plan(State(told, a_home(), renewed)).actions
    assert isinstance(change, PatchStatus)
    assert list(change.status["authParams"]) == ["signedCRT"]


def test_where_there_is_nothing_to_tell_nothing_is_told() -> None:
    for state in (
        State(a_renew(identity_type="ResourceSlice"), a_home(), TENANT),
        State(a_renew(), a_home(), None),
        State(a_renew(), a_home(), leaving(TENANT, NOW)),
        State(a_renew(), a_home(), a_tenant()),
        State(a_renew(), None, TENANT),
        State(a_renew(consumer_cluster_id="paris"), a_home(), TENANT),
    ):
        assert plan(state) == NOTHING


def test_S1_what_an_older_consumer_asks_to_be_signed_is_not_signed() -> None:
    legacy = a_renew(csr=b"anything", public_key=b"any")
    assert plan(State(legacy, a_home(), TENANT)) == do(PatchStatus(legacy, {"authParams": PARAMS}))


def test_what_is_observed() -> None:
    renew = a_renew()
    own = msgspec.structs.replace(
        renew, metadata=Meta(name="own", namespace=HOME, resource_version="1")
    )
    here = holding(renew, own, a_home(), TENANT)
    assert observe(here, renew.key) == State(renew, a_home(), TENANT)
    assert observe(here, own.key) is None
    assert observe(holding(), renew.key) is None


def test_a_tenant_and_its_namespace_bring_the_renews_beside_them() -> None:
    renew = a_renew()
    here = holding(renew, a_home(), TENANT)
    watches = controller(here).watches
    assert list(watches[here.of(Tenant)](TENANT)) == [renew.key]
    inside = watches[tenant_namespaces(here)]
    assert list(inside(a_home())) == [renew.key]
