"""What rome asks of milan in its NamespaceMap, and what there is of it."""

from __future__ import annotations

from liqo.api import labels
from liqo.api.kubernetes import RoleBinding
from liqo.api.meta import Meta
from liqo.api.offloading import (
    MappingPhase,
    NamespaceMap,
    NamespaceMapSpec,
    NamespaceMapStatus,
    RemoteNamespace,
)
from liqo.kube.reading import Metadata
from liqo.runtime.plan import Action, Plan
from tests.unit.provider.things import COPIED, HOME, raw

MAP = f"{HOME}/milan"
NAME = "shop-rome"
SUBJECTS = [{"apiGroup": "rbac.authorization.k8s.io", "kind": "Group", "name": "rome"}]
ROLE = {
    "apiGroup": "rbac.authorization.k8s.io",
    "kind": "ClusterRole",
    "name": "liqo-virtual-kubelet-remote",
}


def a_map(
    wanted: dict[str, str] | None = None,
    said: dict[str, tuple[str, MappingPhase]] | None = None,
    **metadata: object,
) -> NamespaceMap:
    known = {
        "name": "milan",
        "namespace": HOME,
        "uid": "map-1",
        "resource_version": "5",
        "labels": COPIED,
        "finalizers": (labels.NAMESPACE_MAP_FINALIZER,),
        **metadata,
    }
    entries = {
        local: RemoteNamespace(remote_namespace=remote, phase=phase)
        for local, (remote, phase) in (said or {}).items()
    }
    return NamespaceMap(
        metadata=Meta(**known),  # type: ignore[arg-type]
        spec=NamespaceMapSpec(desired_mapping={"shop": NAME} if wanted is None else wanted),
        status=NamespaceMapStatus(current_mapping=entries),
    )


def a_namespace(
    name: str = NAME, managed_by: str = MAP, original: str = "", *, going: bool = False
) -> Metadata:
    return Metadata(
        metadata=Meta(
            name=name,
            uid=f"uid-{name}",
            resource_version="1",
            labels={labels.REMOTE_CLUSTER_ID: "rome"},
            annotations={
                labels.MANAGED_BY_NAMESPACE_MAP: managed_by,
                labels.ORIGINAL_NAME: original or name.removesuffix("-rome"),
            }
            if managed_by
            else {},
            deletion_timestamp="2026-11-16T00:00:00Z" if going else None,
        )
    )


def a_binding(subjects: list[dict[str, str]] | None = None, namespace: str = NAME) -> RoleBinding:
    return RoleBinding(
        metadata=Meta(
            name=HOME,
            namespace=namespace,
            uid=f"binding-in-{namespace}",
            resource_version="1",
            labels={labels.REMOTE_CLUSTER_ID: "rome"},
            annotations={labels.MANAGED_BY_NAMESPACE_MAP: MAP},
        ),
        raw_role_ref=raw(ROLE),
        raw_subjects=raw(SUBJECTS if subjects is None else subjects),
    )


def done(decided: Plan) -> list[Action]:
    """All of it, where nothing fails."""
    return [*decided.actions, *(action for part in decided.parts for action in part.actions)]
