"""What a quota allows, word for word."""

from __future__ import annotations

import pytest

from liqo.api.meta import JSON
from liqo.api.offloading import Enforcement, Quota
from liqo.api.sizes import PodSize
from liqo.rules.usage import amounts
from liqo.webhooks.quota.claim import Claim
from liqo.webhooks.quota.decision import check, fit
from liqo.webhooks.review import Deny
from tests.unit.webhooks.quota.sizes import USER, a_claim, a_container, a_pod, a_quota, taking

POD = taking(cpu="1")
EQUAL: JSON = {"cpu": "1", "memory": "1Gi"}
ROOM = a_quota(cpu="2", memory="4Gi")


def reason(verdict: Deny | None) -> str:
    return verdict.reason if verdict else ""


@pytest.mark.parametrize(
    ("claim", "quota", "said"),
    [
        (a_claim(POD, user=""), ROOM, "missing creator label: nobody knows whose quota counts"),
        (a_claim(POD), None, f'failed getting quota: there is none of the user "{USER}"'),
        (
            a_claim(POD),
            a_quota(cpu="2", cordoned=True),
            f'user is cordoned: the Quota "liqo-tenant-rome/{USER}" takes no more pods until it '
            "is uncordoned",
        ),
        (a_claim(a_pod()), ROOM, "ShadowPod web-0 has no containers defined"),
        (a_claim(POD), ROOM, ""),
    ],
)
def test_a_new_one_needs_a_quota_that_is_open(claim: Claim, quota: Quota | None, said: str) -> None:
    assert reason(check(claim, quota)) == said


@pytest.mark.parametrize("quota", [None, a_quota(cpu="2", cordoned=True)])
def test_of_a_change_only_its_size_is_asked(quota: Quota | None) -> None:
    assert check(a_claim(POD, is_change=True), quota) is None


@pytest.mark.parametrize(
    ("pod", "where"),
    [
        (taking(cpu="abc"), 'spec.pod.containers[0].resources.requests: "abc" of cpu is not a'),
        (taking(cpu="-1"), 'spec.pod.containers[0].resources.requests: "-1" of cpu is less than'),
        (
            a_pod(a_container(limits={"memory": "1x"})),
            'spec.pod.containers[0].resources.limits: "1x" of memory is not a',
        ),
        (
            a_pod(a_container(), initContainers=[a_container("a"), a_container("b", cpu="9Ei")]),
            'spec.pod.initContainers[1].resources.requests: "9Ei" of cpu is more than',
        ),
        (
            a_pod(a_container(), resources={"requests": {"cpu": "1.1.1"}}),
            'spec.pod.resources.requests: "1.1.1" of cpu is not a',
        ),
        (
            a_pod(a_container(), overhead={"cpu": "-1m"}),
            'spec.pod.overhead: "-1m" of cpu is less than',
        ),
    ],
)
@pytest.mark.parametrize("is_change", [False, True])
def test_a_quantity_that_is_none_is_refused(pod: PodSize, where: str, is_change: bool) -> None:
    refused = check(a_claim(pod, is_change=is_change), ROOM)
    assert refused is not None
    assert refused.reason.startswith(where)
    assert refused.code == 400


@pytest.mark.parametrize(
    ("level", "pod", "said"),
    [
        (None, a_pod(a_container()), ""),
        ("None", a_pod(a_container()), ""),
        ("Soft", taking(cpu="1"), "CPU and/or memory requests not set for container web"),
        ("Soft", taking(memory="1Gi"), "CPU and/or memory requests not set for container web"),
        (
            "Soft",
            a_pod(a_container(cpu="1", memory="1Gi"), initContainers=[a_container("first")]),
            "CPU and/or memory requests not set for initContainer first",
        ),
        ("Soft", taking(cpu="1", memory="1Gi"), ""),
        ("Hard", taking(cpu="1"), "CPU and/or memory requests not set for container web"),
        (
            "Hard",
            a_pod(a_container(limits={"cpu": "2"}, cpu="1", memory="1Gi")),
            "cpu limits and requests are not equal for container web",
        ),
        (
            "Hard",
            a_pod(a_container(limits={"cpu": "1000m"}, cpu="1", memory="1Gi")),
            "memory limits and requests are not equal for container web",
        ),
        ("Hard", a_pod(a_container(limits=EQUAL, cpu="1", memory="1Gi")), ""),
        ("Hard", a_pod(a_container(limits=EQUAL)), ""),
    ],
)
@pytest.mark.parametrize("is_change", [False, True])
def test_how_much_a_pod_must_say_is_a_matter_of_the_level(
    level: Enforcement | None, pod: PodSize, said: str, is_change: bool
) -> None:
    claim = a_claim(pod, is_change=is_change)
    assert reason(check(claim, a_quota(level, cpu="2", memory="4Gi"))) == said


@pytest.mark.parametrize(
    ("used", "more", "said"),
    [
        ({}, {"cpu": "1500m", "memory": "1Gi"}, ""),
        ({}, {"cpu": "2", "memory": "4Gi"}, ""),
        (
            {"cpu": "1500m", "memory": "1Gi"},
            {"cpu": "600m"},
            "peering cpu quota usage exceeded - free 500m / requested 600m (of 2 in all)",
        ),
        (
            {"memory": "3Gi"},
            {"memory": "1025Mi"},
            "peering memory quota usage exceeded - free 1Gi / requested 1025Mi (of 4Gi in all)",
        ),
        (
            {},
            {"nvidia.com/gpu": "1"},
            "nvidia.com/gpu quota limit not found for this peering - free 0 / requested 1",
        ),
        (
            {},
            {"ephemeral-storage": "1024Mi"},
            "ephemeral-storage quota limit not found for this peering - free 0 / requested 1Gi",
        ),
        ({}, {"nvidia.com/gpu": "0"}, ""),
        ({}, {"pods": "1"}, ""),
        # A quota that shrank: what runs stays, and nothing is free.
        (
            {"cpu": "3"},
            {"cpu": "1m"},
            "peering cpu quota usage exceeded - free 0 / requested 1m (of 2 in all)",
        ),
        ({"cpu": "3"}, {"cpu": "-1"}, ""),
    ],
)
def test_what_does_not_fit_says_what_is_free(used: JSON, more: JSON, said: str) -> None:
    assert reason(fit(ROOM, amounts(used), amounts(more))) == said


def test_pods_are_counted_where_the_quota_names_them() -> None:
    quota = a_quota(pods="2")
    assert fit(quota, amounts({"pods": 1}), amounts({"pods": 1})) is None
    refused = fit(quota, amounts({"pods": 2}), amounts({"pods": 1}))
    said = "peering pods quota usage exceeded - free 0 / requested 1 (of 2 in all)"
    assert reason(refused) == said


def test_without_a_quota_nothing_grows() -> None:
    refused = fit(None, {}, amounts({"cpu": "1"}))
    assert reason(refused) == "cpu quota limit not found for this peering - free 0 / requested 1"
    assert fit(None, {}, amounts({"cpu": "-1"})) is None
