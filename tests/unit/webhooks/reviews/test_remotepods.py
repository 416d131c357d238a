"""Remote pods lose the list of who wrote what, and nothing else."""

from __future__ import annotations

import json
from base64 import b64decode

from liqo.api.kubernetes import Pod
from liqo.webhooks.review import Review, nothing
from liqo.webhooks.reviews.remotepods import mutate
from liqo.webhooks.server import answer_to
from tests.unit.webhooks.reviews.questions import Told


def question(**metadata: object) -> bytes:
    pod = {"metadata": {"name": "web-0", "namespace": "shop", **metadata}, "spec": {"x": 1}}
    return json.dumps({"request": {"uid": "u", "operation": "CREATE", "object": pod}}).encode()


async def test_the_list_is_emptied_whether_or_not_it_is_there() -> None:
    for metadata in ({}, {"managedFields": [{"manager": "shadow-pod"}]}):
        answer = await answer_to(Review(Pod, nothing, mutate), Told(), question(**metadata))
        patch = json.loads(b64decode(answer["response"]["patch"]))
        assert patch == [{"op": "add", "path": "/metadata/managedFields", "value": []}]
