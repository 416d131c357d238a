"""Stamp: the labels and annotations that an administrator wants on what we make.

What carries `liqo.io/managed` is stamped: a decision marks an object as ours, and here, in one
place, the mark becomes what the flags say. It is that very label unless they say otherwise.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import msgspec

from liqo.api import labels
from liqo.api.kubernetes import ClusterRoleBinding, RoleBinding
from liqo.api.meta import JSON, Kind, Meta
from liqo.runtime.controller import Controller, S
from liqo.runtime.plan import Action, Apply, Create, Manifest, Object, Plan

VERBATIM = (RoleBinding.KIND, ClusterRoleBinding.KIND)  # fixed by the wire: nothing is filled in


@dataclass(frozen=True)
class Stamp:
    """Values may contain ${namespace}, ${name}, ${kind} and ${group} of the object."""

    labels: Mapping[str, str] = field(default_factory=lambda: {labels.MANAGED: "true"})
    annotations: Mapping[str, str] = field(default_factory=dict)


def stamped(controller: Controller[S], stamp: Stamp) -> Controller[S]:
    if stamp == Stamp():
        return controller
    return replace(controller, plan=partial(_plan, controller.plan, stamp))


def _plan(plan: Callable[[S], Plan], stamp: Stamp, state: S) -> Plan:
    decided = plan(state)
    parts = (replace(part, actions=_all(part.actions, stamp)) for part in decided.parts)
    return replace(decided, actions=_all(decided.actions, stamp), parts=tuple(parts))


def _all(actions: Iterable[Action], stamp: Stamp) -> tuple[Action, ...]:
    return tuple(put_on(each, stamp) for each in actions)


def put_on(action: Action, stamp: Stamp) -> Action:
    if not isinstance(action, Apply | Create):
        return action
    return replace(action, object=_marked(action.object, stamp))


def _marked(thing: Object, stamp: Stamp) -> Object:
    kind = thing.kind if isinstance(thing, Manifest) else thing.KIND
    metadata: JSON = _metadata(thing)
    if labels.MANAGED not in metadata.get("labels", {}):
        return thing
    filled = partial(_filled, _substitutes(kind, metadata))
    own = {name: value for name, value in metadata["labels"].items() if name != labels.MANAGED}
    marks = {
        "labels": {**filled(stamp.labels), **own},
        "annotations": {**filled(stamp.annotations), **metadata.get("annotations", {})},
    }
    if isinstance(thing, Manifest):
        return replace(thing, body={**thing.body, "metadata": {**metadata, **marks}})
    changed: Any = msgspec.structs.replace(thing.metadata, **marks)
    return msgspec.structs.replace(thing, metadata=changed)


def _metadata(thing: Object) -> JSON:
    if isinstance(thing, Manifest):
        metadata: JSON = thing.body["metadata"]
        return metadata
    seen: Meta = thing.metadata
    return {
        "name": seen.name,
        "namespace": seen.namespace,
        "labels": seen.labels,
        "annotations": seen.annotations,
    }


def _substitutes(kind: Kind, metadata: JSON) -> Mapping[str, str]:
    if kind in VERBATIM:
        return {}
    return {
        "${namespace}": metadata.get("namespace", ""),
        "${name}": metadata["name"],
        "${kind}": kind.name,
        "${group}": kind.group,
    }


def _filled(substitutes: Mapping[str, str], marks: Mapping[str, str]) -> dict[str, str]:
    filled = dict(marks)
    for variable, value in substitutes.items():
        filled = {name: text.replace(variable, value) for name, text in filled.items()}
    return filled
