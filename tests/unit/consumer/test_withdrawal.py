"""When a provider that was left is told so, and when it is left in peace."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec
import pytest

from liqo.api import labels
from liqo.api.authentication import Identity, Renew
from liqo.api.kubernetes import Secret
from liqo.api.meta import Key
from liqo.consumer.withdrawal import (
    LOOK_AGAIN,
    PATIENCE,
    REMIND,
    Grave,
    Peering,
    State,
    controller,
    forge,
    has_expired,
    observe,
    plan,
    tombstones,
)
from liqo.kube.cache import Caches
from liqo.kube.cluster import Cluster
from liqo.kube.reading import Metadata
from liqo.provider.withdrawal import is_its_own
from liqo.rules import certificates
from liqo.rules.certificates import Lifetime
from liqo.rules.kubeconfig import Login, kubeconfig
from liqo.runtime.clock import timestamp
from liqo.runtime.plan import NOTHING, Create, Delete, Patch, Plan, Record, do
from liqo.runtime.tenants import secrets, tenant_namespaces
from tests.unit.consumer import things
from tests.unit.consumer.replication.routes import GOING, a_kubeconfig
from tests.unit.kube.scripted import refuses, scripted
from tests.unit.provider.things import a_home

GRAVE = Grave(
    Key("liqo", "liqo-tombstone-milan"),
    "rome",
    "milan",
    "uid-of-controlplane-milan",
    "liqo-tenant-rome",
)
TOMBSTONE = a_kubeconfig(
    name="liqo-tombstone-milan",
    namespace="liqo",
    labels={labels.TOMBSTONE: "true", labels.REMOTE_CLUSTER_ID: "milan"},
)
NOW = datetime(2026, 11, 15, 10, 17, 16, tzinfo=UTC)
STATE = State(
    TOMBSTONE,
    GRAVE,
    "over",
    answers=True,
    is_refused=False,
    has_expired=False,
    is_marked=False,
    now=NOW,
)
END = do(Delete(TOMBSTONE))
WAIT = do(wake_after=LOOK_AGAIN)
TELL = do(Create(forge(GRAVE), on="remote"), wake_after=LOOK_AGAIN)
WARN = do(
    Record(
        TOMBSTONE,
        "ProviderNotTold",
        'the certificate for the provider "milan" has expired before it was told that this cluster '
        "left; its administrator takes back what is there with: liqoctl drain tenant rome. Then "
        "delete this Secret",
        "Warning",
    ),
    wake_after=REMIND,
)
NOBODY = {"is_refused": True, "has_expired": True}


@pytest.mark.parametrize(
    ("changes", "decided"),
    [
        ({"peering": "new"}, END),
        ({"peering": "new", "answers": False}, END),
        ({"peering": "ending"}, NOTHING),
        ({"peering": "ending", "is_refused": True}, NOTHING),
        ({"peering": "ending", **NOBODY}, NOTHING),
        ({"peering": "new", **NOBODY}, END),
        (NOBODY, WARN),
        ({"answers": False, **NOBODY}, WARN),
        ({"is_refused": True}, END),
        ({"answers": False}, WAIT),
        ({}, TELL),
        ({"is_marked": True}, WAIT),
    ],
)
def test_what_becomes_of_a_tombstone(changes: dict[str, Any], decided: Plan) -> None:
    assert plan(replace(STATE, **changes)) == decided


def noted(since: datetime) -> Secret:
    notes = {**TOMBSTONE.metadata.annotations, labels.REFUSED_SINCE: timestamp(since)}
    metadata = msgspec.structs.replace(TOMBSTONE.metadata, annotations=notes)
    return msgspec.structs.replace(TOMBSTONE, metadata=metadata)


def test_a_provider_that_has_just_started_may_refuse_us_for_a_moment() -> None:
    refused = replace(STATE, answers=False, is_refused=True)
    note = {"metadata": {"annotations": {labels.REFUSED_SINCE: timestamp(NOW)}}}
    assert plan(refused) == do(Patch(TOMBSTONE, note), wake_after=LOOK_AGAIN)
    lately = noted(NOW - PATIENCE + timedelta(seconds=1))
    assert plan(replace(refused, tombstone=lately)) == WAIT
    long_ago = noted(NOW - PATIENCE)
    assert plan(replace(refused, tombstone=long_ago)) == do(Delete(long_ago))


def test_that_it_refused_us_is_forgotten_when_it_lets_us_in() -> None:
    lately = noted(NOW)
    note = {"metadata": {"annotations": {labels.REFUSED_SINCE: None}}}
    decided = plan(replace(STATE, tombstone=lately)).actions
    assert decided == (Patch(lately, note), *TELL.actions)


def test_the_provider_understands_the_mark_as_it_is_left() -> None:
    mark = forge(GRAVE)
    assert is_its_own(mark, a_home())
    assert mark.spec.identity_type == ""  # so that it is no question about a certificate


def seen(here: Caches) -> State | None:
    return observe(GRAVE, here, things.caches(), lambda: NOW, GRAVE.secret)


def a_world(
    *identities: Identity, kubeconfig: Secret | None = None, tombstone: Secret = TOMBSTONE
) -> Caches:
    here = things.caches()
    here.of(Secret, tombstones("liqo")).take(tombstone)
    for identity in identities:
        here.of(Identity).take(identity)
    if kubeconfig is not None:
        home = Metadata(metadata=things.a_namespace().metadata)
        tenant_namespaces(here).take(home)
        secrets(here).take(kubeconfig)
    return here


@pytest.mark.parametrize(
    ("here", "peering"),
    [
        (a_world(), "over"),
        (a_world(things.an_identity()), "ending"),
        (a_world(things.an_identity(deletion_timestamp=GOING)), "ending"),
        (a_world(things.an_identity(uid="2", deletion_timestamp=GOING)), "ending"),
        (a_world(kubeconfig=a_kubeconfig()), "ending"),
        (a_world(things.an_identity(uid="2")), "new"),
        (a_world(things.an_identity(uid="2"), kubeconfig=a_kubeconfig()), "new"),
    ],
)
def test_how_things_stand_with_the_provider(here: Caches, peering: Peering) -> None:
    state = seen(here)
    assert state is not None
    assert state.peering == peering


def test_a_provider_that_never_answered_is_not_known_to_refuse_us() -> None:
    assert seen(a_world()) == replace(STATE, answers=False)


def expiring(left: timedelta) -> Secret:
    lifetime = Lifetime(NOW + left - timedelta(days=1), timedelta(days=1))
    pem = certificates.authority("rome", lifetime).certificate_pem
    login = Login("milan", "https://milan.invalid", "controlplane-milan", pem, b"")
    raw = things.a_secret("any", {"kubeconfig": kubeconfig(login)}).raw_data
    return msgspec.structs.replace(TOMBSTONE, raw_data=raw)


@pytest.mark.parametrize(
    ("left", "over"),
    [(timedelta(seconds=1), False), (timedelta(0), True), (timedelta(days=-90), True)],
)
def test_a_certificate_that_is_over_is_told_from_one_that_is_not(
    left: timedelta, over: bool
) -> None:
    assert has_expired(expiring(left), NOW) is over


def test_another_kind_of_credential_does_not_expire() -> None:
    assert not has_expired(TOMBSTONE, NOW)
    assert not has_expired(things.a_secret("any", {"kubeconfig": b"nonsense: ["}), NOW)


async def test_who_is_taken_for_nobody_looks_at_its_certificate() -> None:
    async with scripted(refuses(401)) as server, Cluster(server.access) as cluster:
        there = Caches(cluster)
        marks = there.of(Renew, GRAVE.mark)
        async with asyncio.TaskGroup() as tasks:
            following = tasks.create_task(there.run())
            async with asyncio.timeout(10):
                while not marks.unrecognized:  # noqa: ASYNC110 - it tells nobody
                    await asyncio.sleep(0)
            following.cancel()
    stone = expiring(timedelta(0))
    state = observe(GRAVE, a_world(tombstone=stone), there, lambda: NOW, GRAVE.secret)
    assert state == replace(
        STATE, tombstone=stone, answers=False, is_refused=True, has_expired=True
    )


def test_a_mark_that_is_there_is_seen() -> None:
    there = things.caches()
    there.of(Renew, GRAVE.mark).take(things.a_renew(namespace="liqo-tenant-rome"))
    state = observe(GRAVE, a_world(), there, lambda: NOW, GRAVE.secret)
    assert state is not None
    assert state.is_marked


def test_without_a_tombstone_there_is_nothing_to_say() -> None:
    assert seen(things.caches()) is None


def test_whatever_changes_concerns_this_tombstone() -> None:
    here, there = things.caches(), things.caches()
    for keys_of in controller(GRAVE, here, there).watches.values():
        assert list(keys_of(TOMBSTONE)) == [GRAVE.secret]
