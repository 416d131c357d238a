"""NamespaceOffloading: one for each namespace, with a name and a selector that mean something.

What a namespace is called elsewhere is decided once: its pods and volumes are there by that name.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from liqo.api.kubernetes import Namespace
from liqo.api.meta import Key
from liqo.api.offloading import NamespaceOffloading
from liqo.kube.reading import metadata
from liqo.rules import offloading, selectors
from liqo.rules.kubelets import Surroundings
from liqo.webhooks.review import ALLOW, BAD_REQUEST, Allow, Deny, Reader, Request, Verdict

SEEN = "pods of this namespace are reviewed"
WRONG_NAME = f"NamespaceOffloading name must match {offloading.NAME}"
FIXED = "The {} value cannot be modified after creation"
MORE_RESTRICTIVE = (
    "The PodOffloadingStrategy was mutated to a more restrictive setting: existing pods violating "
    "this policy might still be running"
)


@dataclass(frozen=True)
class State:
    here: Surroundings
    namespace: Mapping[str, str]  # its labels


async def observe(
    here: Surroundings, reader: Reader, request: Request[NamespaceOffloading]
) -> State:
    if not request.is_creation:
        return State(here, {})
    home = await reader.find(metadata(Namespace), Key("", request.object.metadata.namespace))
    return State(here, home.metadata.labels if home is not None else {})


def validate(request: Request[NamespaceOffloading], state: State) -> Verdict:
    if request.object.metadata.name != offloading.NAME:
        return Deny(WRONG_NAME)
    if request.old is None:
        return check_new(request.object, state) or check_selector(request.object) or ALLOW
    return check_change(request.old, request.object) or judged(request.old, request.object)


def check_new(asked: NamespaceOffloading, state: State) -> Deny | None:
    here, namespace = state.here, asked.metadata.namespace
    if refusal := offloading.check_namespace(namespace, state.namespace, here.namespace):
        return Deny(refusal)
    wrong = offloading.check_name(asked, here.cluster_id)
    return Deny(wrong, BAD_REQUEST) if wrong else None


def check_selector(asked: NamespaceOffloading) -> Deny | None:
    wrong = selectors.problem(asked.spec.cluster_selector)
    return Deny(f"Invalid ClusterSelector: {wrong}", BAD_REQUEST) if wrong else None


def check_change(old: NamespaceOffloading, new: NamespaceOffloading) -> Deny | None:
    """Only what changes: one that was stored unreviewed can still be let go."""
    if new.spec.namespace_mapping_strategy != old.spec.namespace_mapping_strategy:
        return Deny(FIXED.format("NamespaceMappingStrategy"))
    if new.spec.remote_namespace_name != old.spec.remote_namespace_name:
        return Deny(FIXED.format("RemoteNamespaceName"))
    is_same = new.spec.cluster_selector == old.spec.cluster_selector
    return None if is_same else check_selector(new)


def judged(old: NamespaceOffloading, new: NamespaceOffloading) -> Allow:
    before, after = old.spec.pod_offloading_strategy, new.spec.pod_offloading_strategy
    return Allow((MORE_RESTRICTIVE,)) if offloading.is_stricter(before, after) else ALLOW


def opens(request: Request[NamespaceOffloading]) -> bool:
    """Whether pods of its namespace are to be reviewed from now on, and were not before."""
    before = request.old.spec.pod_offloading_strategy if request.old is not None else "Local"
    return before == "Local" and request.object.spec.pod_offloading_strategy != "Local"


def seen(_: Request[NamespaceOffloading], __: None) -> Verdict:
    return Deny(SEEN)
