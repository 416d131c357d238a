"""ResourceSlice: ours are complete and can be granted; a peer's are copies, and stay requests.

A slice with the label `liqo.io/replicated` is the copy of what a consumer asks us for; any other is
our own request to the provider whose tenant namespace it is in. That peers make copies only, and
answer none of them, is in copies.py.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from liqo.api import labels
from liqo.api.authentication import ResourceSlice
from liqo.api.kubernetes import Namespace
from liqo.api.meta import JSON, Key
from liqo.kube.paths import Scope
from liqo.kube.reading import Metadata, metadata
from liqo.rules import names
from liqo.webhooks.review import (
    ALLOW,
    BAD_REQUEST,
    Deny,
    Reader,
    Request,
    User,
    Verdict,
    completed,
)
from liqo.webhooks.reviews.amounts import check_capacity
from liqo.webhooks.reviews.trespass import check_trespass

NOT_UNIQUE = "a resourceslice with the same name already exists in the cluster"
DEFAULT_CLASS = "default"
OURS = f"{labels.REPLICATION}=true"


@dataclass(frozen=True)
class State:
    namespace: Mapping[str, str]  # its labels
    namesakes: Sequence[Metadata] = ()  # our own slices of that name, in whichever namespace

    @property
    def provider(self) -> str:
        """Whose tenant namespace it is; empty if it is none."""
        if self.namespace.get(labels.TENANT_NAMESPACE, "false") == "false":
            return ""
        return self.namespace.get(labels.REMOTE_CLUSTER_ID, "")


async def observe(reader: Reader, request: Request[ResourceSlice]) -> State:
    asked = request.object
    if is_copy(asked):
        return State({})
    if not request.is_creation and asked.spec.provider_cluster_id:
        return State({})  # complete, and where it may be was judged when it came
    home = await reader.find(metadata(Namespace), Key("", asked.metadata.namespace))
    of_that_name = Scope(labels=OURS, fields=f"metadata.name={asked.metadata.name}")
    ours = await reader.every(metadata(ResourceSlice), of_that_name)
    return State(
        home.metadata.labels if home is not None else {},
        [each for each in ours if is_namesake(each, asked)],
    )


def mutate(request: Request[ResourceSlice], state: State) -> Verdict:
    """Fill in what a manifest leaves out; what it says is never changed.

    One without any of our labels is written by hand and complete to its author, who wants a node.
    One with labels says what it wants: `liqoctl create resourceslice --no-virtual-node`, for one.
    """
    asked = request.object
    provider = asked.spec.provider_cluster_id or state.provider
    if is_copy(asked) or not provider:
        return ALLOW
    marks = {
        labels.REPLICATION: "true",
        labels.REMOTE_ID: provider,
        labels.REMOTE_CLUSTER_ID: provider,
    }
    said = asked.metadata.labels
    change: JSON = {}
    if missing := {name: value for name, value in marks.items() if name not in said}:
        change["labels"] = missing
    wishes = asked.metadata.annotations
    if request.is_creation and missing == marks and labels.CREATE_VIRTUAL_NODE not in wishes:
        change["annotations"] = {labels.CREATE_VIRTUAL_NODE: "true"}
    return completed({"metadata": change, "spec": unsaid(request, provider)})


def unsaid(request: Request[ResourceSlice], provider: str) -> JSON:
    """An old slice keeps its empty class: what is accepted is not changed (S9)."""
    spec = request.object.spec
    change: JSON = {}
    if not spec.provider_cluster_id:
        change["providerClusterID"] = provider
    if not spec.class_ and request.is_creation:
        change["class"] = DEFAULT_CLASS
    return change


def validate(request: Request[ResourceSlice], state: State) -> Verdict:
    """
    asked by        | operation | of        | must be
    ----------------+-----------+-----------+-------------------------------------------------
    anybody         | CREATE    | a request | of a good name, unique, for whom its namespace is
    anybody         | CREATE    | a copy    | of a good name
    a control plane | UPDATE    | either    | without trespass (S9)
    anybody         | any       | either    | of amounts that exist
    """
    asked, old = request.object, request.old
    if old is None:
        problem = check_capacity(asked.spec.resources) or check_creation(request, state)
    else:
        problem = check_change(request.user, old, asked)
    return problem or ALLOW


def check_change(user: User, old: ResourceSlice, new: ResourceSlice) -> Deny | None:
    """Whatever was stored before there was a webhook may stay."""
    if new.spec.resources != old.spec.resources and (problem := check_capacity(new.spec.resources)):
        return problem
    return check_trespass(old, new) if user.is_control_plane else None


def check_creation(request: Request[ResourceSlice], state: State) -> Deny | None:
    asked = request.object
    if problem := names.check_slice_name(asked.metadata.name):
        return Deny(problem, BAD_REQUEST)
    if is_copy(asked):
        return None
    if problem := check_provider(asked, state.provider):
        return Deny(problem, BAD_REQUEST)
    return Deny(NOT_UNIQUE) if state.namesakes else None


def check_provider(asked: ResourceSlice, provider: str) -> str:
    """What is wrong with where it goes, as a sentence; empty where nothing is."""
    namespace = asked.metadata.namespace
    if not provider:
        return (
            f'a ResourceSlice must be created in a tenant namespace, and "{namespace}" is none; '
            "liqoctl peer makes one for each provider"
        )
    marks = asked.metadata.labels
    said = {
        "spec.providerClusterID": asked.spec.provider_cluster_id,
        f'the label "{labels.REMOTE_CLUSTER_ID}"': marks.get(labels.REMOTE_CLUSTER_ID, provider),
        f'the label "{labels.REMOTE_ID}"': marks.get(labels.REMOTE_ID, provider),
    }
    for what, value in said.items():
        if value != provider:
            return (
                f'{what} is "{value}", and the namespace "{namespace}" belongs to "{provider}"; '
                "a ResourceSlice goes to the provider whose tenant namespace it is in"
            )
    return ""


def is_copy(asked: ResourceSlice) -> bool:
    return asked.metadata.labels.get(labels.REPLICATED) == "true"


def is_namesake(other: Metadata, asked: ResourceSlice) -> bool:
    mine, its = asked.metadata, other.metadata
    return its.name == mine.name and its.namespace != mine.namespace
