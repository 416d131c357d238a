"""Rights that administrators add to those of virtual kubelets.

A ClusterRole with our label is bound wherever the role is that the label names, to the same
subjects. The controllers need `bind` on it, which only administrators can give them: no label lets
anybody hand out what he does not have. (docs/adr/0026-custom-resources-by-name.md)
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import chain

from liqo.api import labels
from liqo.api.kubernetes import ClusterRole, RoleBinding
from liqo.api.meta import JSON, Key
from liqo.kube.cache import Caches
from liqo.kube.errors import Forbidden, KubeError
from liqo.kube.indexes import Label
from liqo.rules import names
from liqo.runtime.bindings import bound
from liqo.runtime.plan import NOTHING, Delete, Manifest, Plan, Record, do
from liqo.runtime.tenants import OF_PEERS

BY_BASE = Label(labels.ADDED_TO)
NOT_ADDED = "RightsNotAdded"


@dataclass(frozen=True)
class State:
    role: ClusterRole | None  # none: it is gone, or it has our label no more
    wanted: tuple[Manifest, ...]  # its bindings
    there: tuple[RoleBinding, ...]


@dataclass(frozen=True)
class Place:
    """Where the rights of one virtual kubelet, or of a consumer's, are added to."""

    namespace: str
    binding: str  # the name of the one that is there already
    marks: JSON
    subject: JSON


def observe(here: Caches, base: str, places: Iterable[Place], key: Key) -> State | None:
    role, there = _role(here, base, key), tuple(_bindings(here, base, key))
    if role is None:
        return State(None, (), there) if there else None
    return State(role, tuple(binding(key.name, base, each) for each in places), there)


def plan(state: State) -> Plan:
    """
    ClusterRole | namespace     | binding       | what is done
    ------------+---------------+---------------+----------------------
    labelled    | base is bound | none          | made, or labelled again
    labelled    | base is bound | changed       | put right
    labelled    | base is not   | there         | deleted
    else        | any           | there         | deleted
    """
    there = {each.key: each for each in state.there}
    wanted = {_key(each): each for each in state.wanted}
    taken = [Delete(each) for key, each in sorted(there.items()) if key not in wanted]
    given = [bound(each, there.get(key)) for key, each in sorted(wanted.items())]
    return do(*taken, *chain.from_iterable(given))


def failed(state: State, error: KubeError) -> Plan:
    if state.role is None or not isinstance(error, Forbidden):
        return NOTHING
    name = state.role.metadata.name
    message = (
        f'the controllers may not bind it: give {names.CONTROLLER_MANAGER} the verb "bind" on '
        f'clusterroles with the resourceName "{name}" ({error})'
    )
    return do(Record(state.role, NOT_ADDED, message, type="Warning"))


def binding(role: str, base: str, place: Place) -> Manifest:
    metadata = {
        "name": names.shortened(f"{place.binding}-{role}", names.NAME),
        "namespace": place.namespace,
        "labels": {**place.marks, labels.ADDED_TO: base},
    }
    kind = ClusterRole.KIND
    reference = {"apiGroup": kind.group, "kind": kind.name, "name": role}
    body = {"metadata": metadata, "roleRef": reference, "subjects": [place.subject]}
    return Manifest(RoleBinding.KIND, body)


def all_of(here: Caches, base: str) -> Callable[[object], Iterable[Key]]:
    """What concerns every role that is added to that one."""
    return lambda _: [role.key for role in here.of(ClusterRole).by(BY_BASE, base)]


def whose(changed: RoleBinding) -> Iterable[Key]:
    """The role that this one adds."""
    if labels.ADDED_TO in changed.metadata.labels:
        yield Key("", changed.role_ref.get("name", ""))


def _role(here: Caches, base: str, key: Key) -> ClusterRole | None:
    role = here.of(ClusterRole).get(key)
    return role if role is not None and base in BY_BASE(role) else None


def _bindings(here: Caches, base: str, key: Key) -> Iterable[RoleBinding]:
    for each in here.of(RoleBinding, OF_PEERS).by(BY_BASE, base):
        if key in whose(each):
            yield each


def _key(wanted: Manifest) -> Key:
    metadata = wanted.body["metadata"]
    return Key(metadata["namespace"], metadata["name"])
