"""delete resourceslice and virtualnode: the one that is meant, and nothing of anybody else."""

from __future__ import annotations

import pytest

from liqo.cli.delete.verbs import resourceslice, virtualnode
from liqo.errors import LiqoError
from tests.unit.cli.answers import a_slice, thing, things
from tests.unit.cli.calling import called
from tests.unit.kube.scripted import a_watch

COPY = {
    "metadata": {
        "name": "mypool",
        "namespace": "liqo-tenant-rome",
        "labels": {"liqo.io/replicated": "true", "liqo.io/originID": "rome"},
    }
}
NODE = {"metadata": {"name": "mynode", "namespace": "liqo-tenant-milan", "finalizers": ["f"]}}


async def test_a_slice_of_ours_is_deleted_and_its_end_awaited(
    capsys: pytest.CaptureFixture[str],
) -> None:
    requests = await called(resourceslice, "mypool", things(a_slice(), COPY), thing({}), things())
    assert requests[1].method == "DELETE"
    assert requests[1].path.endswith("/namespaces/liqo-tenant-milan/resourceslices/mypool")
    assert capsys.readouterr().err == "Deleting ResourceSlice\nINFO: ResourceSlice deleted\n"


async def test_a_slice_of_a_consumer_is_not_ours_to_delete() -> None:
    with pytest.raises(LiqoError, match='there is no ResourceSlice "mypool" of this cluster'):
        await called(resourceslice, "mypool", things(COPY))


async def test_a_virtual_node_is_deleted(capsys: pytest.CaptureFixture[str]) -> None:
    await called(virtualnode, "mynode", things(NODE), thing({}), things())
    assert capsys.readouterr().err == "Deleting virtual node\nINFO: Virtual node deleted\n"


async def test_of_two_namesakes_none_is_deleted() -> None:
    other = {"metadata": {**NODE["metadata"], "namespace": "a"}}
    with pytest.raises(LiqoError, match="in each of a, liqo-tenant-milan; choose with --namespace"):
        await called(virtualnode, "mynode", things(NODE, other))


async def test_one_that_is_nowhere_is_told_with_the_place_that_was_meant() -> None:
    with pytest.raises(LiqoError, match='no VirtualNode "mynode" in the namespace "a"'):
        await called(virtualnode, "mynode -n a", things())


async def test_a_finalizer_that_does_not_let_go_is_named() -> None:
    script = (things(NODE), thing({}), things(NODE), a_watch(stays=True))
    with pytest.raises(LiqoError, match="its finalizers have not let go: f"):
        await called(virtualnode, "mynode --timeout 1s", *script)
