"""What the local pod shows of the remote one."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, cast

import pytest

from liqo.api import labels
from liqo.api.kubernetes import Pod, PodStatus
from liqo.api.meta import JSON
from liqo.kubelet.pods.status import (
    ACCEPTED,
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
from liqo.rules.changes import Made
from tests.unit.kubelet.pods.things import (
    BOUND,
    SCHEDULED,
    SITE,
    SPEC,
    a_pod,
    a_remote,
    condition,
    container,
    recorded,
    running,
)


def shown(remote: Pod, local: Pod | None = None, site: Site = SITE) -> JSON:
    local = local or a_pod()
    return translated(local, local.status, remote, remote.status, site)


def worth(here: JSON, there: JSON) -> bool:
    local, remote = a_pod(here), a_remote(there)
    return is_worth_a_write(local.status, shown(remote, local))


def change(here: JSON, there: JSON) -> JSON:
    local = a_pod(here)
    return patch(local.status, shown(a_remote(there), local))


def ready(status: JSON) -> JSON:
    (found,) = [each for each in status["conditions"] if each["type"] == "Ready"]
    return cast(JSON, found)


def test_phase_and_reason_are_seen_at_a_glance() -> None:
    assert glance(a_pod()) == ("Pending", "")
    assert glance(a_pod({"phase": "Failed", "reason": "Evicted"})) == ("Failed", "Evicted")
    assert glance(Pod()) == ("", "")
    assert is_finished(a_pod({"phase": "Succeeded"}))
    assert not is_finished(a_pod(running()))


def test_a_status_is_copied_with_the_address_of_the_virtual_node() -> None:
    status = shown(a_remote(running(fieldOfTomorrow=[1])))
    there = running(fieldOfTomorrow=[1], hostIP="10.9.9.9", hostIPs=[{"ip": "10.9.9.9"}])
    del there["qosClass"]
    assert status == there


def test_addresses_are_shown_as_they_are_or_not_at_all() -> None:
    assert shown(a_remote())["podIPs"] == [{"ip": "10.61.0.7"}]
    hidden = shown(a_remote(), site=replace(SITE, shows_ips=False))
    assert {"podIP", "podIPs"} & hidden.keys() == set()
    unknown = shown(a_remote(), site=replace(SITE, node_ip=""))
    assert {"hostIP", "hostIPs"} & unknown.keys() == set()


def test_P_IP2_a_hidden_address_is_hidden_once() -> None:
    site = replace(SITE, shows_ips=False)
    local = a_pod(shown(a_remote(), site=site))
    assert not is_worth_a_write(local.status, shown(a_remote(), local, site))


@pytest.mark.parametrize(
    "field",
    ["qosClass", "nominatedNodeName", "resourceClaimStatuses", "extendedResourceClaimStatus"],
)
def test_what_the_api_server_would_refuse_stays_as_it_is_here(field: str) -> None:
    assert field not in shown(a_remote(running(**{field: "Burstable"})))
    assert field not in change(running(**{field: "here"}), running())


def test_what_was_observed_there_was_observed_here() -> None:
    """The local pod has generation 3, the remote one 1."""
    seen = condition("Ready", observedGeneration=1)
    status = shown(a_remote(running(observedGeneration=1, conditions=[seen])))
    assert status["observedGeneration"] == 3
    assert status["conditions"] == [condition("Ready", observedGeneration=3)]


def test_what_was_observed_too_early_or_not_told_is_not_told_here() -> None:
    early = running(observedGeneration=1, conditions=[condition("Ready", observedGeneration=1)])
    status = shown(a_remote(early, generation=2))
    assert "observedGeneration" not in status
    assert status["conditions"] == [condition("Ready")]
    assert "observedGeneration" not in shown(a_remote(early), a_pod(generation=0))


def test_restarts_of_earlier_remote_pods_are_added() -> None:
    status = shown(a_remote(running(containerStatuses=[container(restarts=2)])))
    assert with_restarts(status, 3)["containerStatuses"] == [container(restarts=5)]
    assert with_restarts(status, 0) == status
    assert with_restarts({"phase": "Pending"}, 3) == {"phase": "Pending"}


def test_while_the_remote_cluster_cannot_be_reached_a_pod_is_not_ready() -> None:
    lost = a_pod(labels={labels.REMOTE_UNAVAILABLE: "true"})
    status = shown(a_remote(), lost)
    assert ready(status) == condition("Ready", "False")
    assert len(status["conditions"]) == 3
    assert ready(shown(a_remote({"phase": "Pending"}), lost)) == {
        "type": "Ready",
        "status": "False",
    }


def ends(code: int) -> JSON:
    return container("terminated", exitCode=code)


@pytest.mark.parametrize(
    ("policy", "code", "own", "may"),
    [
        ("Always", 0, {}, True),
        ("OnFailure", 1, {}, True),
        ("OnFailure", 0, {}, False),
        ("Never", 1, {}, False),
        ("Never", 1, {"restartPolicy": "Always"}, True),
        ("Never", 1, {"restartPolicyRules": [{"action": "Restart"}]}, True),
    ],
)
def test_what_ended_for_good_stays_so_when_the_remote_pod_is_made_anew(
    policy: str, code: int, own: JSON, may: bool
) -> None:
    web = {**SPEC["containers"][0], **own}
    spec = {**SPEC, "restartPolicy": policy, "containers": [web]}
    local = a_pod(running(containerStatuses=[ends(code)]), spec)
    status = shown(a_remote(), local)
    assert status["containerStatuses"] == [container() if may else ends(code)]
    again = shown(a_remote(running(containerStatuses=[ends(7)])), local)
    assert again["containerStatuses"] == [ends(7)]


@pytest.mark.parametrize(
    "there",
    [
        pytest.param({"phase": "Pending"}, id="nobody has seen it yet"),
        pytest.param({"phase": "Pending", "conditions": [SCHEDULED]}, id="it has a node"),
        pytest.param(
            {"phase": "Pending", "conditions": [SCHEDULED], "podIP": "10.61.0.7"},
            id="it has an address, and nobody listens",
        ),
        pytest.param(
            {
                "phase": "Pending",
                "conditions": [
                    {**SCHEDULED, "lastTransitionTime": "2026-11-15T11:00:00Z"},
                    condition("PodReadyToStartContainers"),
                ],
                "observedGeneration": 1,
            },
            id="only times and generations",
        ),
    ],
)
def test_what_a_user_cannot_see_is_not_written(there: JSON) -> None:
    assert not worth(BOUND, there)


@pytest.mark.parametrize(
    "there",
    [
        pytest.param(running(), id="it runs"),
        pytest.param(running(podIP="10.61.0.8"), id="it has an address"),
        pytest.param({"phase": "Failed", "reason": "Evicted"}, id="it failed"),
        pytest.param(
            {"phase": "Pending", "conditions": [condition("PodScheduled", "False", message="0/3")]},
            id="there is no node for it",
        ),
        pytest.param(
            {
                "phase": "Pending",
                "containerStatuses": [container("waiting", reason="ErrImagePull")],
            },
            id="its image cannot be had",
        ),
    ],
)
def test_what_a_user_can_see_is_written(there: JSON) -> None:
    assert worth(BOUND, there)


def test_that_a_pod_has_a_node_there_is_no_news_unless_it_had_none() -> None:
    there = {"phase": "Pending", "conditions": [SCHEDULED]}
    assert not worth({"phase": "Pending"}, there)
    assert worth({"phase": "Pending", "conditions": [condition("PodScheduled", "False")]}, there)


def test_a_status_that_was_copied_is_not_copied_again() -> None:
    copied = {**shown(a_remote()), "qosClass": "BestEffort"}
    assert not worth(copied, running())
    assert change(copied, running()) == {}


def test_readiness_comes_and_goes_at_once() -> None:
    copied = shown(a_remote())
    unready = running(conditions=[condition("Ready", "False"), condition("PodScheduled")])
    assert worth(copied, unready)


def test_what_others_say_about_the_local_pod_stays() -> None:
    evicted = condition("DisruptionTarget", reason="EvictionByEvictionAPI")
    here = {**shown(a_remote())}
    here["conditions"] = [*here["conditions"], evicted]
    assert not worth(here, running())
    assert change(here, running(phase="Succeeded")) == {"phase": "Succeeded"}


def test_a_remote_pod_that_is_evicted_disrupts_the_local_one_only_if_it_ends_of_it() -> None:
    """Another remote pod follows one that was deleted there, and knows nothing of that."""
    evicted = condition("DisruptionTarget", reason="EvictionByEvictionAPI")
    goes_on = running(conditions=[condition("Ready"), evicted])
    assert shown(a_remote(goes_on))["conditions"] == [condition("Ready")]
    over = {**goes_on, "phase": "Failed"}
    assert evicted in shown(a_remote(over))["conditions"]


def test_addresses_are_replaced_and_not_added_to() -> None:
    copied = shown(a_remote())
    moved = running(podIP="10.61.0.8", podIPs=[{"ip": "10.61.0.8"}])
    replaced: list[Any] = [{"$patch": "replace"}, {"ip": "10.61.0.8"}]
    assert change(copied, moved) == {"podIP": "10.61.0.8", "podIPs": replaced}
    hosts = change(BOUND, running())["hostIPs"]
    assert hosts == [{"$patch": "replace"}, {"ip": "10.9.9.9"}]


def test_what_is_no_longer_so_is_removed() -> None:
    here = shown(a_remote(running(reason="Evicted", message="too much")))
    here["conditions"].append(condition(ACCEPTED, "False"))
    assert change(here, running()) == {
        "message": None,
        "reason": None,
        "conditions": [{"$patch": "delete", "type": ACCEPTED}],
    }


def test_why_something_was_not_so_is_not_told_once_it_is() -> None:
    waits = {"type": "Ready", "status": "False", "reason": "ContainersNotReady"}
    changes = change({"conditions": [waits]}, {"conditions": [{"type": "Ready", "status": "True"}]})
    assert ready(changes) == {"type": "Ready", "status": "True", "reason": None}


def test_what_the_scheduler_here_said_is_not_removed() -> None:
    back = change(shown(a_remote()), {"phase": "Pending"})
    assert [each["type"] for each in back["conditions"]] == ["ContainersReady", "Ready"]
    assert back["containerStatuses"] is None


def test_P_RACE11_a_first_status_changes_only_what_differs() -> None:
    there = running()
    first = change(BOUND, there)
    assert first["phase"] == "Running"
    assert [each["type"] for each in first["conditions"]] == ["Ready", "ContainersReady"]
    assert cast(PodStatus, first).get("qosClass") is None


LOOK: JSON = {"name": "look", "image": "tools"}
DEBUGGED: JSON = {**SPEC, "ephemeralContainers": [LOOK]}


def debugging(local: Pod, remote: Pod) -> list[JSON]:
    found: list[JSON] = shown(remote, local).get("ephemeralContainerStatuses", [])
    return found


def looks(state: JSON) -> JSON:
    return {"name": "look", "ready": "running" in state, "restartCount": 0, "state": state}


def test_an_ephemeral_container_is_shown_as_it_is_there() -> None:
    runs = looks({"running": {}})
    there = running(ephemeralContainerStatuses=[runs])
    local = a_pod({**BOUND, "ephemeralContainerStatuses": [looks({"waiting": {}})]}, DEBUGGED)
    assert debugging(local, a_remote(there, DEBUGGED)) == [runs]
    assert debugging(local, a_remote(running(), DEBUGGED)) == []  # not told yet
    assert debugging(a_pod(BOUND, DEBUGGED), a_remote(running())) == []  # not there yet


def test_an_ephemeral_container_of_an_earlier_remote_pod_has_ended() -> None:
    killed = {"terminated": {"exitCode": 137, "reason": "RemotePodTerminated"}}
    ran = a_pod({**BOUND, "ephemeralContainerStatuses": [looks({"running": {}})]}, DEBUGGED)
    assert debugging(ran, a_remote()) == [looks(killed)]
    over = looks({"terminated": {"exitCode": 3}})
    ended = a_pod({**BOUND, "ephemeralContainerStatuses": [over]}, DEBUGGED)
    assert debugging(ended, a_remote()) == [over]


def test_who_waits_for_an_ephemeral_container_that_is_refused_is_told_why() -> None:
    remote, local = a_remote(), a_pod(BOUND, DEBUGGED)
    told = with_refused(shown(remote, local), local, "FailedUpdatePod", "too privileged")
    (waits,) = told["ephemeralContainerStatuses"]
    words = {"reason": "FailedUpdatePod", "message": "too privileged"}
    assert waits["state"] == {"waiting": words}
    later = a_pod({**BOUND, "ephemeralContainerStatuses": [waits]}, DEBUGGED)
    assert debugging(later, remote) == []  # it never ran
    assert with_refused(told, local, "FailedUpdatePod", "no") == told
    assert with_refused(shown(remote), a_pod(), "FailedUpdatePod", "no") == shown(remote)


def test_an_ephemeral_container_that_came_too_late_for_its_pod_has_ended() -> None:
    remote = a_remote(**recorded(Made(past=["look"])))
    (late,) = debugging(a_pod(BOUND, DEBUGGED), remote)
    assert late["state"]["terminated"]["reason"] == "RemotePodTerminated"
    assert (late["name"], late["image"], late["ready"]) == ("look", "tools", False)
    again = {**LOOK, "name": "again"}
    both = a_pod(BOUND, {**SPEC, "ephemeralContainers": [LOOK, again]})
    attached = a_remote(
        spec={**SPEC, "ephemeralContainers": [again]}, **recorded(Made(past=["look"]))
    )
    assert debugging(both, attached) == [late]


def test_that_a_later_change_was_observed_is_worth_a_write_and_that_the_first_was_is_not() -> None:
    there = running(observedGeneration=1)
    assert not worth(shown(a_remote()), there)
    assert worth({**shown(a_remote()), "observedGeneration": 2}, there)
    assert not worth({**shown(a_remote()), "observedGeneration": 3}, there)


@pytest.mark.parametrize("known", [0, 2])
def test_what_the_remote_pod_has_not_heard_of_is_not_observed(known: int) -> None:
    observed = {"observedGeneration": known} if known else {}
    remote = a_remote(running(observedGeneration=1, conditions=[condition("Ready")]))
    wanted = with_generation_of(cast(PodStatus, observed), shown(remote))
    assert wanted.get("observedGeneration", 0) == known
    assert wanted["conditions"] == [{**condition("Ready"), **observed}]


def test_a_new_address_of_the_node_goes_with_the_next_change_and_not_alone() -> None:
    moved = replace(SITE, node_ip="10.9.9.8")
    local = a_pod(shown(a_remote(), a_pod()))
    wanted = shown(a_remote(), local, moved)
    assert not is_worth_a_write(local.status, wanted)
    later = shown(a_remote(running(podIP="10.61.0.8")), local, moved)
    assert is_worth_a_write(local.status, later)
    assert patch(local.status, later)["hostIP"] == "10.9.9.8"
