"""Tenant: a consumer that has shown who it is gets a certificate and rights, or loses them.

Runs on   provider
Watches   Tenant; of the same consumer: Namespace, Secret (nonce, certificate), signing requests,
          bindings, copies of ResourceSlice, NamespaceMap and Renew; ClusterRole; the addresses of
          the API server
Writes    Tenant (finalizer, status), RoleBinding, ClusterRoleBinding, signing request, Secret with
          the certificate; ResourceSlice (annotation of cordoned tenants); deletes copies and nonce,
          whoever else holds them
"""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial

import msgspec

from liqo.api import labels
from liqo.api.authentication import AuthParams, Renew, ResourceSlice, Tenant, TenantStatus
from liqo.api.kubernetes import (
    CertificateSigningRequest,
    ClusterRole,
    ClusterRoleBinding,
    RoleBinding,
    Secret,
)
from liqo.api.meta import Key, Resource
from liqo.api.offloading import NamespaceMap
from liqo.kube.cache import Caches
from liqo.kube.indexes import namespace as by_namespace
from liqo.kube.reading import Metadata, O
from liqo.provider import access, certificate, rights
from liqo.provider.access import Access
from liqo.provider.certificate import Case, Outcome
from liqo.provider.rights import Rights
from liqo.provider.watched import (
    SIGNING_REQUESTS,
    every_tenant,
    nonces_in,
    peer_of,
    tenants_of_its_peer,
)
from liqo.rules import certificates, handshake, keys, names, tenancy
from liqo.runtime.clock import Clock, wall_clock
from liqo.runtime.controller import Controller, itself
from liqo.runtime.finalizers import with_finalizer, without_finalizer, without_strangers
from liqo.runtime.plan import NOTHING, Action, Apply, Delete, Patch, Plan, Record, do, identity
from liqo.runtime.tenants import OF_PEERS, secrets, tenant_namespaces

WITHDRAWAL = timedelta(seconds=10)  # for a consumer that leaves to take back what it asked for
PACE = timedelta(seconds=10)  # of deleting what is made again at once: else both are busy with it
UNBOUND = "ClusterRolesUnbindingSuccess", "Took back the rights of the tenant"
DRAINED: Mapping[type[Resource], tuple[str, str]] = {
    ResourceSlice: ("ResourceSlicesDeleted", "Deleted the ResourceSlices of the tenant"),
    NamespaceMap: ("NamespaceMapsDeleted", "Deleted the NamespaceMaps of the tenant"),
}


@dataclass(frozen=True)
class State:
    tenant: Tenant
    home: Metadata | None
    nonce: Secret | None
    slices: tuple[ResourceSlice, ...]  # copies from this consumer, as are the next two
    maps: tuple[NamespaceMap, ...]
    renews: tuple[Renew, ...]
    has_left: bool  # it said so: nothing more will come of it
    rights: Rights
    case: Case
    known: Case | None  # of the key that we certified before, be it the same or another
    door: AuthParams | None  # how to reach us; None: nobody knows
    now: datetime


def controller(here: Caches, told: Access, clock: Clock = wall_clock) -> Controller[State]:
    concerned = tenants_of_its_peer(here)
    return Controller(
        name="provider/tenant",
        watches={
            here.of(Tenant): itself,
            tenant_namespaces(here): concerned,
            secrets(here): concerned,
            here.of(CertificateSigningRequest, SIGNING_REQUESTS): concerned,
            here.of(RoleBinding, OF_PEERS): concerned,
            here.of(ClusterRoleBinding, OF_PEERS): concerned,
            here.of(ResourceSlice): concerned,
            here.of(NamespaceMap): concerned,
            here.of(Renew): concerned,
            here.of(ClusterRole): partial(_if_handed_out, here),
            **dict.fromkeys(access.watched(here), every_tenant(here)),
        },
        observe=partial(observe, here, told, clock),
        plan=plan,
    )


def _if_handed_out(here: Caches, role: ClusterRole) -> Iterable[Key]:
    return every_tenant(here)(role) if rights.are_of(role) else ()


def observe(here: Caches, told: Access, clock: Clock, key: Key) -> State | None:
    tenant = here.of(Tenant).get(key)
    if tenant is None:
        return None
    consumer, now = tenant.spec.cluster_id, clock()
    whose = [each for each in nonces_in(here, key.namespace) if peer_of(each) == consumer]
    renews = copies(here, Renew, key.namespace)
    return State(
        tenant=tenant,
        home=tenant_namespaces(here).get(Key("", key.namespace)),
        nonce=whose[0] if whose else None,
        slices=copies(here, ResourceSlice, key.namespace),
        maps=copies(here, NamespaceMap, key.namespace),
        renews=tuple(each for each in renews if not tenancy.is_withdrawal(each)),
        has_left=any(map(tenancy.is_withdrawal, renews)),
        rights=rights.observe(here, tenant),
        case=certificate.observe(here, tenant, consumer, now),
        known=certificate.observe_known(here, tenant, now),
        door=access.observe(here, told),
        now=now,
    )


def copies(here: Caches, kind: type[O], namespace: str) -> tuple[O, ...]:
    """What the consumer has asked for; all in its namespace is its own."""
    return tuple(filter(tenancy.is_copy, here.of(kind).by(by_namespace, namespace)))


def plan(state: State) -> Plan:
    """
    tenant              | who it is      | what is done
    --------------------+----------------+--------------------------------------------------------
    being deleted       | any            | let it withdraw, then take all back
    drained             | any            | take back rights, and all that it asked for
    active or cordoned  | any, too early | say what is missing here: its namespace, or our roles
    active or cordoned  | not shown      | say what is wrong; whom we know keeps what it has (R1)
    active or cordoned  | shown          | certificate, rights, status
    """
    tenant = state.tenant
    if tenant.metadata.deletion_timestamp is not None:
        return dismiss(state)
    held = with_finalizer(tenant, labels.TENANT_FINALIZER)
    if tenant.spec.tenant_condition == "Drained":
        return then(held, drain(state))
    begun = (*held, *cordon(state))
    if problem := unprepared(state):
        return do(*begun, problem)
    if problem := unproven(state):
        return then((*begun, problem), uphold(state))
    return then(begun, admit(state))


def then(first: Iterable[Action], rest: Plan) -> Plan:
    return do(*first, *rest.actions, wake_after=rest.wake_after)


def dismiss(state: State) -> Plan:
    """R7: rights stay while the consumer takes back what it asked for; what is left then goes.

    Also where our finalizer is gone: who removed it, or holds the Tenant, was not us.
    """
    left = (*state.slices, *state.maps, *state.renews)
    began = datetime.fromisoformat(state.tenant.metadata.deletion_timestamp or "")
    patience = (began + WITHDRAWAL - state.now).total_seconds()
    if left and patience > 0 and not state.has_left:
        return do(wake_after=patience)
    back = rights.taken_back(state.rights)
    released = list(without_finalizer(state.tenant, labels.TENANT_FINALIZER))
    signed = (state.nonce,) if back or released else ()  # later, it is the next Tenant's
    return do(*back, *removed(*left), *forgotten(*filter(None, signed)), *released)


def removed(*copies: Resource) -> Iterator[Action]:
    """A consumer may put finalizers on what is its own: they do not keep it here."""
    for each in copies:
        ours = labels.NAMESPACE_MAP_FINALIZER if isinstance(each, NamespaceMap) else ""
        yield from without_strangers(each, ours)
        yield Delete(each)


def forgotten(*nonces: Secret) -> Iterator[Action]:
    """S2: a signature is good for one Tenant; the next one needs another nonce."""
    for each in nonces:
        if each.data.get("nonce"):
            yield Patch(each, {"data": {"nonce": None}})


def drain(state: State) -> Plan:
    """
    our rights | what it asked for    | what is done
    -----------+----------------------+-----------------------------------------------------------
    there      | any                  | take them back, delete it
    gone       | there a while, going | delete it
    gone       | just made            | wait: whoever made it has rights that an administrator gave,
               |                      | which are not ours to take, and makes it again at once

    Renews go as well: of a consumer that is installed anew nothing may be left (R1). The replicator
    of one that is not makes all of them again once it is allowed to.
    """
    tenant, left = state.tenant, (*state.slices, *state.maps, *state.renews)
    back = rights.taken_back(state.rights)
    waits = [0.0 if back else pause(each, state.now) for each in left]
    due = [each for each, wait in zip(left, waits, strict=True) if wait <= 0]
    return do(
        *back,
        *((Record(tenant, *UNBOUND),) if back else ()),
        *removed(*due),
        *(Record(tenant, *DRAINED[kind]) for kind in DRAINED if kind in map(type, due)),
        wake_after=min((wait for wait in waits if wait > 0), default=None),
    )


def pause(copy: Resource, now: datetime) -> float:
    """Seconds until it is deleted, where others are made in its place; nothing or less: now."""
    made = copy.metadata.creation_timestamp
    if not made or copy.metadata.deletion_timestamp:
        return 0.0
    return (datetime.fromisoformat(made) + PACE - now).total_seconds()


def cordon(state: State) -> Iterator[Action]:
    """Its slices carry the mark of a cordoned tenant, and of no other."""
    wanted = "true" if state.tenant.spec.tenant_condition == "Cordoned" else None
    for each in state.slices:
        if each.metadata.annotations.get(labels.CORDON_TENANT) != wanted:
            yield Patch(each, {"metadata": {"annotations": {labels.CORDON_TENANT: wanted}}})


def unprepared(state: State) -> Record | None:
    """What is missing here to admit anybody."""
    tenant, consumer = state.tenant, state.tenant.spec.cluster_id
    if not tenancy.is_tenant_namespace(state.home, consumer):
        where = tenant.metadata.namespace
        why = f"{where} is not labelled as the tenant namespace of {consumer}"
        return Record(tenant, "TenantNamespaceCreationFailed", why, "Warning")
    if absent := rights.missing(state.rights):
        why = f"the installation lacks a ClusterRole with the label {labels.APP_NAME}={absent[0]}"
        return Record(tenant, "ClusterRolesBindingFailed", why, "Warning")
    return None


def unproven(state: State) -> Record | None:
    """What is missing to believe that this is the consumer, and the one we know."""
    tenant, spec = state.tenant, state.tenant.spec
    if spec.authz_policy == "TolerateNoHandshake":
        return None
    if not has_shown_its_key(tenant) and (problem := unsigned(state)):
        return problem
    if why := certificates.check_request(
        spec.csr, names.CONTROL_PLANES, spec.cluster_id, spec.public_key
    ):
        return Record(tenant, "InvalidCSR", f"the signing request is refused: {why}", "Warning")
    return Record(tenant, "InvalidCSR", taken(tenant), "Warning") if is_another(state) else None


def taken(tenant: Tenant) -> str:
    consumer, name = tenant.spec.cluster_id, tenant.metadata.name
    return (
        f"another cluster with the ID {consumer} is a tenant already: give this one another ID, or "
        "unpeer the other first; if it is the same cluster, installed anew, its provider's "
        f"administrator takes back what it had with: liqoctl drain tenant {name}, and lets it in "
        f"again with: liqoctl activate tenant {name} (or deletes the Tenant); then peer again"
    )


def has_shown_its_key(tenant: Tenant) -> bool:
    """Once is enough, for this Tenant: its status is ours, and the next one starts without (S2)."""
    try:
        shown = keys.public_pem(keys.public_key(tenant.spec.public_key))
    except ValueError:
        return False
    return certificate.known_key(tenant) == shown


def unsigned(state: State) -> Record | None:
    tenant, spec = state.tenant, state.tenant.spec
    nonce = b64decode(state.nonce.data.get("nonce", "")) if state.nonce is not None else b""
    if not nonce:
        why = f"there is no nonce for {spec.cluster_id} in {tenant.metadata.namespace} yet"
        return Record(tenant, "NonceNotFound", why, "Warning")
    if not handshake.verify(spec.public_key, nonce, spec.signature):
        why = "the key of the Tenant did not sign the nonce that is valid now: sign it again"
        return Record(tenant, "SignatureVerificationFailed", why, "Warning")
    return None


def is_another(state: State) -> bool:
    """R1: who comes with a new key is the same cluster, installed anew, if it has nothing here."""
    tenant = state.tenant
    is_known = certificate.known_key(tenant) is not None
    return is_known and has_something(state) and not has_shown_its_key(tenant)


def has_something(state: State) -> bool:
    return bool(state.slices or state.maps or state.renews)


def uphold(state: State) -> Plan:
    """What the consumer that we know has is not lost to whoever wrote the Tenant anew.

    Nothing counts of what the Tenant says now, neither key nor request nor proxy: it may be
    another's. Who has nothing left here needs no certificate.
    """
    told = state.tenant.status.auth_params
    if state.known is None or told is None or not has_something(state):
        return NOTHING
    return certify(state, state.known, told.proxy_url)


def admit(state: State) -> Plan:
    tenant = state.tenant
    if tenant.spec.authz_policy == "TolerateNoHandshake":
        return do(*rights.to_cluster(tenant, state.rights), *report(tenant, None))
    return certify(state, state.case, tenant.spec.proxy_url)


def certify(state: State, case: Case, proxy_url: str) -> Plan:
    tenant = state.tenant
    outcome = certificate.settle(case)
    return do(
        *outcome.actions,
        *rights.to_namespace(tenant, state.rights),
        *rights.to_cluster(tenant, state.rights),
        *report_with(state, outcome, proxy_url),
        wake_after=outcome.wake_after,
    )


def report_with(state: State, outcome: Outcome, proxy_url: str) -> Iterator[Action]:
    """The status, once there is all that a consumer needs."""
    tenant, certified = state.tenant, outcome.certificate
    if state.door is None:
        why = "no address of the API server is known: set --api-server-address-override"
        yield Record(tenant, "AuthParamsFailed", why, "Warning")
        return
    if outcome.problem:
        yield Record(tenant, "AuthParamsFailed", outcome.problem, "Warning")
    if certified:
        given = {"signed_crt": certified, "proxy_url": proxy_url}
        yield from report(tenant, msgspec.structs.replace(state.door, **given))


def report(tenant: Tenant, params: AuthParams | None) -> Iterator[Action]:
    status = TenantStatus(tenant_namespace=tenant.metadata.namespace, auth_params=params)
    if status == tenant.status:
        return
    yield Apply(Tenant(metadata=identity(tenant), status=status), subresource="status")
    known = tenant.status.auth_params
    if known is not None and params is not None and known.signed_crt != params.signed_crt:
        yield Record(tenant, "CertificateRenewed", "Signed the certificate of the tenant again")
    else:
        yield Record(tenant, "Reconciled", "The tenant may borrow")
