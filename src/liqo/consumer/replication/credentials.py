"""Credentials: kept until nothing of ours is left with the provider, for without them we are lost.

Runs on   consumer, once for each provider
Watches   Secret (kubeconfig of a control plane), all that is replicated and its copies,
          ForeignCluster
Writes    the Secret's finalizer
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from typing import Any

from liqo.api import labels
from liqo.api.core import ForeignCluster
from liqo.api.kubernetes import Secret
from liqo.api.meta import Key, Resource
from liqo.consumer.replication.route import KINDS, Link, Route, link, locals_of
from liqo.kube.cache import Caches
from liqo.kube.copy import Copy
from liqo.runtime.controller import Controller
from liqo.runtime.finalizers import with_finalizer, without_finalizer
from liqo.runtime.plan import NOTHING, Plan, do
from liqo.runtime.tenants import secrets

FINALIZER = labels.REPLICATOR_FINALIZER


@dataclass(frozen=True)
class State:
    secret: Secret
    left_here: int  # objects that have, or should have, a copy
    left_there: int  # copies, as far as we see them
    link: Link


def controller(route: Route, here: Caches, there: Caches) -> Controller[State]:
    this = partial(_this, route)
    followed: list[Copy[Any]] = [secrets(here), here.of(ForeignCluster)]
    for model in KINDS:
        followed += [here.of(model), there.of(model, route.copies)]
    return Controller(
        name="consumer/replication/credentials",
        watches=dict.fromkeys(followed, this),
        observe=partial(observe, route, here, there),
        plan=plan,
    )


def observe(route: Route, here: Caches, there: Caches, key: Key) -> State | None:
    secret = secrets(here).get(key)
    if secret is None:
        return None
    copies = [there.of(model, route.copies) for model in KINDS]
    return State(
        secret,
        left_here=sum(len(locals_of(here, model, route)) for model in KINDS),
        left_there=sum(map(len, copies)),
        link=link(here, route, copies),
    )


def plan(state: State) -> Plan:
    """
    Secret        | here   | link            | copies | what is done
    --------------+--------+-----------------+--------+----------------------
    live          | any    | any             | any    | our finalizer
    being deleted | some   | any             | any    | nothing: they go first
    being deleted | none   | unknown         | any    | nothing
    being deleted | none   | open            | some   | nothing: they go first
    being deleted | none   | open            | none   | let go
    being deleted | none   | withdrawn, dead | any    | let go
    """
    secret = state.secret
    if not secret.metadata.deletion_timestamp:
        return do(*with_finalizer(secret, FINALIZER))
    if state.left_here or state.link == "unknown":
        return NOTHING
    if state.link == "open" and state.left_there:
        return NOTHING
    return do(*without_finalizer(secret, FINALIZER))


def _this(route: Route, _: Resource) -> Iterable[Key]:
    return (route.secret,)
