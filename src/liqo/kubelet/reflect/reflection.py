"""Reflection of one kind: the object at home is the truth, its copy on the provider follows.

Runs on   consumer, in the virtual kubelet
Watches   NamespaceMap (of the provider); the kind, in each namespace that goes out; on the
          provider, in each namespace that is ours, its metadata
Writes    the kind (provider)

Of all kubelets of a provider one reflects (runtime/turns.py); without an election each does
(P-RACE7).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Generic

from liqo.api import labels
from liqo.api.meta import JSON, Key, Meta, Resource
from liqo.kube.errors import Conflict, KubeError
from liqo.kube.reading import ManagedMeta, O
from liqo.kubelet.namespaces import Place
from liqo.kubelet.pods.marks import is_ours
from liqo.kubelet.reflect.around import ALONE, Around
from liqo.kubelet.reflect.marks import is_copy_of, travelling_annotations, travelling_labels
from liqo.kubelet.reflect.policy import Policies, Policy, Verdict, why_it_stays
from liqo.kubelet.reflect.views import Views
from liqo.kubelet.site import Site
from liqo.rules.applied import digest, is_said_by_others, is_untouched
from liqo.runtime.controller import Controller, itself
from liqo.runtime.failures import OF_ALL
from liqo.runtime.plan import NOTHING, Action, Apply, Delete, Manifest, Patch, Plan, Record, do

MANAGER = "reflection.liqo.io"  # as the wire has it: another implementation may take over
FAILED = "FailedReflection"
DISABLED = "ReflectionDisabled"


def same(name: str, _: Site) -> str:
    return name


def any_copy(_: Meta) -> bool:
    return True


@dataclass(frozen=True)
class Reflection(Generic[O]):
    """What is particular to a kind."""

    name: str  # of its controller
    model: type[O]
    component: str  # who tells people about it, as dashboards know it
    content: Callable[[O, Site, Around], JSON]  # all but the metadata
    judge: Callable[[O, Policy, Around], Verdict]
    why_it_stays: Callable[[O, Policy], str] = why_it_stays
    there: Callable[[str, Site], str] = same  # its name on the provider
    here: Callable[[str, Site], str] = same  # the way back
    is_one: Callable[[Meta], bool] = any_copy  # else it is of ours, but no copy made here
    twin: type[Resource] | None = None  # what it is on the provider, if not the same kind
    labels: Mapping[str, str] = field(default_factory=dict)  # that every copy has
    withheld: frozenset[str] = frozenset()  # annotations that mean nothing there
    whole: tuple[str, ...] = ()  # fields that nobody may add there
    lists: tuple[str, ...] = ()  # of its spec, with keys: Kubernetes lets others add to them
    final: tuple[str, ...] = ()  # fields that nobody can take back, once they are said

    @property
    def copy(self) -> type[Resource]:
        return self.twin or self.model


@dataclass(frozen=True)
class State(Generic[O]):
    site: Site
    place: Place  # accepted
    local: O | None
    remote: Resource | None = None  # its metadata
    policy: Policy = "DenyList"
    is_followed: bool = True  # do we know what is here and there?
    around: Around = ALONE


def controller(
    views: Views[O], site: Site, reflection: Reflection[O], policies: Policies
) -> Controller[State[O]]:
    back = partial(home, views, site, reflection)
    return Controller(
        name=reflection.name,
        watches={
            views.locals: itself,
            views.atlas: views.inside,
            views.remotes: back,
            **views.known(back),
            **views.beside,
            **dict.fromkeys(policies.sources, views.everything),
        },
        observe=partial(observe, views, site, reflection, policies),
        plan=partial(plan, reflection),
        manager=MANAGER,
        failed=partial(failed, reflection),
    )


def observe(
    views: Views[O], site: Site, reflection: Reflection[O], policies: Policies, key: Key
) -> State[O] | None:
    place = views.place_of(key.namespace)
    if place is None:
        return None  # what is there goes with its namespace, or waits until the provider answers
    twin = Key(place.namespace, reflection.there(key.name, site))
    if reflection.here(twin.name, site) != key.name:
        return None  # its name belongs to another one of ours over there
    local, seen = views.locals.get(key), views.remotes.get(twin)
    followed = views.locals.covers(key) and views.remotes.covers(twin)
    if local is None and seen is None and followed:
        return None
    remote = reflection.copy(metadata=seen.metadata) if seen is not None else None
    policy, site = policies.of(reflection.model.KIND), policies.at(site)
    around = views.around(local) if local is not None else ALONE
    return State(site, place, local, remote, policy, followed, around)


def plan(reflection: Reflection[O], state: State[O]) -> Plan:
    """
    In a namespace that the provider has accepted; elsewhere nothing is done, so what leaves the
    NamespaceMap is not deleted by us. *Ours* is a copy that we made, or our like.

    object | copy       | what is done
    -------+------------+----------------------------------------------------
    any    | not known  | nothing: it is told when all of its namespace is known
    gone   | ours       | delete it
    gone   | foreign    | nothing
    stays  | ours       | delete it, tell why
    stays  | else       | tell why
    ?      | any        | tell that its annotations contradict each other
    goes   | foreign    | tell that the name is taken
    goes   | leaving    | nothing: it comes again when that one is gone
    goes   | of another | delete it: it may be immutable, or of another type
    goes   | ended      | delete it: somebody made it immutable
    goes   | ours, none | apply, unless it stands as we left it
    """
    local, remote = state.local, state.remote
    if not state.is_followed:
        return NOTHING
    ours = remote if remote is not None and is_copy(reflection, state, remote) else None
    if local is None:
        return do(*_withdraw(ours))
    verdict = reflection.judge(local, state.policy, state.around)
    if verdict == "stays":
        return do(*_withdraw(ours), *_stays(reflection, state, local))
    if verdict == "contradictory":
        return do(_contradicts(reflection, state, local))
    if remote is not None and ours is None:
        return do(_is_taken(reflection, state, local, remote))
    return do(*_bring(reflection, state, local, ours))


def failed(reflection: Reflection[O], state: State[O], error: KubeError) -> Plan:
    """What the owner is told when the provider refuses, not of what will pass by itself.

    An error begins with the name of the cluster that it comes from.
    """
    if state.local is None or isinstance(error, (Conflict, *OF_ALL)):
        return NOTHING
    words = str(error).removeprefix(f"{state.site.provider}: ")
    return do(_warned(reflection, state.local, state.site, words))


def is_on_its_way(reflection: Reflection[O], state: State[O]) -> bool:
    """Whether waiting for the copy is not in vain."""
    local, remote = state.local, state.remote
    if not state.is_followed:
        return True
    if local is None or reflection.judge(local, state.policy, state.around) != "goes":
        return False
    if remote is None:
        return True
    return is_copy(reflection, state, remote) and not is_copy_of(remote.metadata, local.metadata)


def is_copy(reflection: Reflection[O], state: State[O], remote: Resource) -> bool:
    return is_ours(remote, state.site) and reflection.is_one(remote.metadata)


def home(
    views: Views[O], site: Site, reflection: Reflection[O], there: Resource
) -> tuple[Key, ...]:
    """The object that this is a copy of, whether it still exists or not."""
    namespace = views.origin_of(there)
    if namespace is None:
        return ()
    return (Key(namespace, reflection.here(there.metadata.name, site)),)


def forge(
    reflection: Reflection[O], local: O, place: Place, site: Site, around: Around = ALONE
) -> Manifest:
    annotations = travelling_annotations(local.metadata, site).items()
    metadata: JSON = {
        "name": reflection.there(local.metadata.name, site),
        "namespace": place.namespace,
        "labels": {**travelling_labels(local.metadata, site), **reflection.labels},
        "annotations": {
            name: value for name, value in annotations if name not in reflection.withheld
        },
    }
    content = reflection.content(local, site, around)
    body: JSON = {"metadata": metadata, **content}
    metadata["annotations"] = {**metadata["annotations"], labels.APPLIED: digest(body)}
    return Manifest(reflection.copy.KIND, body)


def is_as_applied(ours: Resource, made: Manifest) -> bool:
    """As we would make it, and touched by nobody: also who has just begun has nothing to write."""
    said, there = made.body["metadata"]["annotations"][labels.APPLIED], ours.metadata
    if not isinstance(there, ManagedMeta) or there.annotations.get(labels.APPLIED) != said:
        return False
    return is_untouched(there.managed_fields, MANAGER, made.body)


def _bring(
    reflection: Reflection[O], state: State[O], local: O, ours: Resource | None
) -> Iterator[Action]:
    if ours is not None and not _can_stay(reflection, local, ours):
        yield from _withdraw(ours)
        return
    made = forge(reflection, local, state.place, state.site, state.around)
    if ours is None or not is_as_applied(ours, made):
        yield from _cleared(reflection, ours, made) if ours is not None else ()
        yield Apply(made, on="remote", whole=reflection.whole)


def _can_stay(reflection: Reflection[O], local: O, ours: Resource) -> bool:
    is_leaving = ours.metadata.deletion_timestamp is not None
    is_ended = any(_is_said_by_others(ours, each) for each in reflection.final)
    return is_copy_of(ours.metadata, local.metadata) and not is_leaving and not is_ended


def _cleared(reflection: Reflection[O], ours: Resource, made: Manifest) -> Iterator[Action]:
    """What an apply would only add to, or be refused for: two items may not have one name."""
    for name in reflection.lists:
        if _is_said_by_others(ours, f"spec.{name}"):
            change = {"spec": {name: made.body["spec"].get(name, [])}}
            yield Patch(ours, change, on="remote")


def _is_said_by_others(ours: Resource, path: str) -> bool:
    there = ours.metadata
    return isinstance(there, ManagedMeta) and is_said_by_others(there.managed_fields, MANAGER, path)


def _withdraw(ours: Resource | None) -> Iterator[Action]:
    if ours is not None and ours.metadata.deletion_timestamp is None:
        yield Delete(ours, on="remote")


def _stays(reflection: Reflection[O], state: State[O], local: O) -> Iterator[Action]:
    if why := reflection.why_it_stays(local, state.policy):
        message = f'Reflection to cluster "{state.site.provider}" disabled for {why}'
        yield Record(local, DISABLED, message, component=reflection.component)


def _contradicts(reflection: Reflection[O], state: State[O], local: O) -> Record:
    both = f"{labels.SKIP_REFLECTION} and {labels.ALLOW_REFLECTION}"
    words = f"the annotations {both} contradict each other: remove one"
    return _warned(reflection, local, state.site, words)


def _is_taken(reflection: Reflection[O], state: State[O], local: O, remote: Resource) -> Record:
    words = (
        f"remote object already exists: {remote.KIND.name} {remote.key} is not a copy of this one. "
        f"Delete it there, or set the annotation {labels.SKIP_REFLECTION}=true on this one"
    )
    return _warned(reflection, local, state.site, words)


def _warned(reflection: Reflection[O], local: O, site: Site, words: str) -> Record:
    message = f'Error reflecting object to cluster "{site.provider}": {words}'
    return Record(local, FAILED, message, type="Warning", component=reflection.component)
