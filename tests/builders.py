"""Objects for tests: whole and ordinary, different only where the test says so."""

from __future__ import annotations

from collections.abc import Mapping

from liqo.api.authentication import (
    Answer,
    Question,
    ResourceSlice,
    ResourceSliceCondition,
    ResourceSliceSpec,
    ResourceSliceStatus,
)
from liqo.api.meta import Meta


def a_slice(
    *,
    authentication: Answer | None = None,
    resources: Answer | None = None,
    annotations: Mapping[str, str] | None = None,
) -> ResourceSlice:
    """What rome asks of milan."""
    answers: dict[Question, Answer | None] = {
        "Authentication": authentication,
        "Resources": resources,
    }
    conditions = tuple(
        ResourceSliceCondition(type=question, status=answer)
        for question, answer in answers.items()
        if answer is not None
    )
    return ResourceSlice(
        metadata=Meta(
            name="mypool", namespace="liqo-tenant-milan", annotations=dict(annotations or {})
        ),
        spec=ResourceSliceSpec(consumer_cluster_id="rome", provider_cluster_id="milan"),
        status=ResourceSliceStatus(conditions=conditions),
    )
