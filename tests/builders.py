"""Objects for tests: whole and ordinary, different only where the test says so."""

from __future__ import annotations

from collections.abc import Mapping

from liqo.api import labels
from liqo.api.authentication import (
    Answer,
    Question,
    ResourceSlice,
    ResourceSliceCondition,
    ResourceSliceSpec,
    ResourceSliceStatus,
)
from liqo.api.kubernetes import Secret
from liqo.api.meta import Key, Meta
from liqo.kube.cache import Caches
from liqo.kube.reading import Metadata
from liqo.runtime.tenants import secrets, tenant_namespaces


def bring(here: Caches, secret: Secret) -> None:
    """As if a watch had brought it; where it lies is the tenant namespace of its peer."""
    home = secret.metadata.namespace
    if tenant_namespaces(here).get(Key("", home)) is None:
        peer = secret.metadata.labels.get(labels.REMOTE_CLUSTER_ID, "")
        marks = {labels.REMOTE_CLUSTER_ID: peer} if peer else {}
        metadata = Meta(name=home, resource_version="1", labels=marks)
        tenant_namespaces(here).take(Metadata(metadata=metadata))
    secrets(here).take(secret)


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
