"""When a nonce is made, and when not."""

from base64 import b64encode

from liqo.api.meta import Key
from liqo.provider.nonce import State, controller, observe, plan
from liqo.rules import names
from liqo.runtime.plan import NOTHING, Patch, Plan, Record, do
from tests.unit.provider.things import HOME, NONCE, a_home, a_nonce, holding

EMPTY = a_nonce(b"")


def reasons(planned: Plan) -> list[str]:
    return [each.reason for each in planned.actions if isinstance(each, Record)]


def test_an_empty_secret_gets_88_characters_that_are_base64_once_more_in_the_api() -> None:
    state = State(EMPTY, a_home(), NONCE)
    assert plan(state) == do(
        Patch(EMPTY, {"data": {"nonce": b64encode(NONCE).decode()}}, only_if_unchanged=True),
        Record(EMPTY, "NonceGenerated", "Nonce generated"),
    )
    assert len(NONCE) == 88


def test_a_nonce_that_is_there_stays() -> None:
    assert plan(State(a_nonce(), a_home(), b"another")) == NOTHING


def test_a_nonce_of_nobody_is_not_made() -> None:
    assert reasons(plan(State(a_nonce(b"", consumer=""), a_home(), NONCE))) == ["MissingClusterID"]


def test_S3_a_nonce_outside_the_tenant_namespace_of_its_consumer_is_not_made() -> None:
    assert reasons(plan(State(EMPTY, None, NONCE))) == ["TenantNamespaceNotFound"]
    elsewhere = a_home(**{"liqo.io/remote-cluster-id": "paris"})
    assert reasons(plan(State(EMPTY, elsewhere, NONCE))) == ["WrongNamespace"]


def test_what_is_observed_is_the_secret_its_namespace_and_a_fresh_nonce() -> None:
    key = Key(HOME, names.NONCE_SECRET)
    assert observe(holding(), bytes, key) is None
    assert observe(holding(EMPTY, a_home()), bytes, key) == State(EMPTY, a_home(), NONCE)


def test_a_namespace_that_is_labelled_later_brings_its_nonces() -> None:
    here = holding(EMPTY, a_home())
    [_, inside] = controller(here).watches.values()
    assert list(inside(a_home())) == [EMPTY.key]
