"""What is done for one pod of a virtual node: the decision, and all that it may look at."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from liqo.api import labels
from liqo.api.kubernetes import Pod
from liqo.api.offloading import ShadowPod
from liqo.kubelet.namespaces import Place
from liqo.kubelet.pods.belonging import is_current, is_foreign, is_made_of, without_foreign
from liqo.kubelet.pods.changes import Change, changes
from liqo.kubelet.pods.ending import BACK_OFF, Reason, ended, has_started, stays, unready
from liqo.kubelet.pods.fit import LOOK_AGAIN, oversized, turned_away
from liqo.kubelet.pods.forge import left_behind, shadow_pod
from liqo.kubelet.pods.grace import FORCED, SOONEST, asked_to_end, can_be_told, ends_otherwise
from liqo.kubelet.pods.marks import is_for, is_of_our_node, is_ours
from liqo.kubelet.pods.orphans import Alone, withdraw
from liqo.kubelet.pods.rejection import (
    COMPONENT,
    FAILED,
    FAILED_POD,
    FAILED_UPDATE,
    complained,
    gone_out,
    not_offloaded,
    rejected,
    unreflected,
    warned,
)
from liqo.kubelet.pods.restarts import earlier_restarts, remembered
from liqo.kubelet.pods.status import (
    FINISHED,
    glance,
    is_finished,
    is_worth_a_write,
    patch,
    translated,
    with_generation_of,
    with_refused,
    with_restarts,
)
from liqo.kubelet.site import Site
from liqo.rules.changes import end_of, is_like, made_in
from liqo.rules.disruption import is_swept
from liqo.rules.fit import Shortage
from liqo.runtime.plan import NOTHING, Action, Create, Delete, Patch, PatchStatus, Plan, Record, do

GRACE = timedelta(seconds=10)  # before what ran in a namespace that left counts as lost
MOMENT = timedelta(seconds=2)  # for a namespace that is offloaded together with its pods
PATIENCE = timedelta(seconds=5)  # with what a pod refers to; then the remote kubelet waits for it
ANSWER = timedelta(seconds=5)  # for a provider to hasten an end, after the time for it has passed
UNHEARD = 5.0  # seconds until the next look at whether the provider was heard of: no cache tells
ABORTED: Reason = "OffloadingAborted"


@dataclass(frozen=True)
class State:
    site: Site
    now: datetime
    local: Pod | None
    shadow: ShadowPod | None = None
    remote: Pod | None = None
    place: Place | None = None  # None: its namespace is not offloaded …
    left: datetime | None = None  # … since then; or that its provider has not answered for it
    is_followed: bool = True  # do we know what is there?
    is_sure: bool = True  # and that nothing of it came there unseen?
    missing: tuple[str, ...] = ()  # of what the pod refers to and the provider does not have yet …
    since: datetime | None = None  # … although it has answered since then; None: it does not
    is_leaving: bool = False  # our node: what is not out yet goes elsewhere, orphans go at once
    excess: Shortage | None = None  # of one that is to go out: too much for any node there
    complaint: str = ""  # the provider's, about what it cannot make of the ShadowPod
    alone: Alone | None = None  # the ShadowPod, which is ours to withdraw


def plan(state: State) -> Plan:
    """
    The first row that fits. A ShadowPod is *ours* if our node made it for this very pod, *stale* if
    it was for an earlier one of its name, *foreign* if others made it, or another node of ours for
    a later one, *forsaken* if that node is no more (belonging.py). A remote pod counts if it was
    made of that ShadowPod; it ends *otherwise* if that takes another time than is wanted, and its
    provider can be told. A ShadowPod is *unsure* if none is known of a pod that was never seen
    there, but the provider fell silent and may have made it unheard. *Out* is accepted or degraded;
    while we cannot see what is there, an accepted namespace is *unknown* and a degraded one *lost*.
    One that *shares* is accepted, but for its pods. *New* never ran, nor did *large*, which fits on
    no node there. What is foreign counts as none for a pod that is terminating.

    local pod   | namespace | ShadowPod | remote pod | what is done
    ------------+-----------+-----------+------------+---------------------------------------------
    gone        | any       | our node's| any        | delete the ShadowPod; if we did not see the
                |           |           |            | pod go, and our node stays, in a while: its
                |           |           |            | watch may be late
    gone        | any       | forsaken  | any        | the same, in a longer while
    gone        | any       | other     | any        | nothing
    any         | unknown   | ?         | ?          | nothing: what is there must be known first
    terminating | not out   | ?         | ?          | delete the local pod
    terminating | lost      | ?         | ?          | delete the local pod, if it never ran
    terminating | out       | any       | otherwise  | ask for an end in time, copy the status
    terminating | out       | ended     | none       | Succeeded or Failed; delete the ShadowPod
    terminating | out       | there     | any        | delete the ShadowPod, copy the status
    terminating | out       | none      | there      | copy the status
    terminating | out       | unsure    | none       | wait: it may come as soon as we hear of it
    terminating | out       | none      | none       | delete the local pod; held by others: Failed
    aborted     | out       | ours      | any        | delete the ShadowPod
    finished    | out       | any       | ended      | copy the status, if it ended otherwise
    finished    | any       | any       | any        | nothing: it is never run again
    never ran   | not out   | ?         | ?          | wait a moment; Pending, OffloadingBackOff
    ran         | not out   | ?         | ?          | wait a while; then Failed, OffloadingAborted
    never ran   | out       | forsaken  | any        | tell that the name is taken; in a longer
                |           |           |            | while delete the ShadowPod
    live        | out       | foreign   | any        | tell that the name is taken
    live        | out       | any       | foreign    | the same
    live        | out       | stale/none| an earlier | force it to go, as its local pod was
    never ran   | degraded  | none      | any        | the same, for a provider that is to answer
    ran         | degraded  | none      | any        | nothing: wait for the provider
    never ran   | shares    | none      | any        | Pending, OffloadingBackOff
    live        | accepted  | none      | there      | not ready: it is going with its ShadowPod
    live, lacks | accepted  | none      | none       | wait a while for what it refers to
    new, leaves | accepted  | none      | none       | nothing: it is to go elsewhere
    large       | accepted  | none      | none       | tell; create the ShadowPod, or where such are
                |           |           |            | refused: Pending, until it fits
    live        | accepted  | none      | none       | create the ShadowPod
    live        | out       | stale     | any        | delete the ShadowPod
    live        | out       | ours      | there      | copy the status, change the ShadowPod
    live        | out       | ours      | refused    | the same, tell what the provider says
    live        | out       | ours      | going      | not ready: it is made again; change it
    live        | out       | ended     | none       | Succeeded or Failed, RemotePodTerminated
    live        | out       | rejected  | none       | tell what the provider says, change it
    live        | out       | ours      | none       | not ready until it is made; change it
    """
    local, place = state.local, state.place
    if local is None:
        return withdraw(state.shadow, state.alone, state.now, is_leaving=state.is_leaving)
    if place is not None and place.phase == "Accepted" and not state.is_followed:
        return NOTHING
    if local.metadata.deletion_timestamp is not None:
        return _end(state, local)
    if is_finished(local):
        return do(*_finished(state, local))
    return _strand(state, local) if place is None else _run(state, local, place)


def _end(state: State, local: Pod) -> Plan:
    shadow, remote = without_foreign(state.shadow, state.remote, local, state.site)
    if shadow is None and remote is None:
        is_known = state.place is None or state.is_followed or not has_started(local.status)
        if not is_known:
            return NOTHING
        return do(*_let_go(state, local)) if state.is_sure else do(wake_after=UNHEARD)
    maker = shadow if shadow is not None and end_of(shadow) is None else None
    if remote is None or not is_made_of(remote, maker, local):
        return do(*_outcome(state, local, shadow), *_withdraw(shadow))
    copied = [*_copy(state, local, remote)]
    wanted, left = _wish(state, local)
    if left > 0 and can_be_told(remote) and ends_otherwise(local, remote, wanted):
        return do(*copied, *asked_to_end(remote, shadow, wanted, state.site), wake_after=left)
    return do(*_withdraw(shadow), *copied)


def _outcome(state: State, local: Pod, shadow: ShadowPod | None) -> Iterator[Action]:
    """Of a remote pod that is gone: only its ShadowPod knows, and goes next."""
    if shadow is None or not is_of_our_node(shadow, state.site) or not is_for(shadow, local):
        return
    if (phase := _phase(shadow)) in FINISHED and not is_finished(local):
        yield _over(state, local, phase)


def _wish(state: State, local: Pod) -> tuple[int, float]:
    """Within how many seconds it should end, and how many are left to see to that."""
    known = local.metadata
    over = datetime.fromisoformat(known.deletion_timestamp or "") + ANSWER
    wanted = max(SOONEST, known.deletion_grace_period_seconds or 0)
    return wanted, (over - state.now).total_seconds()


def _let_go(state: State, local: Pod) -> Iterator[Action]:
    """Who holds on to it, as a Job does, waits for its final phase."""
    if local.metadata.finalizers and not is_finished(local):
        yield _over(state, local, "Failed")
    yield Delete(local, grace=0)


def _finished(state: State, local: Pod) -> Iterator[Action]:
    phase, reason = glance(local)
    shadow, remote = state.shadow, state.remote
    if shadow is not None and not is_current(shadow, local, state.site):
        return  # of somebody else, or of a pod of this name that is still to come
    if reason == ABORTED:
        yield from _withdraw(shadow)
    elif remote is not None and is_made_of(remote, shadow, local):
        ended_otherwise = glance(remote)[0] in FINISHED - {phase}
        if ended_otherwise:
            yield from _copy(state, local, remote)


def _strand(state: State, local: Pod) -> Plan:
    """Bound to our node, and its namespace does not go out."""
    here = local.status
    if not has_started(here):
        return _hold(state, local)
    over = (state.left or state.now) + GRACE
    if state.now < over:
        return do(wake_after=(over - state.now).total_seconds())
    lost = ended(here, "Failed", ABORTED, state.now)
    return do(
        PatchStatus(local, lost, form="strategic"), not_offloaded(local, state.place, state.site)
    )


def _hold(state: State, local: Pod) -> Plan:
    """Nobody is told of what will be over in a moment."""
    over = state.left + MOMENT if state.left is not None else state.now
    if state.now < over:
        return do(wake_after=(over - state.now).total_seconds())
    return do(*_back_off(state, local))


def _back_off(state: State, local: Pod) -> Iterator[Action]:
    here = local.status
    if here.get("reason") != BACK_OFF:
        waits = ended(here, "Pending", BACK_OFF, state.now)
        yield PatchStatus(local, waits, form="strategic")
        yield not_offloaded(local, state.place, state.site)


def _run(state: State, local: Pod, place: Place) -> Plan:
    shadow, site = state.shadow, state.site
    if _is_taken(state, local):
        told = warned(local, FAILED, unreflected("remote object already exists", site))
        freed = withdraw(shadow, state.alone, state.now, is_leaving=state.is_leaving)
        return replace(freed, actions=(told, *freed.actions))
    if shadow is not None and is_current(shadow, local, site):
        pending = pending_changes(state, local, shadow)
        return do(*_report(state, local, shadow, pending), *_align(state, local, shadow, pending))
    if (earlier := _predecessor(state, local)) is not None:
        return do(*asked_to_end(earlier, shadow, FORCED, site))
    return _offer(state, local, place) if shadow is None else do(*_withdraw(shadow))


def _predecessor(state: State, local: Pod) -> Pod | None:
    """A pod in the way that was deleted by force: at home, too, the next would not wait for it."""
    shadow, remote = state.shadow, state.remote
    is_ours_to_say = shadow is None or is_of_our_node(shadow, state.site)
    if remote is None or is_for(remote, local) or not is_ours_to_say:
        return None
    return remote if can_be_told(remote) else None


def _offer(state: State, local: Pod, place: Place) -> Plan:
    if place.phase == "Degraded":
        if has_started(local.status) or (_was_sent(local) and not state.is_followed):
            return NOTHING
        return _hold(state, local)
    if stays(local, place):
        return do(*_back_off(state, local))
    if state.remote is not None and state.remote.metadata.owner_references:
        return do(*_wait(state, local))
    if state.missing:
        over = (state.since or state.now) + PATIENCE
        if state.now < over:
            return do(wake_after=(over - state.now).total_seconds())
    return _send(state, local, place)


def _send(state: State, local: Pod, place: Place) -> Plan:
    site, ran = state.site, has_started(local.status)
    if state.is_leaving and not ran:
        return do(wake_after=LOOK_AGAIN)  # the node may stay after all
    short = state.excess if not ran else None
    if short is not None and site.refuses_too_large:
        return do(*turned_away(local, short, site, state.now), wake_after=LOOK_AGAIN)
    told = (oversized(local, short, site),) if short is not None else ()
    sent = Create(shadow_pod(local, place.namespace, site), on="remote")
    return do(*told, sent, *_hint(state, local))


def _was_sent(local: Pod) -> bool:
    """It has been shown with a status of its twin."""
    return local.metadata.labels.get(labels.SHADOW_POD) == "true"


def _hint(state: State, local: Pod) -> Iterator[Action]:
    if fields := left_behind(local.spec):
        message = f'Cluster "{state.site.provider}" does not see: {", ".join(fields)}'
        yield Record(local, "FieldsNotReflected", message, component=COMPONENT)


def _align(
    state: State, local: Pod, shadow: ShadowPod, pending: tuple[Change, ...]
) -> Iterator[Action]:
    if local.metadata.labels.get(labels.REMOTE_UNAVAILABLE) == "true":
        return
    for change in pending:
        yield Patch(shadow, change.patch, on="remote")
        if change.pod and state.remote is not None and made_in(state.remote) is None:
            message = (
                f'Cluster "{state.site.provider}" may not change a pod that runs: it has the new '
                f"{', '.join(change.about)} once it is made anew"
            )
            yield warned(local, "ChangeNotReflected", message)


def pending_changes(state: State, local: Pod, shadow: ShadowPod) -> tuple[Change, ...]:
    remote = state.remote
    runs = remote if remote is not None and is_made_of(remote, shadow, local) else None
    return changes(shadow, local, runs, state.site)


def _report(
    state: State, local: Pod, shadow: ShadowPod, pending: tuple[Change, ...]
) -> Iterator[Action]:
    remote, phase = state.remote, _phase(shadow)
    if remote is not None:
        if is_made_of(remote, shadow, local):
            is_in_step = is_like(shadow, remote) and not any(change.pod for change in pending)
            is_going = remote.metadata.deletion_timestamp is not None or is_swept(remote)
            # One that is stopped shows a phase as if it had finished; but the next goes on.
            is_lost = is_going and phase not in FINISHED
            yield from _wait(state, local) if is_lost else _copy(state, local, remote, is_in_step)
            if state.complaint and not is_in_step:
                yield warned(local, FAILED_UPDATE, complained(state.complaint, state.site))
    elif phase in FINISHED:
        yield _over(state, local, phase)
    elif state.complaint:
        yield from rejected(local, state.complaint, FAILED_POD, state.site, state.now)
    elif state.is_followed:
        yield from _wait(state, local, **gone_out(local))


def _phase(shadow: ShadowPod) -> str:
    return shadow.status.phase if shadow.status is not None else "Unknown"


def _over(state: State, local: Pod, phase: str) -> PatchStatus:
    over = ended(local.status, phase, "RemotePodTerminated", state.now)
    return PatchStatus(local, over, form="strategic")


def _wait(state: State, local: Pod, **besides: object) -> Iterator[Action]:
    conditions = unready(local.status, state.now)
    if changes := {**besides, **({"conditions": conditions} if conditions else {})}:
        yield PatchStatus(local, changes, form="strategic")


def _copy(state: State, local: Pod, remote: Pod, is_in_step: bool = True) -> Iterator[Action]:
    here, there = local.status, remote.status
    earlier = earlier_restarts(local, here, remote, there)
    wanted = with_restarts(translated(local, here, remote, there, state.site), earlier)
    if not is_in_step:
        wanted = with_generation_of(here, wanted)
        if state.complaint:
            told = complained(state.complaint, state.site)
            wanted = with_refused(wanted, local, FAILED_UPDATE, told)
    if not is_worth_a_write(here, wanted):
        return
    yield PatchStatus(
        local,
        patch(here, wanted),
        form="strategic",
        labels=() if _was_sent(local) else ((labels.SHADOW_POD, "true"),),
        annotations=remembered(local, remote, earlier),
    )


def _withdraw(shadow: ShadowPod | None) -> Iterator[Action]:
    if shadow is not None and shadow.metadata.deletion_timestamp is None:
        yield Delete(shadow, on="remote")


def _is_taken(state: State, local: Pod) -> bool:
    shadow, remote, site = state.shadow, state.remote, state.site
    return (shadow is not None and is_foreign(shadow, local, site)) or (
        remote is not None and not is_ours(remote, site)
    )
