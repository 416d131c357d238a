"""ResourceSlice: who asks gets a certificate of its own, and as much as our terms allow.

Runs on   provider
Watches   ResourceSlice (received), Quota (of it); of the same consumer: Tenant, Namespace, Secret
          (certificate), signing requests; the addresses of the API server; Node; what there is
          to share
Writes    ResourceSlice.status and an annotation (since when its class is asked), signing request,
          Secret with the certificate
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial

import msgspec

from liqo.api import labels
from liqo.api.authentication import (
    AuthParams,
    ResourceSlice,
    ResourceSliceCondition,
    ResourceSliceStatus,
    Tenant,
)
from liqo.api.kubernetes import CertificateSigningRequest
from liqo.api.meta import Key
from liqo.api.offloading import Quota
from liqo.kube.cache import Caches
from liqo.kube.reading import Metadata
from liqo.provider import access, certificate, grant, platform
from liqo.provider.access import Access
from liqo.provider.certificate import Case
from liqo.provider.grant import UNKNOWN, Lending, Offered, Prospect, Terms
from liqo.provider.watched import (
    SIGNING_REQUESTS,
    every_slice,
    slices_of_its_peer,
    tenant_of,
)
from liqo.rules import certificates, explanation, names, tenancy
from liqo.rules.conditions import find, says_the_same, with_condition, without
from liqo.rules.difference import difference
from liqo.runtime.clock import Clock, timestamp, wall_clock
from liqo.runtime.controller import Controller, itself, owner
from liqo.runtime.plan import NOTHING, Action, Patch, PatchStatus, Plan, Record, do
from liqo.runtime.tenants import secrets, tenant_namespaces

CLASS_PATIENCE = timedelta(seconds=30)  # for the controller of a class to answer


@dataclass(frozen=True)
class State:
    asked: ResourceSlice
    home: Metadata | None
    tenant: Tenant | None
    granted: bool  # earlier, by us: there is a Quota
    case: Case
    door: AuthParams | None  # how to reach us; None: nobody knows
    terms: Terms
    platform: Mapping[str, str]  # labels of our nodes
    now: datetime
    share: Prospect = UNKNOWN  # if that is what is asked for


def controller(
    here: Caches, told: Access, lending: Lending, clock: Clock = wall_clock
) -> Controller[State]:
    concerned = slices_of_its_peer(here)
    return Controller(
        name="provider/resourceslice",
        watches={
            here.of(ResourceSlice): itself,
            here.of(Quota): owner,
            here.of(Tenant): concerned,
            tenant_namespaces(here): concerned,
            secrets(here): concerned,
            here.of(CertificateSigningRequest, SIGNING_REQUESTS): concerned,
            **dict.fromkeys(access.watched(here), every_slice(here)),
            platform.nodes(here): platform.slices_that_say_otherwise(here),
            lending.shares: lambda key: (key,),
        },
        observe=partial(observe, here, told, lending, clock),
        plan=plan,
    )


def observe(here: Caches, told: Access, lending: Lending, clock: Clock, key: Key) -> State | None:
    asked = here.of(ResourceSlice).get(key)
    if asked is None or not asked.received or asked.metadata.deletion_timestamp is not None:
        return None
    consumer, now = asked.spec.consumer_cluster_id, clock()
    quota = here.of(Quota).get(Key(key.namespace, names.quota(key.name, consumer)))
    tenant = tenant_of(here, asked)
    return State(
        asked=asked,
        home=tenant_namespaces(here).get(Key("", key.namespace)),
        tenant=tenant,
        granted=quota is not None,
        case=certificate.observe(here, asked, consumer, now),
        door=access.observe(here, told),
        terms=lending.terms,
        platform=platform.observe(here),
        now=now,
        share=share(asked, tenant, quota, lending),
    )


def share(
    asked: ResourceSlice, tenant: Tenant | None, quota: Quota | None, lending: Lending
) -> Prospect:
    """As the Quota has it, once there is one: what is told is what counts."""
    if not grant.is_share(asked) or tenant is None:
        return UNKNOWN
    if not grant.is_open(asked, tenant.spec.tenant_condition, lending.terms):
        return UNKNOWN
    standing = grant.standing(quota)
    if standing is not None and standing.explanation:
        return Prospect(standing)
    return lending.shares.prospect(asked, None)


def plan(state: State) -> Plan:
    """
    asked                           | what is done
    --------------------------------+------------------------------------------------------
    without signing request         | nothing: the consumer is about to fill it in (R27)
    by nobody, or in a wrong place  | authentication denied
    without Tenant                  | say so
    by a Tenant not admitted yet    | nothing: its certificate comes first
    by a Tenant that goes           | nothing: what it has goes with it
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
    if state.tenant.metadata.deletion_timestamp is not None:
        return NOTHING
    return authenticate(state, state.tenant)


def authenticate(state: State, tenant: Tenant) -> Plan:
    known = certificate.known_key(tenant)
    if tenant.spec.authz_policy == "TolerateNoHandshake":
        known = b""  # any will do
    elif not known:
        return NOTHING
    asked, consumer = state.asked, tenant.spec.cluster_id
    user = names.user_of(asked.metadata.name, consumer)
    if why := certificates.check_request(asked.spec.csr, consumer, user, known or b""):
        return deny(state, "InvalidCSR", f"the signing request is refused: {why}")
    return answer(state, tenant)


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
    wakes = (outcome.wake_after, class_wait(state, tenant), state.share.wait)
    return do(
        *outcome.actions,
        *written(state, status),
        *noted(state, tenant),
        wake_after=min((wake for wake in wakes if wake is not None), default=None),
    )


def with_resources(
    state: State, tenant: Tenant, status: ResourceSliceStatus
) -> ResourceSliceStatus:
    """
    Tenant    | class         | granted | the answer
    ----------+---------------+---------+----------------------------------------------------
    Active    | ours          | any     | accepted, with all that is offered
    Active    | ours, unknown | any     | as it was: what a share is will be known in a moment
    Active    | ours, untold  | any     | denied: the plugin that should tell it never did, or
              |               |         | nobody can read the setting that decides about it
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
        return with_answer_of_class(state, tenant, status)
    if (closed := grant.closed(asked, terms)) is not None:
        return with_answer(state, status, closed)
    offered = offered_to(state)
    if offered is None:
        untold = grant.untold(state.share)
        return with_answer(state, status, untold) if untold.message else status
    filled = msgspec.structs.replace(
        status,
        resources=offered.resources,
        storage_classes=(),  # until there is a storage fabric
        ingress_classes=terms.ingress_classes,
        load_balancer_classes=terms.load_balancer_classes,
        node_labels={**state.platform, **terms.cluster_labels},
    )
    accepted = grant.condition("Resources", "Accepted", offered.explanation)
    return with_answer(state, filled, accepted)


def offered_to(state: State) -> Offered | None:
    if grant.is_share(state.asked):
        return state.share.offered
    return Offered(grant.offered(state.asked, state.terms))


def with_answer_of_class(
    state: State, tenant: Tenant, status: ResourceSliceStatus
) -> ResourceSliceStatus:
    if is_answered(state.asked):
        return status
    if class_wait(state, tenant) is None:
        return with_answer(state, status, grant.nobody_answers(state.asked))
    return msgspec.structs.replace(status, conditions=without(status.conditions, "Resources"))


def is_answered(asked: ResourceSlice) -> bool:
    """By the controller of its class, or by us for want of one."""
    said = find(asked.status.conditions, "Resources")
    return said is not None and not grant.is_outdated(said, asked)


def class_wait(state: State, tenant: Tenant) -> float | None:
    """Seconds that the controller of another class still has; None where nobody waits for it."""
    if grant.is_ours(state.asked) or is_answered(state.asked):
        return None
    if tenant.spec.tenant_condition != "Active":
        return None
    left = (asked_since(state.asked) or state.now) + CLASS_PATIENCE - state.now
    return left.total_seconds() if left > timedelta(0) else None


def asked_since(asked: ResourceSlice) -> datetime | None:
    """When we first saw that this class has to answer; how old the slice is does not count."""
    since, _, of_class = asked.metadata.annotations.get(labels.CLASS_ASKED, "").partition(" ")
    if of_class != asked.spec.class_:
        return None
    try:
        return datetime.fromisoformat(since).astimezone(UTC) if since.endswith("Z") else None
    except ValueError:
        return None


def noted(state: State, tenant: Tenant) -> Iterator[Action]:
    """After the status, which is written only if nothing else was."""
    asked = state.asked
    if class_wait(state, tenant) is not None and asked_since(asked) is None:
        since = f"{timestamp(state.now)} {asked.spec.class_}"
        yield Patch(asked, {"metadata": {"annotations": {labels.CLASS_ASKED: since}}})


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
            yield from missed(state, old, condition)


def missed(
    state: State, old: ResourceSliceCondition | None, new: ResourceSliceCondition
) -> Iterator[Record]:
    """What there is, and of which a share is none: said when that begins."""
    before = explanation.rounded_away(old.message) if old is not None else {}
    for name, line in explanation.rounded_away(new.message).items():
        if name not in before:
            yield Record(state.asked, "RoundedToZero", str(line), "Warning")


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
