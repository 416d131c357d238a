"""`/pods` and `/runningpods/`: the pods of this node, as they are at home."""

from __future__ import annotations

from collections.abc import Iterable
from http import HTTPStatus

import msgspec
from msgspec import to_builtins

from liqo.api.kubernetes import Pod
from liqo.api.meta import JSON
from liqo.kubelet.api.answer import JSON_TYPE, Answer


def answer(pods: Iterable[Pod]) -> Answer:
    return Answer(HTTPStatus.OK, msgspec.json.encode(listed(pods)), JSON_TYPE)


def listed(pods: Iterable[Pod]) -> JSON:
    items = [
        {
            "metadata": to_builtins(pod.metadata),
            "spec": pod.raw_spec,
            "status": pod.raw_status,
        }
        for pod in pods
    ]
    return {"kind": "PodList", "apiVersion": "v1", "metadata": {}, "items": items}
