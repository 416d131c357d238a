"""Tenant: one for each consumer, in the namespace that is labelled for it.

A consumer that peers writes its Tenant itself, as a whole. What its provider decided about it, the
condition and the policy, is not the consumer's to write (S4).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from liqo.api import labels
from liqo.api.authentication import Tenant, TenantSpec
from liqo.api.kubernetes import Namespace
from liqo.api.meta import JSON, Key
from liqo.kube.reading import Metadata, metadata
from liqo.rules import names
from liqo.webhooks.review import ALLOW, BAD_REQUEST, Deny, Reader, Request, Verdict, completed

NOT_IN_A_TENANT_NAMESPACE = (
    "resources Tenant must be created in a tenant namespace, "
    "check the documentation for further info"
)
WRONG_LABEL = f'the "{labels.REMOTE_CLUSTER_ID}" label must match the cluster ID in the specs'
WRONG_NAMESPACE = "the Tenant must have the same cluster ID of its tenant namespace"
SECOND_OF_NAMESPACE = "a Tenant already exists in the tenant namespace"
SECOND_OF_NAME = (
    "tenant should have a unique name across the cluster: "
    "a Tenant with the same name already exists in the cluster"
)
NOT_ITS_FINALIZERS = "a peer can't hold its Tenant, nor let go of it: finalizers are its provider's"


@dataclass(frozen=True)
class State:
    namespace: Mapping[str, str]  # its labels
    others: Sequence[Metadata]  # Tenants of the whole cluster


def mutate(request: Request[Tenant], _: None) -> Verdict:
    """
    asked by | operation | label  | condition and policy
    ---------+-----------+--------+---------------------
    a peer   | CREATE    | filled | the default ones
    a peer   | UPDATE    | filled | those that are stored
    others   | any       | filled | as they are
    """
    asked = request.object
    change: JSON = {}
    if labels.REMOTE_CLUSTER_ID not in asked.metadata.labels and asked.spec.cluster_id:
        change["metadata"] = {"labels": {labels.REMOTE_CLUSTER_ID: asked.spec.cluster_id}}
    if request.user.is_peer:
        stored = request.old.spec if request.old is not None else TenantSpec()
        change["spec"] = decided(asked.spec, stored)
    return completed(change)


def decided(asked: TenantSpec, stored: TenantSpec) -> JSON:
    """What has to change so that the provider's decisions stay as they are stored."""
    change: JSON = {}
    if asked.tenant_condition != stored.tenant_condition:
        change["tenantCondition"] = stored.tenant_condition
    if asked.authz_policy != stored.authz_policy:
        change["authzPolicy"] = stored.authz_policy
    return change


async def observe(reader: Reader, request: Request[Tenant]) -> State:
    home = await reader.find(metadata(Namespace), Key("", request.object.metadata.namespace))
    tenants = await reader.every(metadata(Tenant))
    # One of the same name in the same place is refused by the API server itself, with a conflict:
    # that is how a peering user, who may not apply, learns that it has to update.
    others = [tenant for tenant in tenants if tenant.key != request.object.key]
    return State(home.metadata.labels if home is not None else {}, others)


def validate(request: Request[Tenant], state: State) -> Verdict:
    asked, home = request.object, state.namespace
    if home.get(labels.TENANT_NAMESPACE) != "true":
        return Deny(NOT_IN_A_TENANT_NAMESPACE, BAD_REQUEST)
    if asked.metadata.labels.get(labels.REMOTE_CLUSTER_ID, "") != asked.spec.cluster_id:
        return Deny(WRONG_LABEL, BAD_REQUEST)
    if asked.spec.cluster_id != home.get(labels.REMOTE_CLUSTER_ID, ""):
        return Deny(WRONG_NAMESPACE)
    if request.is_creation and (problem := refuse_creation(request, state)):
        return problem
    if any(other.metadata.name == asked.metadata.name for other in state.others):
        return Deny(SECOND_OF_NAME)
    return Deny(NOT_ITS_FINALIZERS) if holds(request) else ALLOW


def holds(request: Request[Tenant]) -> bool:
    """Whether a peer decides when its Tenant may go."""
    before = request.old.metadata.finalizers if request.old is not None else ()
    return request.user.is_peer and request.object.metadata.finalizers != before


def refuse_creation(request: Request[Tenant], state: State) -> Deny | None:
    asked = request.object
    if problem := names.check_cluster_id(asked.spec.cluster_id):
        return Deny(problem, BAD_REQUEST)
    namespace = asked.metadata.namespace
    if any(other.metadata.namespace == namespace for other in state.others):
        return Deny(SECOND_OF_NAMESPACE)
    return None
