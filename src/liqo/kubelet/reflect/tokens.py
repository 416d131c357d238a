"""Tokens: a pod on the provider is at home the service account that it would be here.

Runs on   consumer, in the virtual kubelet
Watches   Pod (bound to the node), VirtualNode (its own; others of the provider that go),
          NamespaceMap (of the provider); on the provider, in each namespace that is ours: metadata
          of Secrets
Writes    Secret (provider), one for each pod whose volumes ask for tokens

All tokens of a pod are issued together, and again when the first is due. What is there already says
when that is, so a kubelet that restarts issues none.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import partial
from hashlib import sha256
from itertools import chain

from liqo.api import labels
from liqo.api.kubernetes import Pod, PodSpec, Secret
from liqo.api.meta import JSON, Key, Meta, Resource
from liqo.api.offloading import VirtualNode
from liqo.kube.cache import Caches
from liqo.kube.copy import Copy
from liqo.kube.errors import Conflict, KubeError
from liqo.kube.paths import Scope
from liqo.kubelet.namespaces import Place
from liqo.kubelet.pods.apiserver import TOKEN_PATH, mode_of
from liqo.kubelet.pods.belonging import left_by, whose
from liqo.kubelet.pods.ending import has_started, stays
from liqo.kubelet.pods.marks import is_of_our_node, is_ours
from liqo.kubelet.pods.orphans import Alone, Orphans, withdraw
from liqo.kubelet.pods.status import is_finished
from liqo.kubelet.reflect.marks import holds_tokens, origin
from liqo.kubelet.reflect.reflection import MANAGER
from liqo.kubelet.reflect.views import Views, follow_pods
from liqo.kubelet.site import Site
from liqo.rules import names
from liqo.rules.departure import is_leaving
from liqo.runtime.clock import Clock, timestamp
from liqo.runtime.controller import Controller, itself
from liqo.runtime.failures import OF_ALL
from liqo.runtime.plan import NOTHING, Delete, Manifest, MintToken, Plan, Record, WantedToken, do

NAME = "kubelet/reflect/tokens"
COMPONENT = "liqo-serviceaccount-reflection"  # who tells it, as dashboards know it
FAILED = "FailedSATokensReflection"
LIFETIME = timedelta(hours=1)  # of a token for which nobody asked for another
RENEW_AT = 0.8  # of the lifetime, as kubelets do
SPREAD = timedelta(seconds=30)  # pods that started together do not renew together
AT_LEAST = timedelta(minutes=1)  # between two, however wrong our clock is
SUFFIX = "-token"
SOURCE = "serviceAccountToken"  # of a projected volume
MENTION = SOURCE.encode()


@dataclass(frozen=True)
class State:
    site: Site
    now: datetime
    place: Place  # accepted
    local: Pod | None
    remote: Secret | None = None  # its metadata
    is_followed: bool = True  # do we know what is there?
    alone: Alone | None = None  # the Secret, which is ours to withdraw
    is_leaving: bool = False  # our node: what is not out yet goes elsewhere, orphans go at once


@dataclass(frozen=True)
class Seen:
    """What is followed, and what is known beside it."""

    pods: Views[Pod]
    nodes: Copy[VirtualNode]
    orphans: Orphans = field(default_factory=partial(Orphans, labels.SERVICE_ACCOUNT_POD_UID))


def controller(here: Caches, there: Caches, site: Site, clock: Clock) -> Controller[State]:
    views = follow_pods(here, there, site, Secret)
    nodes = here.of(VirtualNode, Scope(site.tenant_namespace))
    seen, back = Seen(views, nodes), partial(pod_of, views)
    views.locals.subscribe(seen.orphans.follow)
    nodes.subscribe(seen.orphans.welcome)
    return Controller(
        name=NAME,
        watches={
            views.locals: itself,
            nodes: partial(of_node, seen, site),
            views.atlas: views.inside,
            views.remotes: back,
            **views.known(back),
        },
        observe=partial(observe, seen, site, clock),
        plan=plan,
        manager=MANAGER,
        failed=failed,
    )


def observe(seen: Seen, site: Site, clock: Clock, key: Key) -> State | None:
    views, now = seen.pods, clock()
    place = views.place_of(key.namespace)
    if place is None:
        seen.orphans.since(key, None, now)
        return None
    twin = Key(place.namespace, names.token_secret(key.name))
    local, there = views.locals.get(key), views.remotes.get(twin)
    remote = Secret(metadata=there.metadata) if there is not None else None
    orphan = _ours(remote, site) if local is None else None
    alone = seen.orphans.alone(key, orphan, whose(orphan, seen.nodes, site), now)
    if local is None and remote is None:
        return None
    node = seen.nodes.get(Key(site.tenant_namespace, site.node))
    return State(
        site,
        now,
        place,
        local,
        remote,
        is_followed=views.remotes.covers(twin),
        alone=alone,
        is_leaving=node is not None and is_leaving(node),
    )


def plan(state: State) -> Plan:
    """
    A Secret is *ours* if it holds tokens and we made it, or our like; *stale* if they are of an
    earlier pod of that name; *forsaken* if another node of ours made it, which is no more. A pod
    *asks* if its volumes do and it talks to our API server, and is *silent* else; it is *new* if
    it asks and never ran, and *leaves* with our node. It *stays* if it never ran and its namespace
    goes out without its pods. What is being deleted already is not deleted again.

    pod         | Secret           | what is done
    ------------+------------------+--------------------------------------------------
    any         | not known        | nothing: it is told when all of its namespace is known
    gone        | of our node      | delete it; if we did not see the pod go, and our node
                |                  | stays, in a while: its watch may be late
    gone        | forsaken         | the same, in a longer while
    gone        | else             | nothing
    finished    | any              | nothing: it asks for nothing any more
    live        | stale            | delete it: it comes again when that one is gone
    stays       | ours             | delete it
    stays       | else             | nothing
    silent      | ours             | delete it
    silent      | else             | nothing
    new, leaves | foreign, none    | nothing: it is to go elsewhere
    asks        | foreign          | tell that the name is taken
    asks        | being deleted    | nothing: it comes again when that one is gone
    asks        | ours, fresh      | sleep until they are due
    asks        | ours, due; none  | issue all
    """
    local, remote = state.local, state.remote
    if not state.is_followed:
        return NOTHING
    ours = _ours(remote, state.site)
    if local is None:
        return withdraw(ours, state.alone, state.now, is_leaving=state.is_leaving)
    if is_finished(local):
        return NOTHING
    if ours is not None and not is_for(ours, local):
        return _withdraw(ours)
    if stays(local, state.place) or mode_of(local.metadata, state.site) != "Home":
        return _withdraw(ours)
    return _supply(state, local, ours)


def failed(state: State, error: KubeError) -> Plan:
    """What the owner of a pod is told; not of what will pass by itself."""
    if state.local is None or isinstance(error, (Conflict, *OF_ALL)):
        return NOTHING
    return do(_warned(state, state.local, str(error)))


def is_token_secret(there: Resource, site: Site) -> bool:
    return is_ours(there, site) and holds_tokens(there.metadata)


def is_for(secret: Resource, local: Pod) -> bool:
    uid = secret.metadata.annotations.get(labels.SERVICE_ACCOUNT_POD_UID)
    return uid == local.metadata.uid


def tokens_in(pod: Pod) -> tuple[WantedToken, ...]:
    """Asked at every change of every pod: where no token is mentioned, nothing is decoded."""
    return tuple(_tokens(pod.spec)) if MENTION in bytes(pod.raw_spec) else ()


def pod_of(views: Views[Pod], there: Resource) -> tuple[Key, ...]:
    """The pod that a Secret is for, or whose Secret's name it has taken."""
    namespace, secret = views.origin_of(there), there.metadata
    name = secret.annotations.get(labels.SERVICE_ACCOUNT_POD_NAME)
    if name is None and secret.name.endswith(SUFFIX):
        name = secret.name.removesuffix(SUFFIX)
    return (Key(namespace, name),) if namespace is not None and name is not None else ()


def of_node(seen: Seen, site: Site, node: VirtualNode) -> Iterable[Key]:
    """All pods, when ours leaves or stays after all; what another left there that is no more."""
    if node.metadata.name != site.node:
        left = left_by(node, seen.nodes, seen.pods.remotes)
        return chain.from_iterable(pod_of(seen.pods, each) for each in left)
    now = seen.nodes.get(node.key)
    is_turned = now is not None and is_leaving(node) is not is_leaving(now)
    return [pod.key for pod in seen.pods.locals] if is_turned else ()


def due(secret: Meta, pod: str) -> datetime:
    """When its tokens are to be replaced; another implementation does not say how old they are."""
    expires = datetime.fromisoformat(secret.annotations[labels.SERVICE_ACCOUNT_EXPIRATION])
    issued = secret.annotations.get(labels.SERVICE_ACCOUNT_ISSUED)
    if issued is None:
        return expires - LIFETIME * (1 - RENEW_AT)
    began = datetime.fromisoformat(issued)
    return began + max((expires - began) * RENEW_AT, AT_LEAST) + _share(pod) * SPREAD


def _ours(there: Secret | None, site: Site) -> Secret | None:
    return there if there is not None and is_token_secret(there, site) else None


def _supply(state: State, local: Pod, ours: Secret | None) -> Plan:
    wanted = tokens_in(local)
    if not wanted:
        return _withdraw(ours)
    if ours is not None:
        if ours.metadata.deletion_timestamp is not None:
            return NOTHING
        left = (_due_or_now(state, ours, local) - state.now).total_seconds()
        if left > 0:
            return do(wake_after=left)
    if ours is None and state.is_leaving and not has_started(local.status):
        return NOTHING
    if state.remote is not None and ours is None:
        return do(_taken(state, local, state.remote))
    return do(_issue(state, local, wanted))


def _due_or_now(state: State, ours: Secret, local: Pod) -> datetime:
    """What is there may have been edited: then it is made anew."""
    if not is_of_our_node(ours, state.site):
        return state.now
    try:
        return due(ours.metadata, local.metadata.uid)
    except (KeyError, ValueError, TypeError):
        return state.now


def _issue(state: State, local: Pod, wanted: tuple[WantedToken, ...]) -> MintToken:
    account = local.spec.get("serviceAccountName") or "default"
    metadata = {
        "name": names.token_secret(local.metadata.name),
        "namespace": state.place.namespace,
        "labels": {
            **origin(state.site),
            labels.NODE_NAME: state.site.node,
            labels.SERVICE_ACCOUNT_NAME: names.shortened(account, names.LABEL),
        },
        "annotations": {
            labels.SERVICE_ACCOUNT_POD_NAME: local.metadata.name,
            labels.SERVICE_ACCOUNT_POD_UID: local.metadata.uid,
            labels.SERVICE_ACCOUNT_ISSUED: timestamp(state.now),
        },
    }
    body: JSON = {"metadata": metadata, "type": "Opaque", "immutable": False}
    return MintToken(
        service_account=Key(local.metadata.namespace, account),
        bound_to=local,
        wanted=wanted,
        into=Manifest(Secret.KIND, body),
        expiry_annotation=labels.SERVICE_ACCOUNT_EXPIRATION,
    )


def _tokens(spec: PodSpec) -> Iterator[WantedToken]:
    for volume in spec.get("volumes", ()):
        for source in volume.get("projected", {}).get("sources") or ():
            token = source.get(SOURCE)
            if token is not None:
                yield WantedToken(
                    field=names.token_field(volume["name"], token.get("path") or TOKEN_PATH),
                    audience=token.get("audience") or "",
                    seconds=token.get("expirationSeconds") or int(LIFETIME.total_seconds()),
                )


def _withdraw(ours: Secret | None) -> Plan:
    if ours is None or ours.metadata.deletion_timestamp is not None:
        return NOTHING
    return do(Delete(ours, on="remote"))


def _taken(state: State, local: Pod, remote: Secret) -> Record:
    words = f"remote object already exists: Secret {remote.key} is not ours. Delete it there"
    return _warned(state, local, words)


def _warned(state: State, local: Pod, words: str) -> Record:
    message = f'Error reflecting object to cluster "{state.site.provider}": {words}'
    return Record(local, FAILED, message, type="Warning", component=COMPONENT)


def _share(uid: str) -> float:
    """From 0 to 1, and always the same for a pod: it needs no randomness, and no memory."""
    return int.from_bytes(sha256(uid.encode()).digest()[:4]) / 2**32
