"""ForeignCluster: everything of a peer is found by one label, and so is this."""

from __future__ import annotations

from liqo.api import labels
from liqo.api.core import ForeignCluster
from liqo.webhooks.review import ALLOW, Patch, Request, Verdict


def mutate(request: Request[ForeignCluster], _: None) -> Verdict:
    asked = request.object
    if asked.metadata.labels.get(labels.REMOTE_CLUSTER_ID) == asked.spec.cluster_id:
        return ALLOW
    return Patch({"metadata": {"labels": {labels.REMOTE_CLUSTER_ID: asked.spec.cluster_id}}})
