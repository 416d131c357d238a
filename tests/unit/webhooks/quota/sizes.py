"""Pods of some size, claims and quotas, for the tests of quotas."""

from __future__ import annotations

from typing import Any

import msgspec

from liqo.api.meta import JSON, Meta
from liqo.api.offloading import Enforcement, Quota, QuotaSpec
from liqo.api.sizes import PodSize, ShadowPhase, ShadowSize, SizedShadowPod, size_of
from liqo.webhooks.quota.claim import Claim

USER = "mypool-c34af51dd912"


def a_container(name: str = "web", limits: JSON | None = None, **requests: str) -> JSON:
    return {"name": name, "resources": {"requests": requests, "limits": limits or {}}}


def a_pod(*containers: JSON, **more: Any) -> PodSize:
    return size_of(msgspec.json.encode({"containers": list(containers), **more}))


def taking(**requests: str) -> PodSize:
    return a_pod(a_container("web", None, **requests))


def a_claim(pod: PodSize, name: str = "web-0", user: str = USER, **more: Any) -> Claim:
    given: dict[str, Any] = {"uid": f"uid of {name}", **more}
    return Claim(namespace="shop-rome", name=name, user=user, pod=pod, **given)


def a_quota(
    level: Enforcement | None = None, *, user: str = USER, cordoned: bool = False, **resources: str
) -> Quota:
    return Quota(
        metadata=Meta(name=user, namespace="liqo-tenant-rome"),
        spec=QuotaSpec(
            user=user, resources=dict(resources), limits_enforcement=level, cordoned=cordoned
        ),
    )


def a_shadow(
    pod: PodSize,
    name: str = "web-0",
    user: str = USER,
    *,
    phase: str = "",
    observed: int = 0,
    **more: Any,
) -> SizedShadowPod:
    """As it is stored."""
    given: dict[str, Any] = {"uid": f"uid of {name}", "resource_version": "7", **more}
    return SizedShadowPod(
        metadata=Meta(
            name=name, namespace="shop-rome", labels={"liqo.io/creator-user": user}, **given
        ),
        spec=ShadowSize(pod=pod),
        status=ShadowPhase(phase=phase, observed_generation=observed)
        if phase or observed
        else None,
    )
