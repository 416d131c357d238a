"""A certificate that the provider signed again comes back through the Renew."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import msgspec

from liqo.api.authentication import AuthParams, Identity, Renew
from liqo.consumer.renewal import State, controller, forge, is_newer, observe, plan
from liqo.rules.certificates import Lifetime, authority, client
from liqo.runtime.plan import NOTHING, Apply, Patch, do
from liqo.runtime.requests import body_of
from tests.captured import captured, comparable
from tests.unit.consumer import things

START = datetime(2026, 1, 2, tzinfo=UTC)
SIGNER = authority("milan", Lifetime(START, timedelta(days=3650)))


def signed(days: int) -> AuthParams:
    """An answer whose certificate ends after that many days."""
    pair = client(SIGNER, "rome", ["liqo.io"], Lifetime(START, timedelta(days=days)))
    return AuthParams(signed_crt=pair.certificate_pem, api_server="https://milan")


def with_answer(answer: AuthParams) -> Identity:
    identity = things.an_identity()
    spec = msgspec.structs.replace(identity.spec, auth_params=answer)
    return msgspec.structs.replace(identity, spec=spec)


def test_the_renew_is_the_captured_one() -> None:
    wanted = captured("consumer", "Renew", "controlplane-milan")
    del wanted["status"]
    assert comparable(body_of(forge(things.an_identity(), "rome"))) == comparable(wanted)


def test_every_identity_of_a_control_plane_has_a_renew() -> None:
    identity = with_answer(signed(10))
    assert plan(State(identity, None, "rome")) == do(Apply(forge(identity, "rome")))


def test_a_newer_certificate_is_taken_over_whole() -> None:
    identity, answer = with_answer(signed(10)), signed(20)
    _, taken = plan(State(identity, things.a_renew(answer), "rome")).actions
    assert isinstance(taken, Patch)
    written = taken.change["spec"]["authParams"]
    assert written == {"proxyURL": None, "awsConfig": None, **msgspec.to_builtins(answer)}


def test_r1_an_older_certificate_never_undoes_a_new_handshake() -> None:
    """The Renew still holds what was signed for the keys that we had before."""
    identity = with_answer(signed(20))
    assert plan(State(identity, things.a_renew(signed(10)), "rome")) == do(
        Apply(forge(identity, "rome"))
    )


def test_what_counts_as_newer() -> None:
    short, long = signed(10), signed(20)
    broken = AuthParams(signed_crt=b"no certificate")
    assert is_newer(long, short)
    assert is_newer(short, broken)
    assert not is_newer(short, short)
    assert not is_newer(None, short)
    assert not is_newer(AuthParams(), short)
    assert not is_newer(broken, short)


def test_an_identity_that_is_being_deleted_gets_no_new_renew() -> None:
    going = things.an_identity(deletion_timestamp="2026-01-02T12:00:00Z")
    assert plan(State(going, None, "rome")) == NOTHING


def test_only_control_planes_are_observed() -> None:
    here, identity, renew = things.caches(), things.an_identity(), things.a_renew()
    assert set(controller(here, things.HOME).watches) == {here.of(Identity), here.of(Renew)}
    things.put(here, identity)
    things.put(here, renew)
    assert observe(here, "rome", identity.key) == State(identity, renew, "rome")
    other = msgspec.structs.replace(identity.spec, type="ResourceSlice")
    newer = things.an_identity(resource_version="2")
    things.put(here, msgspec.structs.replace(newer, spec=other))
    assert observe(here, "rome", identity.key) is None
