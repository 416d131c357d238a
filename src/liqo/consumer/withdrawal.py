"""Withdrawal: a provider that we left without its knowing is told as soon as it answers.

Runs on   consumer, once for each tombstone
Watches   Secret (tombstone, kubeconfig), Identity; on the provider: Renew (the mark)
Writes    Renew on the provider; the tombstone (since when we are refused); deletes it
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import Literal, TypeAlias

from liqo.api import labels
from liqo.api.authentication import Identity, Renew, RenewSpec
from liqo.api.kubernetes import Secret
from liqo.api.meta import Key, Meta, Resource
from liqo.kube.cache import Cache, Caches
from liqo.kube.errors import Misconfigured
from liqo.kube.indexes import Label
from liqo.kube.kubeconfig import from_secret
from liqo.kube.paths import Scope
from liqo.rules import certificates, names
from liqo.runtime.clock import Clock, timestamp, wall_clock
from liqo.runtime.controller import Controller
from liqo.runtime.plan import NOTHING, Action, Create, Delete, Patch, Plan, Record, do
from liqo.runtime.tenants import secrets

LOOK_AGAIN = 3.0  # seconds: that nobody knows us there is no event of any cache
REMIND = 600.0  # seconds: as often as an Event is repeated
PATIENCE = timedelta(seconds=10)  # an API server that starts refuses everybody until it knows roles

UNTOLD = "ProviderNotTold"  # the reason of an Event

Peering: TypeAlias = Literal["over", "ending", "new"]
"""Ours with that provider. ending: what we had is still being taken back; new: we peered again."""


@dataclass(frozen=True)
class Grave:
    """A tombstone, and what is written on it."""

    secret: Key
    consumer_id: str
    provider_id: str
    identity_uid: str
    remote_namespace: str

    @property
    def mark(self) -> Scope:
        return Scope(namespace=self.remote_namespace, fields=f"metadata.name={names.WITHDRAWAL}")


@dataclass(frozen=True)
class State:
    tombstone: Secret
    grave: Grave
    peering: Peering
    answers: bool  # the provider, at least once
    is_refused: bool  # to it we are nobody, or have no rights
    has_expired: bool  # our certificate: that is why we are nobody
    is_marked: bool
    now: datetime


def tombstones(home_namespace: str) -> Scope:
    """Of all Secrets in the namespace of the installation, only these."""
    return Scope(namespace=home_namespace, labels=f"{labels.TOMBSTONE}=true")


def controller(
    grave: Grave, here: Caches, there: Caches, clock: Clock = wall_clock
) -> Controller[State]:
    this = partial(_this, grave)
    return Controller(
        name="consumer/withdrawal",
        watches={
            here.of(Secret, tombstones(grave.secret.namespace)): this,
            secrets(here): this,
            here.of(Identity): this,
            there.of(Renew, grave.mark): this,
        },
        observe=partial(observe, grave, here, there, clock),
        plan=plan,
    )


def observe(grave: Grave, here: Caches, there: Caches, clock: Clock, key: Key) -> State | None:
    tombstone = here.of(Secret, tombstones(key.namespace)).get(key)
    if tombstone is None or tombstone.metadata.deletion_timestamp:
        return None
    marks, now = there.of(Renew, grave.mark), clock()
    return State(
        tombstone,
        grave,
        peering_with(here, grave),
        answers=marks.synced,
        is_refused=marks.refused or marks.unrecognized,
        has_expired=marks.unrecognized and has_expired(tombstone, now),
        is_marked=len(marks) > 0,
        now=now,
    )


def has_expired(tombstone: Secret, now: datetime) -> bool:
    try:
        certificate = from_secret(tombstone).user.certificate.data
        return certificates.expires_at(certificate.encode()) <= now
    except (Misconfigured, ValueError):
        return False  # another kind of credential


def peering_with(here: Caches, grave: Grave) -> Peering:
    identities = _control_planes(here.of(Identity), grave.provider_id)
    live = [each for each in identities if not each.metadata.deletion_timestamp]
    if any(each.metadata.uid != grave.identity_uid for each in live):
        return "new"
    known = secrets(here).by(Label(labels.REMOTE_CLUSTER_ID), grave.provider_id)
    kubeconfigs = [each for each in known if labels.IDENTITY_TYPE in each.metadata.labels]
    return "ending" if identities or kubeconfigs else "over"


def plan(state: State) -> Plan:
    """
    peering | provider                   | mark  | what is done
    --------+----------------------------+-------+-------------------------------------------
    new     | any                        | any   | delete the tombstone: nothing to take back
    ending  | any                        | any   | nothing: replication would take the mark for
            |                            |       | a stray copy
    over    | our certificate expired    | any   | say so; the tombstone stays: who knows whether
            |                            |       | we are forgotten there
    over    | refuses us, let us in once | any   | delete the tombstone: we are forgotten there
    over    | refuses us, for a while    | any   | the same
    over    | refuses us, since now      | any   | note since when; look again
    over    | never answered             | any   | look again
    over    | answers                    | none  | leave the mark; look again
    over    | answers                    | there | look again: it is being taken down
    """
    if state.peering == "new":
        return do(Delete(state.tombstone))
    if state.peering == "ending":
        return NOTHING
    if state.has_expired:
        return do(_untold(state), wake_after=REMIND)
    if state.is_refused:
        return _refused(state)
    if not state.answers or state.is_marked:
        return do(wake_after=LOOK_AGAIN)
    left = Create(forge(state.grave), on="remote")
    return do(*_noted(state, None), left, wake_after=LOOK_AGAIN)


def _untold(state: State) -> Record:
    grave = state.grave
    why = (
        f'the certificate for the provider "{grave.provider_id}" has expired before it was told '
        "that this cluster left; its administrator takes back what is there with: liqoctl drain "
        f"tenant {grave.consumer_id}. Then delete this Secret"
    )
    return Record(state.tombstone, UNTOLD, why, "Warning")


def _refused(state: State) -> Plan:
    since = state.tombstone.metadata.annotations.get(labels.REFUSED_SINCE)
    if state.answers or (since and state.now - datetime.fromisoformat(since) >= PATIENCE):
        return do(Delete(state.tombstone))
    noted = () if since else _noted(state, timestamp(state.now))
    return do(*noted, wake_after=LOOK_AGAIN)


def _noted(state: State, since: str | None) -> Iterator[Action]:
    if state.tombstone.metadata.annotations.get(labels.REFUSED_SINCE) != since:
        yield Patch(state.tombstone, {"metadata": {"annotations": {labels.REFUSED_SINCE: since}}})


def forge(grave: Grave) -> Renew:
    """Like any copy of ours; who does not know the mark sees a Renew that asks for nothing."""
    return Renew(
        metadata=Meta(
            name=names.WITHDRAWAL,
            namespace=grave.remote_namespace,
            labels={
                labels.REPLICATION: "false",
                labels.REPLICATED: "true",
                labels.ORIGIN_ID: grave.consumer_id,
                labels.REMOTE_ID: grave.provider_id,
                labels.REMOTE_CLUSTER_ID: grave.consumer_id,
            },
            annotations={labels.WITHDRAWAL: "true"},
        ),
        spec=RenewSpec(consumer_cluster_id=grave.consumer_id),
    )


def _control_planes(identities: Cache[Identity], provider_id: str) -> list[Identity]:
    return [
        each
        for each in identities
        if each.spec.type == "ControlPlane" and each.spec.cluster_id == provider_id
    ]


def _this(grave: Grave, _: Resource) -> Iterable[Key]:
    return (grave.secret,)
