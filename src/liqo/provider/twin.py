"""The twin of a consumer's namespace: what it says about itself, and who may work in it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from liqo.api import labels
from liqo.api.kubernetes import Namespace, RoleBinding
from liqo.api.meta import JSON, Key
from liqo.kube.reading import Metadata
from liqo.provider import rights
from liqo.runtime.plan import Manifest, Patch

ROLE = "liqo-virtual-kubelet-remote"  # by its fixed name, unlike the other two


@dataclass(frozen=True)
class Twin:
    name: str
    original: str  # what the consumer calls it
    consumer: str
    map: Key  # for which it is made
    marks: Mapping[str, str]  # labels that this cluster wants on it

    @property
    def labels(self) -> dict[str, str]:
        return {**self.marks, labels.REMOTE_CLUSTER_ID: self.consumer}

    @property
    def annotations(self) -> dict[str, str]:
        return {
            labels.MANAGED_BY_NAMESPACE_MAP: str(self.map),
            labels.ORIGINAL_NAME: self.original,
        }


def namespace(twin: Twin) -> Manifest:
    """With all labels from its first moment on: a pod may follow in the next."""
    metadata = {"name": twin.name, "labels": twin.labels, "annotations": twin.annotations}
    return Manifest(Namespace.KIND, {"metadata": metadata})


def original(there: Metadata, having: Sequence[str], wanting: Sequence[str]) -> str:
    """For which namespace of its consumer it was made, and what is in it is of no other.

    it says  | has it, as we said   | wants it | so it was made for
    ---------+----------------------+----------+-------------------------------------------
    any      | this one             | this one | this one, whatever was written on it since
    this one | another, or nobody   | any      | this one
    nothing  | this one             | any      | this one
    nothing  | nobody               | this one | this one: nothing speaks for another
    nothing  | nobody               | nobody   | one of its own name
    """
    seen = there.metadata
    known = (local for local in having if local in wanting)
    noted = seen.annotations.get(labels.ORIGINAL_NAME)
    return next(chain(known, having if noted is None else (noted,), wanting), seen.name)


def put_right(twin: Twin, there: Metadata) -> Iterator[Patch]:
    """What somebody changed of it; what others added stays."""
    seen = there.metadata
    missing: JSON = {
        "labels": dict(twin.labels.items() - seen.labels.items()),
        "annotations": dict(twin.annotations.items() - seen.annotations.items()),
    }
    if change := {part: pairs for part, pairs in missing.items() if pairs}:
        yield Patch(Namespace(metadata=seen), {"metadata": change})


def binding(twin: Twin) -> Manifest:
    """Named after the tenant namespace: one for each consumer, wherever it may work."""
    metadata = {
        "name": twin.map.namespace,
        "namespace": twin.name,
        "labels": {
            labels.APP_MANAGED_BY: "liqo",
            labels.REMOTE_CLUSTER_ID: twin.consumer,
        },
        "annotations": {labels.MANAGED_BY_NAMESPACE_MAP: str(twin.map)},
    }
    body = rights.role_to(ROLE, "Group", twin.consumer)
    return Manifest(RoleBinding.KIND, {"metadata": metadata, **body})
