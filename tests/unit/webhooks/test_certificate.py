"""The certificate of the webhook: made, renewed, believed; and never without anybody vouching."""

from __future__ import annotations

import ssl
from base64 import b64decode, b64encode
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import msgspec
import pytest

from liqo.api.admission import MutatingWebhookConfiguration, ValidatingWebhookConfiguration
from liqo.api.kubernetes import Namespace, Secret
from liqo.api.meta import JSON, Key, Meta
from liqo.kube.access import Access
from liqo.kube.cache import Caches
from liqo.kube.cluster import Cluster
from liqo.rules import certificates, keys
from liqo.runtime.plan import Create, Manifest, Patch, do
from liqo.webhooks.certificate import (
    OURS,
    Material,
    Place,
    State,
    controller,
    installation,
    is_due,
    issue,
    observe,
    plan,
    read,
    secrets,
    written,
)

HOUR = timedelta(
    hours=1
)  # and not minutes: a run that begins with the journeys takes an hour itself
START = datetime.now(UTC).replace(microsecond=0) - 40 * HOUR  # its renewal is due by now
PLACE = Place("liqo", "liqo-webhook", 60 * HOUR)
KEY = Key("liqo", "liqo-webhook-certs")
FIRST = issue(PLACE, None, START)
SECOND = issue(PLACE, FIRST, START + 40 * HOUR)


def a_secret(material: Material | None = FIRST, **more: str) -> Secret:
    content = {**(written(material) if material is not None else {}), **more}
    return Secret(
        metadata=Meta(name=KEY.name, namespace=KEY.namespace, resource_version="1", uid="1"),
        raw_data=msgspec.Raw(msgspec.json.encode(content)),
    )


def a_configuration(*bundles: str) -> MutatingWebhookConfiguration:
    entries: list[JSON] = [
        {"name": f"webhook-{number}", "clientConfig": {"caBundle": bundle} if bundle else {}}
        for number, bundle in enumerate(bundles)
    ]
    return MutatingWebhookConfiguration(
        metadata=Meta(name="liqo-webhook", resource_version="1"),
        raw_webhooks=msgspec.Raw(msgspec.json.encode(entries)),
    )


def holding(*things: Secret | MutatingWebhookConfiguration, installed: bool = True) -> Caches:
    here = Caches(Cluster(Access(server="https://milan.invalid")))
    if installed:
        installation(here, "liqo").take(Namespace(metadata=Meta(name="liqo", resource_version="1")))
    for thing in things:
        if isinstance(thing, Secret):
            secrets(here, "liqo").take(thing)
        else:
            here.of(MutatingWebhookConfiguration, OURS).take(thing)
    return here


def observed(here: Caches, at: datetime = START) -> State | None:
    return observe(here, PLACE, lambda: at, KEY)


def shakes_hands(material: Material, trusted: bytes, folder: Path) -> bool:
    """Whether a strict client that trusts this bundle, and no other, believes the server."""
    file = folder / "chain.pem"
    file.write_bytes(material.certificate + material.key)
    listener = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    listener.load_cert_chain(file)
    caller = ssl.create_default_context(cadata=trusted.decode())
    caller.verify_flags |= ssl.VerifyFlags.VERIFY_X509_STRICT
    up, down = ssl.MemoryBIO(), ssl.MemoryBIO()
    there = listener.wrap_bio(up, down, server_side=True)
    here = caller.wrap_bio(down, up, server_hostname="liqo-webhook.liqo.svc")
    waiting = [here, there]
    while waiting:
        try:
            waiting[0].do_handshake()
            waiting.pop(0)
        except ssl.SSLWantReadError:
            waiting.reverse()
        except ssl.SSLCertVerificationError:
            return False
    return True


def only_the_first(bundle: bytes) -> bytes:
    end = b"-----END CERTIFICATE-----\n"
    return bundle[: bundle.index(end) + len(end)]


def test_whoever_trusts_the_authority_believes_the_server(tmp_path: Path) -> None:
    assert shakes_hands(FIRST, FIRST.ca, tmp_path)


@pytest.mark.parametrize("shown", [FIRST, SECOND])
@pytest.mark.parametrize("trusted", [FIRST.ca, SECOND.ca])
def test_around_a_renewal_old_and_new_believe_each_other(
    shown: Material, trusted: bytes, tmp_path: Path
) -> None:
    """One replica may be ahead of the other, and the API server of both, or behind them."""
    assert shakes_hands(shown, trusted, tmp_path)


def test_the_new_authority_stands_on_its_own(tmp_path: Path) -> None:
    assert shakes_hands(SECOND, only_the_first(SECOND.ca), tmp_path)
    assert not shakes_hands(FIRST, only_the_first(SECOND.ca), tmp_path)


def test_an_authority_is_trusted_until_it_ends() -> None:
    assert SECOND.ca.count(b"BEGIN") == 2
    third = issue(PLACE, SECOND, START + 80 * HOUR)
    assert third.ca.count(b"BEGIN") == 2
    assert only_the_first(FIRST.ca) not in third.ca


def test_an_authority_that_ended_vouches_for_nobody() -> None:
    late = issue(PLACE, FIRST, START + 100 * HOUR)
    assert (late.ca.count(b"BEGIN"), late.certificate.count(b"BEGIN")) == (1, 1)


def test_the_names_are_those_of_the_service() -> None:
    assert certificates.addresses(FIRST.certificate) == [
        "liqo-webhook",
        "liqo-webhook.liqo",
        "liqo-webhook.liqo.svc",
        "liqo-webhook.liqo.svc.cluster.local",
    ]
    far = issue(Place("n" * 63, "liqo-webhook"), None, START)
    assert certificates.addresses(far.certificate)[1] == "liqo-webhook." + "n" * 63


RSA = keys.private_pem(keys.new_key(tls_compatible=True))


@pytest.mark.parametrize(
    ("present", "at", "place", "due"),
    [
        (FIRST, START, PLACE, False),
        (FIRST, START + 39 * HOUR, PLACE, False),
        (FIRST, START + 40 * HOUR, PLACE, True),
        (None, START, PLACE, True),
        (FIRST, START, replace(PLACE, service="other"), True),
        (replace(FIRST, key=SECOND.key), START, PLACE, True),
        (replace(FIRST, key=b"nonsense"), START, PLACE, True),
        (replace(FIRST, key=RSA), START, PLACE, True),
        (replace(FIRST, ca=SECOND.ca), START, PLACE, True),
        (replace(FIRST, ca=b"nonsense"), START, PLACE, True),
        (replace(FIRST, certificate=FIRST.ca, key=FIRST.ca_key), START, PLACE, True),
    ],
)
def test_it_is_due_when_two_thirds_are_over_or_it_is_of_no_use(
    present: Material | None, at: datetime, place: Place, due: bool
) -> None:
    assert is_due(place, present, at) is due


@pytest.mark.parametrize("lost", [{"ca_key": b""}, {"ca_key": b"x"}, {"ca": b"x"}])
def test_what_cannot_vouch_is_replaced_all_the_same(lost: dict[str, bytes]) -> None:
    made = issue(PLACE, replace(FIRST, **lost), START + 40 * HOUR)
    assert made.certificate.count(b"BEGIN") == 1
    assert not is_due(PLACE, made, START + 40 * HOUR)


def test_the_secret_is_read_as_it_was_written() -> None:
    assert read(a_secret()) == FIRST
    assert read(None) is None
    assert read(a_secret(None, ca="eA==")) is None
    assert read(a_secret(FIRST, ca="e")) is None


def test_without_a_secret_one_is_created_and_another_replica_may_be_quicker() -> None:
    state = observed(holding())
    assert state is not None
    [created] = plan(state).actions
    assert isinstance(created, Create)
    assert isinstance(created.object, Manifest)
    body = created.object.body
    assert body["metadata"] == {
        "name": "liqo-webhook-certs",
        "namespace": "liqo",
        "labels": {"liqo.io/webhook": "true"},
        "annotations": {"liqo.io/webhook-service-name": "liqo-webhook"},
    }
    assert set(body["data"]) == {"ca", "ca.key", "tls.crt", "tls.key"}


@pytest.mark.parametrize("present", [a_secret(), a_secret(None), a_secret(None, ca="eA==")])
def test_a_secret_that_is_due_or_incomplete_is_replaced_unless_it_just_was(
    present: Secret,
) -> None:
    state = observed(holding(present), START + 50 * HOUR)
    assert state is not None
    [patch] = plan(state).actions
    assert isinstance(patch, Patch)
    assert (patch.object, patch.only_if_unchanged) == (present, True)


def test_every_configuration_is_told_whom_to_trust() -> None:
    trusted = b64encode(FIRST.ca).decode()
    configuration = a_configuration("", trusted, "old")
    state = observed(holding(a_secret(), configuration))
    assert state is not None
    wanted = [
        {"name": name, "clientConfig": {"caBundle": trusted}} for name in ("webhook-0", "webhook-2")
    ]
    change = Patch(configuration, {"webhooks": wanted}, form="strategic")
    assert plan(state).actions == (change,)
    content = holding(a_secret(), a_configuration(trusted))
    settled = observed(content)
    assert settled is not None
    assert plan(settled).actions == ()


def test_it_wakes_when_the_renewal_is_surely_due() -> None:
    state = observed(holding(a_secret()))
    assert state is not None
    wait = plan(state).wake_after
    assert wait is not None
    assert is_due(PLACE, FIRST, START + timedelta(seconds=wait))
    assert wait < PLACE.lifetime.total_seconds()
    assert plan(state) == do(wake_after=wait)


def test_nothing_is_made_where_nothing_is_installed() -> None:
    assert observed(holding(installed=False)) is None


def test_whatever_changes_brings_the_one_key() -> None:
    watches = controller(holding(), PLACE, lambda: START).watches
    things = (a_secret(), a_configuration(), ValidatingWebhookConfiguration())
    assert {key for of in watches.values() for thing in things for key in of(thing)} == {KEY}
    assert len(watches) == 4
    assert b64decode(a_secret().data["ca"]) == FIRST.ca
