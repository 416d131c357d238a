"""Claim: who holds the token of a peering command says which cluster it is, and may begin.

Runs on   provider
Watches   PeeringClaim; of the same name: ServiceAccount, Role, RoleBinding; of the same consumer:
          Namespace, Tenant, Renew (mark), Identity, Secret (ours, in its namespace); all bindings;
          whatever Namespace has the name that its own would have
Writes    PeeringClaim.status, Namespace, RoleBinding, Role (takes rights away); in the end deletes
          them all, and the ServiceAccount
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from itertools import chain
from typing import Any

import msgspec

from liqo.api import labels
from liqo.api.authentication import (
    ClaimPhase,
    Identity,
    PeeringClaim,
    PeeringClaimStatus,
    Renew,
    Tenant,
)
from liqo.api.kubernetes import (
    ClusterRoleBinding,
    Namespace,
    Role,
    RoleBinding,
    ServiceAccount,
)
from liqo.api.meta import Key, Resource
from liqo.kube.cache import Cache, Caches
from liqo.kube.indexes import Label
from liqo.kube.indexes import namespace as by_namespace
from liqo.kube.paths import Scope
from liqo.kube.reading import Metadata
from liqo.provider import certificate
from liqo.provider.watched import (
    CLAIMED,
    holds_our_credentials,
    peer_of,
)
from liqo.provider.watched import consumer as by_consumer
from liqo.rules import claims, handshake, keys, names, tenancy
from liqo.rules.difference import difference
from liqo.runtime.clock import Clock, wall_clock
from liqo.runtime.controller import Controller, itself
from liqo.runtime.plan import Action, Create, Delete, Manifest, Patch, PatchStatus, Plan, do
from liqo.runtime.sights import NAMESPACES
from liqo.runtime.tenants import secrets, tenant_namespaces

STRAY = timedelta(seconds=30)  # caches do not tell in order: the account may be on its way


@dataclass(frozen=True)
class Lender:
    """Who is claimed from: our ID, and the namespace of the installation."""

    cluster_id: str
    namespace: str = "liqo"


@dataclass(frozen=True)
class State:
    key: Key
    lender: Lender
    token: ServiceAccount | None  # whose token it is; without it nobody can use the claim
    claim: PeeringClaim | None
    role: Role | None
    bindings: tuple[RoleBinding, ...]
    home: Metadata | None  # the tenant namespace of the consumer, made for this claim or not
    tenants: tuple[Tenant, ...]  # that stand for the consumer already
    rivals: tuple[PeeringClaim, ...]  # other claims to the same ID
    is_leaving: bool  # what is left of an earlier peering has to go first
    is_shared: bool  # the namespace holds credentials of ours
    is_bound: bool  # somebody gave rights to a user or group of that name
    in_the_way: str  # a namespace that is not the consumer's, and has the name of the one to make
    now: datetime


def controller(here: Caches, lender: Lender, clock: Clock = wall_clock) -> Controller[State]:
    concerned = partial(_of_its_peer, here, lender)
    named = partial(_named, lender)
    return Controller(
        name="provider/claim",
        watches={
            _claims(here, lender): itself,
            accounts(here, lender): itself,
            here.of(Role, _ours(lender)): named,
            here.of(RoleBinding, CLAIMED): named,
            tenant_namespaces(here): concerned,
            here.of(NAMESPACES): partial(_called_for, here, lender),
            here.of(Tenant): concerned,
            here.of(Renew): concerned,
            here.of(Identity): concerned,
            secrets(here): concerned,
            here.of(ClusterRoleBinding): _nobody,
            here.of(RoleBinding): _nobody,
        },
        observe=partial(observe, here, lender, clock),
        plan=plan,
    )


def observe(here: Caches, lender: Lender, clock: Clock, key: Key) -> State:
    claim = _claims(here, lender).get(key)
    consumer = claim.spec.cluster_id if claim is not None else ""
    home = _home(here, consumer)
    where = home.metadata.name if home is not None else names.tenant_namespace(consumer)
    tenants = tuple(here.of(Tenant).by(by_consumer, consumer))
    going = (each.metadata.deletion_timestamp for each in (*tenants, *((home,) if home else ())))
    marks = map(tenancy.is_withdrawal, here.of(Renew).by(by_namespace, where))
    return State(
        key=key,
        lender=lender,
        token=accounts(here, lender).get(key),
        claim=claim,
        role=here.of(Role, _ours(lender)).get(key),
        bindings=tuple(here.of(RoleBinding, CLAIMED).by(Label(labels.PEERING_CLAIM), key.name)),
        home=home,
        tenants=tenants,
        rivals=tuple(each for each in claims_of(here, lender, consumer) if each.key != key),
        is_leaving=any(chain(going, marks)),
        is_shared=holds_our_credentials(here, where),
        is_bound=_is_bound(here, consumer, where),
        in_the_way=where if home is None and _is_anothers(here, consumer, where) else "",
        now=clock(),
    )


def plan(state: State) -> Plan:
    """
    ServiceAccount | claim                    | what is done
    ---------------+--------------------------+---------------------------------------------------
    none           | any                      | nobody can use it: what is left of it goes, if old
    expired        | any                      | all goes, and the namespace that nobody used
    there          | none                     | wait: for it, or for the end
    there          | ready, namespace gone    | all goes: somebody took down what came of it
    there          | refused                  | no second one; rights back, say why
    there          | new, of who still leaves | no second one; wait
    there          | good                     | no second one; namespace and rights, ready

    Refused is also who would have a namespace that is there already, and not known as its own: it
    may be anybody's. Its administrator deletes or labels it, and the claim is looked at again.
    """
    token, claim = state.token, state.claim
    if token is None:
        return _swept(state)
    left = seconds_left(token, state.now)
    if left <= 0 or is_over(state):
        return do(*_unused(state), *map(Delete, leftovers(state)), Delete(token))
    if claim is None:
        return do(wake_after=left)
    return do(*_narrowed(state), *_answer(state, claim), wake_after=left)


def is_over(state: State) -> bool:
    return state.home is None and state.claim is not None and state.claim.status.phase == "Ready"


def seconds_left(token: ServiceAccount, now: datetime) -> float:
    """Of a ServiceAccount that does not say when it ends, nothing: nobody would remove it."""
    try:
        end = datetime.fromisoformat(token.metadata.annotations.get(labels.EXPIRES_AT, ""))
        return (end - now).total_seconds()
    except (ValueError, TypeError):  # not a time, or one without its zone
        return 0.0


def refusal(state: State, claim: PeeringClaim) -> str:
    """Why the claim is not believed; empty where it is."""
    return unproven(state, claim) or unwelcome(state, claim)


def unproven(state: State, claim: PeeringClaim) -> str:
    """What is wrong with who it says it is."""
    spec = claim.spec
    if wrong := names.check_cluster_id(spec.cluster_id):
        return wrong
    if spec.cluster_id == state.lender.cluster_id:
        return f"{spec.cluster_id} is the ID of the provider: a cluster cannot peer with itself"
    if not handshake.verify(spec.public_key, state.key.name.encode(), spec.signature):
        return f"the key of the claim did not sign its name, {state.key.name}"
    return ""


def unwelcome(state: State, claim: PeeringClaim) -> str:
    """What keeps this cluster from being let in with this token."""
    consumer = claim.spec.cluster_id
    named = state.token.metadata.labels.get(labels.REMOTE_CLUSTER_ID) if state.token else None
    if named is not None and named != consumer:
        return f"this command was printed for the cluster {named}, not for {consumer}"
    if _is_taken(state, claim.spec.public_key):
        return (
            f"another cluster with the ID {consumer} is a tenant already: give this one "
            "another ID, or unpeer the other first"
        )
    if state.is_shared and named is None:
        return (
            f"the provider borrows from {consumer} itself: its administrator has to print the "
            "command for that cluster, or to peer with both kubeconfigs"
        )
    if state.is_bound and not state.tenants and claim.status.phase != "Ready":
        return (
            f"{consumer} is a user or a group of the provider already, which the ID of a cluster "
            "becomes: give this one another ID"
        )
    if state.in_the_way:
        return (
            f"the provider has a namespace {state.in_the_way} that is not labelled as the tenant "
            f"namespace of {consumer}: its administrator has to delete it, or to label it with "
            f"{labels.TENANT_NAMESPACE}=true and {labels.REMOTE_CLUSTER_ID}={consumer}"
        )
    return ""


def _is_taken(state: State, public_key: bytes) -> bool:
    """Whoever came first with another key; a Tenant without a key is vouched for, not proven."""
    known = [_key_of(tenant) for tenant in state.tenants]
    known += [each.spec.public_key for each in state.rivals if each.status.phase == "Ready"]
    return not all(_is_same(each, public_key) for each in known)


def _key_of(tenant: Tenant) -> bytes:
    certified = certificate.known_key(tenant)
    return tenant.spec.public_key if certified is None else certified


def _is_same(one: bytes, other: bytes) -> bool:
    try:
        return keys.same_key(keys.public_key(one), keys.public_key(other))
    except ValueError:
        return False


def _narrowed(state: State) -> Iterator[Action]:
    if state.role is not None and claims.may_claim(state.role.rules):
        yield Patch(state.role, {"rules": claims.rules(state.key.name, may_claim=False)})


def _answer(state: State, claim: PeeringClaim) -> Iterator[Action]:
    if why := refusal(state, claim):
        yield from map(Delete, filter(_gives_rights, state.bindings))
        yield from _said(claim, "Denied", why)
    elif state.is_leaving:
        if claim.status.phase != "Ready":  # else it is the one that is taken down
            yield from _said(claim, "Pending", "the last peering with this ID is being taken down")
    elif state.home is None:
        yield from _said(claim, "Pending", "the tenant namespace is being made")
        yield Create(_namespace(state.key.name, claim.spec.cluster_id))
    else:
        where = state.home.metadata.name
        there = {binding.key for binding in state.bindings}
        for key, body in claims.bindings(state.key, where).items():
            if key not in there:
                yield Create(Manifest(RoleBinding.KIND, body), or_apply=True)
        yield from _said(claim, "Ready", f"Go on in {where}", where)


def _gives_rights(binding: RoleBinding) -> bool:
    """All but the one that came with the token."""
    peering_users = names.PEERING_USER_ROLE, names.PEERING_USER_CLUSTER_ROLE
    return binding.role_ref.get("name") in peering_users


def _said(
    claim: PeeringClaim, phase: ClaimPhase, message: str, where: str = ""
) -> Iterator[Action]:
    wanted = PeeringClaimStatus(phase=phase, message=message, tenant_namespace=where)
    if change := difference(msgspec.to_builtins(claim.status), msgspec.to_builtins(wanted)):
        yield PatchStatus(claim, change)


def _unused(state: State) -> Iterator[Action]:
    """A namespace that was made for this claim, and no Tenant came."""
    home = state.home
    if home is None or state.tenants or state.is_shared:
        return
    if home.metadata.labels.get(labels.PEERING_CLAIM) == state.key.name:
        yield Delete(Namespace(metadata=home.metadata))


def _swept(state: State) -> Plan:
    left = leftovers(state)
    births = [each.metadata.creation_timestamp or "" for each in left]
    young = datetime.fromisoformat(max(births)) + STRAY - state.now if any(births) else STRAY * 0
    if young > timedelta(0):
        return do(wake_after=young.total_seconds())
    return do(*map(Delete, left))


def leftovers(state: State) -> tuple[RoleBinding | Role | PeeringClaim, ...]:
    """All but the account, and the namespace."""
    alone = (each for each in (state.role, state.claim) if each is not None)
    return (*state.bindings, *alone)


def _namespace(claim: str, consumer: str) -> Manifest:
    marks = {**tenancy.namespace_labels(consumer), labels.PEERING_CLAIM: claim}
    metadata = {"name": names.tenant_namespace(consumer), "labels": marks}
    return Manifest(Namespace.KIND, {"metadata": metadata})


def _claims(here: Caches, lender: Lender) -> Cache[PeeringClaim]:
    return here.of(PeeringClaim, Scope(namespace=lender.namespace))


def accounts(here: Caches, lender: Lender) -> Cache[ServiceAccount]:
    return here.of(ServiceAccount, _ours(lender))


def _ours(lender: Lender) -> Scope:
    return Scope(namespace=lender.namespace, labels=labels.PEERING_CLAIM)


def _home(here: Caches, consumer: str) -> Metadata | None:
    found = tenant_namespaces(here).by(Label(labels.REMOTE_CLUSTER_ID), consumer)
    return found[0] if found else None


def _is_anothers(here: Caches, consumer: str, name: str) -> bool:
    there = here.of(NAMESPACES).get(Key("", name))
    return there is not None and not tenancy.is_tenant_namespace(there, consumer)


def claims_of(here: Caches, lender: Lender, consumer: str) -> list[PeeringClaim]:
    return [each for each in _claims(here, lender) if each.spec.cluster_id == consumer]


def _of_its_peer(here: Caches, lender: Lender, changed: Any) -> Iterable[Key]:
    return [claim.key for claim in claims_of(here, lender, peer_of(changed))]


def _called_for(here: Caches, lender: Lender, namespace: Metadata) -> Iterable[Key]:
    """Claims of whom that would be the namespace, by its name."""
    for claim in _claims(here, lender):
        if names.tenant_namespace(claim.spec.cluster_id) == namespace.metadata.name:
            yield claim.key


def _is_bound(here: Caches, consumer: str, home: str) -> bool:
    """By others than us; in its own namespace an administrator may give it what it likes."""
    found = (
        *here.of(ClusterRoleBinding).by(_subjects, consumer),
        *here.of(RoleBinding).by(_subjects, consumer),
    )
    return any(
        binding.metadata.namespace != home
        and binding.metadata.labels.get(labels.REMOTE_CLUSTER_ID) != consumer
        for binding in found
    )


def _subjects(found: Resource) -> Iterable[str]:
    """Index of bindings by the users and groups that they are for."""
    if not isinstance(found, ClusterRoleBinding | RoleBinding):
        return ()
    return [each["name"] for each in found.subjects if each.get("kind") in ("User", "Group")]


def _nobody(_: Resource) -> Iterable[Key]:
    """Looked at when a claim comes: what is given to its name later, is given to that cluster."""
    return ()


def _named(lender: Lender, made: Resource) -> Iterable[Key]:
    return (Key(lender.namespace, made.metadata.labels[labels.PEERING_CLAIM]),)
