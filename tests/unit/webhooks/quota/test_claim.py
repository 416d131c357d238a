"""What is told of a ShadowPod to the one that decides."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import msgspec
import pytest

from liqo.api.meta import JSON, Key, Meta
from liqo.api.offloading import ShadowPod, ShadowPodSpec, ShadowPodStatus
from liqo.webhooks.quota.claim import Claim, claimed, ruling, verdict_of
from liqo.webhooks.review import ALLOW, Deny, Request, Verdict
from tests.unit.webhooks.quota.sizes import USER, a_claim, a_container, taking
from tests.unit.webhooks.reviews.questions import creation, update

SMALL: JSON = {"containers": [a_container(cpu="1")]}
LARGE: JSON = {"containers": [a_container(cpu="2")]}


def a_shadow(pod: JSON, end_within: str = "", **more: Any) -> ShadowPod:
    metadata = Meta(
        name="web-0",
        namespace="shop-rome",
        uid="uid of web-0",
        labels={"liqo.io/creator-user": USER},
        annotations={"offloading.liqo.io/end-within": end_within} if end_within else {},
    )
    raw = msgspec.Raw(msgspec.json.encode(pod))
    return ShadowPod(metadata=metadata, spec=ShadowPodSpec(raw_pod=raw), **more)


def test_a_new_one_claims_its_size() -> None:
    claim = claimed(creation(a_shadow(SMALL)))
    assert claim == a_claim(taking(cpu="1"))
    assert claim.key == Key("shop-rome", "web-0")


def test_one_that_says_not_whose_it_is_is_nobodys() -> None:
    claim = claimed(creation(ShadowPod(metadata=Meta(name="web-0", namespace="shop-rome"))))
    assert claim is not None
    assert claim.user == ""


def test_one_that_is_made_to_end_a_pod_claims_nothing_unless_it_could_become_one() -> None:
    assert claimed(creation(a_shadow({}, end_within="2"))) is None
    assert claimed(creation(a_shadow(SMALL, end_within="2"))) == a_claim(taking(cpu="1"))
    assert claimed(creation(a_shadow({}))) is not None


def test_what_is_only_tried_says_so() -> None:
    claim = claimed(replace(creation(a_shadow(SMALL)), is_dry_run=True))
    assert claim is not None
    assert claim.is_dry_run


def test_another_size_is_claimed_as_a_change() -> None:
    claim = claimed(update(a_shadow(SMALL), a_shadow(LARGE)))
    assert claim == a_claim(taking(cpu="2"), is_change=True)


@pytest.mark.parametrize(
    "request_",
    [
        update(a_shadow(SMALL), a_shadow(SMALL)),
        update(a_shadow(SMALL), a_shadow({**SMALL, "activeDeadlineSeconds": 5})),
        update(a_shadow(SMALL, status=ShadowPodStatus(phase="Succeeded")), a_shadow(LARGE)),
        update(a_shadow(SMALL, status=ShadowPodStatus(phase="Failed")), a_shadow(LARGE)),
    ],
)
def test_a_change_of_the_same_size_or_of_one_that_ended_claims_nothing(
    request_: Request[ShadowPod],
) -> None:
    assert claimed(request_) is None


def test_a_claim_travels_as_it_is() -> None:
    claim = a_claim(taking(cpu="1", memory="1Gi"), is_change=True, is_dry_run=True)
    assert msgspec.json.decode(msgspec.json.encode(claim), type=Claim) == claim


@pytest.mark.parametrize("verdict", [ALLOW, Deny("user is cordoned"), Deny("no quantity", 400)])
def test_so_does_the_answer(verdict: Verdict) -> None:
    assert verdict_of(ruling(verdict)) == verdict
