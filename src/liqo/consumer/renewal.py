"""Renewal: the way back of a control plane's certificate that the provider signed again.

Runs on   consumer
Watches   Identity (of control planes), Renew (owned)
Writes    Renew, Identity (authParams)
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

from msgspec import to_builtins

from liqo.api import labels
from liqo.api.authentication import AuthParams, Identity, Renew, RenewSpec
from liqo.api.meta import Key, Meta
from liqo.consumer.home import Home
from liqo.kube.cache import Caches
from liqo.rules import certificates
from liqo.rules.ownership import owned_by
from liqo.runtime.controller import Controller, itself, owner
from liqo.runtime.plan import NOTHING, Action, Apply, Patch, Plan, do


@dataclass(frozen=True)
class State:
    identity: Identity
    renew: Renew | None
    consumer_id: str


def controller(here: Caches, home: Home) -> Controller[State]:
    return Controller(
        name="consumer/renewal",
        watches={here.of(Identity): itself, here.of(Renew): owner},
        observe=partial(observe, here, home.cluster_id),
        plan=plan,
    )


def observe(here: Caches, consumer_id: str, key: Key) -> State | None:
    identity = here.of(Identity).get(key)
    if identity is None or identity.spec.type != "ControlPlane":
        return None  # the certificate of a slice comes back in the slice itself
    return State(identity, here.of(Renew).get(key), consumer_id)


def plan(state: State) -> Plan:
    """
    Identity      | Renew's certificate | what is done
    --------------+---------------------+-----------------------------------------
    being deleted | any                 | nothing: its Renew goes with it
    live          | none, or not newer  | offer the Renew
    live          | newer               | offer the Renew, take the certificate
    """
    if state.identity.metadata.deletion_timestamp:
        return NOTHING
    return do(Apply(forge(state.identity, state.consumer_id)), *_taken(state))


def forge(identity: Identity, consumer_id: str) -> Renew:
    provider = identity.spec.cluster_id
    return Renew(
        metadata=Meta(
            name=identity.metadata.name,
            namespace=identity.metadata.namespace,
            labels={
                labels.REPLICATION: "true",
                labels.REMOTE_ID: provider,
                labels.REMOTE_CLUSTER_ID: provider,
            },
            owner_references=(owned_by(identity),),
        ),
        spec=RenewSpec(consumer_cluster_id=consumer_id, identity_type="ControlPlane"),
    )


def is_newer(answer: AuthParams | None, present: AuthParams) -> bool:
    """Whether it ends later: what came with a new handshake must not give way to an old answer."""
    if answer is None or not answer.signed_crt or answer.signed_crt == present.signed_crt:
        return False
    try:
        end = certificates.expires_at(answer.signed_crt)
    except ValueError:
        return False
    try:
        return end > certificates.expires_at(present.signed_crt)
    except ValueError:
        return True


def _taken(state: State) -> Iterator[Action]:
    answer = state.renew.status.auth_params if state.renew is not None else None
    if answer is None or not is_newer(answer, state.identity.spec.auth_params):
        return
    whole = {"proxyURL": None, "awsConfig": None, **to_builtins(answer)}
    yield Patch(state.identity, {"spec": {"authParams": whole}})
