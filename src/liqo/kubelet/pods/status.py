"""The status of a remote pod, as the local one should show it.

Everything is copied but what belongs to this cluster, or would be refused here:

field                         | at home
------------------------------+----------------------------------------------------------------
podIP, podIPs                 | as there; not shown where the site hides them
hostIP, hostIPs               | of the virtual node; a new one goes with the next change: alone, a
                              | new kubelet would write the status of every pod for it
containerStatuses             | with the restarts before this remote pod; what is terminated for
                              | good stays so: the API server forbids the way back
conditions                    | as there, beside those that others put here; Ready is False while
                              | the remote cluster cannot be reached. That it is disrupted counts
                              | when it has ended of it: otherwise another remote pod follows
ephemeralContainerStatuses    | those of an earlier remote pod as ended: they do not run again
observedGeneration            | of the local pod, where the remote one was up to date with it
qosClass, nominatedNodeName,  | as at home: the first may not change, the second is about nodes
resourceClaimStatuses         | here, the third about claims that did not travel
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, cast

import msgspec

from liqo.api import labels
from liqo.api.kubernetes import Condition, Pod, PodSpec, PodStatus
from liqo.api.meta import JSON
from liqo.kubelet.site import Site
from liqo.rules.addresses import of_remote_pod
from liqo.rules.changes import changeable, made_in

FINISHED = frozenset({"Succeeded", "Failed"})
DISRUPTED = "DisruptionTarget"
ACCEPTED = "offloading.liqo.io/Accepted"  # ours: False while the pod is refused

STAYS = frozenset(
    {
        "conditions",
        "extendedResourceClaimStatus",
        "hostIP",
        "hostIPs",
        "nominatedNodeName",
        "observedGeneration",
        "qosClass",
        "resourceClaimStatuses",
    }
)
EPHEMERAL = "ephemeralContainerStatuses"
CONTAINERS = ("containerStatuses", "initContainerStatuses", EPHEMERAL)
KILLED = 137  # the exit code of what is ended by SIGKILL
# Conditions that only a kubelet writes: what the remote one no longer says is no longer so.
KUBELETS = frozenset(
    {
        ACCEPTED,
        "AllContainersRestarting",
        "ContainersReady",
        "Initialized",
        "PodReadyToStartContainers",
        "PodResizeInProgress",
        "PodResizePending",
        "Ready",
    }
)
# That a bound pod has a node, and that its containers are about to start.
SAYS_NOTHING = frozenset(
    {
        ("PodScheduled", "True"),
        ("PodReadyToStartContainers", "True"),
        ("PodReadyToStartContainers", "False"),
    }
)
NOT_AS_THERE = STAYS | {"podIP", "podIPs"}
MERGED_BY_IP = frozenset({"podIPs", "hostIPs"})  # a patch would add to these lists
REPLACE: JSON = {"$patch": "replace"}


class _Glance(msgspec.Struct):
    phase: str = ""
    reason: str = ""


_glance = msgspec.json.Decoder(_Glance | None)


def glance(pod: Pod) -> tuple[str, str]:
    """Phase and reason, without decoding the rest."""
    seen = _glance.decode(pod.raw_status)
    return (seen.phase, seen.reason) if seen is not None else ("", "")


def is_finished(pod: Pod) -> bool:
    return glance(pod)[0] in FINISHED


def translated(local: Pod, here: PodStatus, remote: Pod, there: PodStatus, site: Site) -> JSON:
    """The status that the local pod should have, restarts aside; `here` is what it has."""
    status: JSON = {field: value for field, value in there.items() if field not in NOT_AS_THERE}
    status |= _addresses(there) if site.shows_ips else {}
    if site.node_ip:
        status |= {"hostIP": site.node_ip, "hostIPs": [{"ip": site.node_ip}]}
    for field in CONTAINERS:
        if field in status:
            status[field] = list(_held(status[field], cast(JSON, here).get(field, ()), local))
    if lost := list(_lost(local, here, remote)):
        status[EPHEMERAL] = [*status.get(EPHEMERAL, ()), *lost]
    generation = local.metadata.generation
    observed = {"observedGeneration": generation} if generation else {}
    if _is_up_to_date(there, remote):
        status |= observed
    status["conditions"] = [
        {**_without_generation(each), **(observed if _is_up_to_date(each, remote) else {})}
        for each in there.get("conditions", ())
        if each["type"] != DISRUPTED or there.get("phase") in FINISHED
    ]
    if local.metadata.labels.get(labels.REMOTE_UNAVAILABLE) == "true":
        status["conditions"] = _unready(status["conditions"])
    return status


def _addresses(there: PodStatus) -> JSON:
    shown: JSON = {}
    if "podIP" in there:
        shown["podIP"] = of_remote_pod(there["podIP"])
    if "podIPs" in there:
        shown["podIPs"] = [{**each, "ip": of_remote_pod(each["ip"])} for each in there["podIPs"]]
    return shown


def with_restarts(status: JSON, earlier: int) -> JSON:
    if not earlier or "containerStatuses" not in status:
        return status
    counted = [
        {**each, "restartCount": each.get("restartCount", 0) + earlier}
        for each in status["containerStatuses"]
    ]
    return {**status, "containerStatuses": counted}


def debuggers_that_ran(here: PodStatus) -> dict[str, JSON]:
    """Ephemeral containers, by name, that are shown to have been started."""
    shown = cast(JSON, here).get(EPHEMERAL, ())
    return {each["name"]: each for each in shown if "waiting" not in each["state"]}


def with_refused(status: JSON, local: Pod, reason: str, words: str) -> JSON:
    """Who waits for an ephemeral container is told why it does not come."""
    known = {each["name"] for each in status.get(EPHEMERAL, ())}
    waits = {"waiting": {"reason": reason, "message": words}}
    asked = changeable(local.raw_spec).ephemeral_containers
    new = [{**_unborn(each), "state": waits} for each in asked if each["name"] not in known]
    return {**status, EPHEMERAL: [*status.get(EPHEMERAL, ()), *new]} if new else status


def with_generation_of(here: PodStatus, status: JSON) -> JSON:
    """Of a remote pod that is up to date with itself, but not yet with the local one."""
    known = cast(JSON, here).get("observedGeneration")
    observed = {"observedGeneration": known} if known else {}
    conditions = [{**_without_generation(each), **observed} for each in status["conditions"]]
    return {**_without_generation(status), **observed, "conditions": conditions}


def is_worth_a_write(here: PodStatus, wanted: JSON) -> bool:
    """Whether a user could see the difference; times follow with the next one.

    That a change of the pod has been heard of is one; that the first state of it was, is not.
    """
    types = KUBELETS | {each["type"] for each in wanted.get("conditions", ())}
    known, now = (cast(JSON, each).get("observedGeneration", 0) for each in (here, wanted))
    return 0 < known < now or _seen(cast(JSON, here), types) != _seen(wanted, types)


def patch(here: PodStatus, wanted: JSON) -> JSON:
    """A strategic merge patch that makes one the other, and leaves alone what is not ours."""
    known = cast(JSON, here)
    changes: JSON = {}
    for field, value in wanted.items():
        if field != "conditions" and known.get(field) != value:
            changes[field] = [REPLACE, *value] if field in MERGED_BY_IP else value
    changes |= dict.fromkeys(sorted(known.keys() - wanted.keys() - STAYS))
    if conditions := list(_changed(known.get("conditions", ()), wanted["conditions"])):
        changes["conditions"] = conditions
    return changes


def _changed(here: Iterable[JSON], wanted: list[JSON]) -> Iterator[JSON]:
    known = {each["type"]: each for each in here}
    for each in wanted:
        before = known.get(each["type"], {})
        if before != each:
            yield {**dict.fromkeys(sorted(before.keys() - each.keys())), **each}
    for gone in sorted((known.keys() & KUBELETS) - {each["type"] for each in wanted}):
        yield {"$patch": "delete", "type": gone}


def _seen(status: JSON, types: Iterable[str]) -> tuple[object, ...]:
    """What `kubectl get` and `describe` would tell apart."""
    phase = status.get("phase", "Pending")
    fields = tuple(status.get(field) or None for field in ("reason", "message", *CONTAINERS))
    address = status.get("podIP") if phase != "Pending" else None  # nobody listens there yet
    conditions = {
        (each["type"], each["status"], each.get("reason"), each.get("message"))
        for each in status.get("conditions", ())
        if each["type"] in types and (each["type"], each["status"]) not in SAYS_NOTHING
    }
    return phase, fields, address, conditions


def _held(there: Iterable[JSON], here: Iterable[JSON], local: Pod) -> Iterator[JSON]:
    ended = {each["name"]: each for each in here if "terminated" in each.get("state", {})}
    for each in there:
        before = ended.get(each["name"])
        if before is None or "terminated" in each.get("state", {}):
            yield each
        else:
            code = before["state"]["terminated"].get("exitCode", 0)
            yield each if _may_restart(local.spec, each["name"], code) else before


def _lost(local: Pod, here: PodStatus, remote: Pod) -> Iterator[JSON]:
    """Ephemeral containers that were in an earlier remote pod, or came just too late for it."""
    ran, made = debuggers_that_ran(here), made_in(remote)
    known = ran.keys() | set(made.past if made is not None else ())
    if not known:
        return
    past = known - changeable(remote.raw_spec).debuggers
    for each in changeable(local.raw_spec).ephemeral_containers:
        if each["name"] in past:
            yield _cut_off(ran.get(each["name"]) or _unborn(each))


def _unborn(container: JSON) -> JSON:
    named = {"name": container["name"], "image": container.get("image", ""), "imageID": ""}
    return {**named, "ready": False, "restartCount": 0, "state": {}}


def _cut_off(container: JSON) -> JSON:
    if "terminated" in container.get("state", {}):
        return container
    killed = {"exitCode": KILLED, "reason": "RemotePodTerminated"}
    return {**container, "ready": False, "state": {"terminated": killed}}


def _may_restart(spec: PodSpec, container: str, exit_code: int) -> bool:
    containers: list[Any] = [*spec.get("containers", ()), *spec.get("initContainers", ())]
    own: JSON = next((each for each in containers if each["name"] == container), {})
    if own.get("restartPolicyRules"):
        return True  # the API server knows best
    policy = own.get("restartPolicy") or spec.get("restartPolicy", "Always")
    return policy == "Always" or (policy == "OnFailure" and exit_code != 0)


def _is_up_to_date(observed: PodStatus | Condition, remote: Pod) -> bool:
    seen = cast(JSON, observed).get("observedGeneration", 0)
    return bool(seen) and seen == remote.metadata.generation


def _without_generation(observed: JSON | Condition) -> JSON:
    return {name: value for name, value in observed.items() if name != "observedGeneration"}


def _unready(conditions: list[JSON]) -> list[JSON]:
    others = [each for each in conditions if each["type"] != "Ready"]
    ready = next((each for each in conditions if each["type"] == "Ready"), {"type": "Ready"})
    return [*others, {**ready, "status": "False"}]
