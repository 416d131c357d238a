"""A namespace is opened when the API server is seen to ask about it."""

from datetime import UTC, datetime

import msgspec

from liqo.api.meta import Meta
from liqo.api.offloading import NamespaceOffloading, NamespaceOffloadingSpec
from liqo.kube.cluster import Cluster
from liqo.webhooks.opening import Opener
from liqo.webhooks.review import Request
from liqo.webhooks.reviews.namespaceoffloadings import SEEN
from tests.unit.kube.scripted import refuses, says, scripted
from tests.unit.webhooks.reviews.questions import ADMIN

WANTED = NamespaceOffloading(
    metadata=Meta(name="offloading", namespace="shop"), spec=NamespaceOffloadingSpec()
)
ASKED = Request("CREATE", ADMIN, WANTED)


async def test_it_is_labelled_and_then_tried_until_we_are_asked() -> None:
    not_yet = refuses(403, "NamespaceOffloading name must match offloading")
    script = (says({"metadata": {}}), not_yet, says({}), refuses(403, f"denied: {SEEN}"))
    async with scripted(*script) as server, Cluster(server.access) as cluster:
        await Opener(cluster, lambda: datetime(2026, 11, 16, 12, 0, tzinfo=UTC))(ASKED)
    label, *tries = server.asked
    assert (label.method, label.path) == ("PATCH", "/api/v1/namespaces/shop")
    change = msgspec.json.decode(label.body)["metadata"]
    assert change["labels"] == {"liqo.io/scheduling-enabled": "true"}
    assert change["annotations"] == {
        "offloading.liqo.io/opened": "LocalAndRemote since 2026-11-16T12:00:00Z"
    }
    where = "/apis/offloading.liqo.io/v1beta1/namespaces/shop/namespaceoffloadings?dryRun=All"
    assert [(each.method, each.path) for each in tries] == [("POST", where)] * 3
    assert msgspec.json.decode(tries[0].body)["metadata"]["name"] == "offloading-probe"


async def test_a_cluster_that_does_not_answer_is_not_waited_for_for_ever() -> None:
    async with scripted() as server, Cluster(server.access) as cluster:
        await Opener(cluster, patience=0.01)(ASKED)


async def test_a_namespace_that_cannot_be_labelled_keeps_nobody_waiting() -> None:
    async with scripted(refuses(403)) as server, Cluster(server.access) as cluster:
        await Opener(cluster)(ASKED)
    assert len(server.asked) == 1


async def test_what_is_only_tried_changes_nothing() -> None:
    async with scripted() as server, Cluster(server.access) as cluster:
        await Opener(cluster)(Request("CREATE", ADMIN, WANTED, is_dry_run=True))
        await Opener(cluster)(Request("UPDATE", ADMIN, WANTED, WANTED))
    assert server.asked == []
