"""ResourceSlice: who asks gets a certificate of its own, and as much as our terms allow.

Runs on   provider
Watches   ResourceSlice (received), Quota (of it); of the same consumer: Tenant, Namespace, Secret
          (certificate), signing requests; the addresses of the API server
Writes    ResourceSlice.status, signing request, Secret with the certificate
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial

import msgspec

from liqo.api.authentication import (
    AuthParams,
    ResourceSlice,
    ResourceSliceCondition,
    ResourceSliceStatus,
    Tenant,
)
from liqo.api.kubernetes import CertificateSigningRequest, Namespace, Secret
from liqo.api.meta import Key
from liqo.api.offloading import Quota
from liqo.kube.cache import Caches
from liqo.provider import access, certificate, grant
from liqo.provider.access import Access
from liqo.provider.certificate import Case
from liqo.provider.grant import Terms
from liqo.provider.watched import (
    OF_PEERS,
    SIGNING_REQUESTS,
    TENANT_NAMESPACES,
    every_slice,
    slices_of_its_peer,
    tenant_of,
)
from liqo.rules import certificates, keys, names, tenancy
from liqo.rules.conditions import find, says_the_same, with_condition
from liqo.rules.difference import difference
from liqo.runtime.clock import Clock, wall_clock
from liqo.runtime.controller import Controller, itself, owner
from liqo.runtime.plan import NOTHING, Action, PatchStatus, Plan, Record, do

CLASS_PATIENCE = timedelta(seconds=30)  # for the controller of a class to answer


@dataclass(frozen=True)
class State:
    asked: ResourceSlice
    home: Namespace | None
    tenant: Tenant | None
    granted: bool  # earlier, by us: there is a Quota
    case: Case
    door: AuthParams | None  # how to reach us; None: nobody knows
    terms: Terms
    now: datetime


def controller(
    here: Caches, told: Access, terms: Terms, clock: Clock = wall_clock
) -> Controller[State]:
    concerned = slices_of_its_peer(here)
    return Controller(
        name="provider/resourceslice",
        watches={
            here.of(ResourceSlice): itself,
            here.of(Quota): owner,
            here.of(Tenant): concerned,
            here.of(Namespace, TENANT_NAMESPACES): concerned,
            here.of(Secret, OF_PEERS): concerned,
            here.of(CertificateSigningRequest, SIGNING_REQUESTS): concerned,
            **dict.fromkeys(access.watched(here), every_slice(here)),
        },
        observe=partial(observe, here, told, terms, clock),
        plan=plan,
    )


def observe(here: Caches, told: Access, terms: Terms, clock: Clock, key: Key) -> State | None:
    asked = here.of(ResourceSlice).get(key)
    if asked is None or not asked.received or asked.metadata.deletion_timestamp is not None:
        return None
    consumer, now = asked.spec.consumer_cluster_id, clock()
    return State(
        asked=asked,
        home=here.of(Namespace, TENANT_NAMESPACES).get(Key("", key.namespace)),
        tenant=tenant_of(here, asked),
        granted=here.of(Quota).get(Key(key.namespace, names.quota(key.name, consumer))) is not None,
        case=certificate.observe(here, asked, consumer, now),
        door=access.observe(here, told),
        terms=terms,
        now=now,
    )


def plan(state: State) -> Plan:
    """
    asked                           | what is done
    --------------------------------+------------------------------------------------------
    without signing request         | nothing: the consumer is about to fill it in (R27)
    by nobody, or in a wrong place  | authentication denied
    without Tenant                  | say so
    by a Tenant not admitted yet    | nothing: its certificate comes first
    with a bad signing request      | authentication denied
    well, certificate not yet there | have it signed; both answers come in one write
    well, certificate there         | authentication accepted, and the answer about resources
    """
    asked, consumer = state.asked, state.asked.spec.consumer_cluster_id
    if not asked.spec.csr:
        return NOTHING
    if not consumer:
        why = "spec.consumerClusterID does not say who asks"
        return do(Record(asked, "RemoteCertificateFailed", why, "Warning"))
    if not tenancy.is_tenant_namespace(state.home, consumer):
        where = asked.metadata.namespace
        return deny(state, "Invalid ResourceSlice", f"{where} is not the namespace of {consumer}")
    if state.tenant is None:
        why = f"no Tenant stands for {consumer} in {asked.metadata.namespace}"
        return do(Record(asked, "TenantNotFound", why, "Warning"))
    return authenticate(state, state.tenant)


def authenticate(state: State, tenant: Tenant) -> Plan:
    known = admitted_key(tenant)
    if known is None:
        return NOTHING
    asked, consumer = state.asked, tenant.spec.cluster_id
    user = names.user_of(asked.metadata.name, consumer)
    if why := certificates.check_request(asked.spec.csr, consumer, user, known):
        return deny(state, "InvalidCSR", f"the signing request is refused: {why}")
    return answer(state, tenant)


def admitted_key(tenant: Tenant) -> bytes | None:
    """The key we certified, not the one that the Tenant shows now: nobody has verified that yet.

    Empty: any will do. None: there is none so far.
    """
    if tenant.spec.authz_policy == "TolerateNoHandshake":
        return b""
    params = tenant.status.auth_params
    if params is None or not params.signed_crt:
        return None
    return keys.public_pem(certificates.certified_key(params.signed_crt))


def deny(state: State, reason: str, why: str) -> Plan:
    denied = grant.condition("Authentication", "Denied")
    return do(
        Record(state.asked, reason, why, "Warning"),
        *written(state, with_answer(state, state.asked.status, denied)),
    )


def answer(state: State, tenant: Tenant) -> Plan:
    outcome = certificate.settle(state.case)
    if state.door is None:
        return deny(state, "AuthParamsFailed", "no address of the API server is known")
    if not outcome.certificate:
        if outcome.problem:
            return deny(state, "AuthParamsFailed", outcome.problem)
        return do(*outcome.actions, wake_after=outcome.wake_after)
    given = {"signed_crt": outcome.certificate, "proxy_url": tenant.spec.proxy_url}
    params = msgspec.structs.replace(state.door, **given)
    authenticated = msgspec.structs.replace(state.asked.status, auth_params=params)
    accepted = grant.condition("Authentication", "Accepted")
    status = with_resources(state, tenant, with_answer(state, authenticated, accepted))
    wakes = [wake for wake in (outcome.wake_after, class_wait(state)) if wake is not None]
    return do(*outcome.actions, *written(state, status), wake_after=min(wakes, default=None))


def with_resources(
    state: State, tenant: Tenant, status: ResourceSliceStatus
) -> ResourceSliceStatus:
    """
    Tenant    | class         | granted | the answer
    ----------+---------------+---------+----------------------------------------------------
    Active    | ours          | any     | accepted, with all that is offered
    Active    | ours, closed  | any     | denied, because it is closed
    Active    | another       | any     | its controller's; after half a minute without, denied
    Cordoned  | any           | yes     | as it was
    Cordoned  | any           | no      | denied: whoever accepted it, it was not us (S7)
    Drained   | any           | any     | denied
    """
    asked, terms = state.asked, state.terms
    condition = tenant.spec.tenant_condition
    if condition == "Cordoned" and state.granted:
        return status
    if condition != "Active":
        return with_answer(state, status, grant.condition("Resources", "Denied"))
    if not grant.is_ours(asked):
        unanswered = find(status.conditions, "Resources") is None and class_wait(state) is None
        return with_answer(state, status, grant.nobody_answers(asked)) if unanswered else status
    if not terms.default_class:
        return with_answer(state, status, grant.CLASS_DISABLED)
    filled = msgspec.structs.replace(
        status,
        resources=grant.offered(asked, terms),
        storage_classes=(),  # until there is a storage fabric
        ingress_classes=terms.ingress_classes,
        load_balancer_classes=terms.load_balancer_classes,
        node_labels=dict(terms.cluster_labels),
    )
    return with_answer(state, filled, grant.condition("Resources", "Accepted"))


def class_wait(state: State) -> float | None:
    """Seconds that the controller of another class still has; None where nobody waits for it."""
    if grant.is_ours(state.asked) or find(state.asked.status.conditions, "Resources") is not None:
        return None
    created = state.asked.metadata.creation_timestamp or state.now.isoformat()
    left = datetime.fromisoformat(created) + CLASS_PATIENCE - state.now
    return left.total_seconds() if left > timedelta(0) else None


def with_answer(
    state: State, status: ResourceSliceStatus, new: ResourceSliceCondition
) -> ResourceSliceStatus:
    conditions = with_condition(status.conditions, new, state.now)
    return msgspec.structs.replace(status, conditions=conditions)


def written(state: State, status: ResourceSliceStatus) -> Iterator[Action]:
    """All in one write: who waits for one answer reads the other at once.

    A controller of another class writes there too: whoever comes second looks again.
    """
    asked = state.asked
    change = difference(msgspec.to_builtins(asked.status), msgspec.to_builtins(status))
    if not change:
        return
    yield PatchStatus(asked, change, only_if_unchanged=True)
    for condition in status.conditions:
        old = find(asked.status.conditions, condition.type)
        if old is None or not says_the_same(old, condition):
            yield told(state, condition, is_new=old is None)


def told(state: State, condition: ResourceSliceCondition, *, is_new: bool) -> Record:
    """R14: what is denied later was granted before, and stays."""
    message = condition.message
    if condition.type == "Resources" and not is_new:
        message = "ResourceSlice resources updated"
    if condition.status == "Accepted":
        return Record(state.asked, condition.reason, message)
    if condition.type == "Resources" and state.granted:
        message = f"{condition.message}; what was granted before stays in the Quota"
    return Record(state.asked, condition.reason, message, "Warning")
