"""A node of the provider stops answering: pods that it should end are let go, and run elsewhere."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from liqo.api.kubernetes import Node, Pod
from liqo.api.meta import Key, Kind
from liqo.api.offloading import ShadowPod
from liqo.kube.errors import NotFound
from tests.e2e.asked import Asked, a_kubeconfig, asked, unique
from tests.e2e.control_plane import Service
from tests.e2e.eventually import eventually

BINDING = Kind("", "v1", "Binding", "bindings")


@pytest.fixture
async def milan(tmp_path: Path) -> AsyncIterator[Asked]:
    """A provider that gives up nodes, and has no kubelets: a node is what is written about it."""
    async with asked(tmp_path) as made:
        kubeconfig = tmp_path / "admin.kubeconfig"
        kubeconfig.write_text(a_kubeconfig(made.plane.access("admin", "system:masters")))
        flags = ["--cluster-id=milan", f"--kubeconfig={kubeconfig}", "--networking-enabled=false"]
        flags.append("--enable-node-failure-controller")
        program = [sys.executable, "-m", "liqo.programs.controllers", *flags]
        controllers = Service(program, tmp_path / "controllers.log")
        await controllers.start()
        try:
            yield made
        finally:
            await controllers.kill()


async def say(milan: Asked, node: str, ready: str) -> None:
    status = {"conditions": [{"type": "Ready", "status": ready}]}
    await milan.admin.patch(
        Node.KIND, Key("", node), {"status": status}, how="merge", subresource="status"
    )


async def bind(milan: Asked, pod: Key, node: str) -> None:
    body = {
        "apiVersion": "v1",
        "kind": "Binding",
        "metadata": {"name": pod.name, "namespace": pod.namespace},
        "target": {"apiVersion": "v1", "kind": "Node", "name": node},
    }
    await milan.admin.create(body, kind=BINDING, namespace=pod.namespace)


async def test_a_pod_that_a_lost_node_cannot_end_is_made_anew(milan: Asked) -> None:
    node, rome = unique("node"), unique("rome")
    key = Key(await milan.offloaded_namespace(rome), unique("web"))
    await milan.put(Node.KIND, {"metadata": {"name": node}})
    await say(milan, node, "True")
    shadow = {
        "metadata": {
            "name": key.name,
            "namespace": key.namespace,
            "labels": {"offloading.liqo.io/origin": rome},
        },
        "spec": {"pod": {"containers": [{"name": "web", "image": "web"}]}},
    }
    await milan.put(ShadowPod.KIND, shadow)

    async def the_pod() -> Pod | None:
        try:
            return await milan.admin.get(Pod, key)
        except NotFound:
            return None

    first = await eventually(the_pod, lambda pod: pod is not None)
    assert first is not None
    await bind(milan, key, node)
    await milan.admin.delete(Pod.KIND, key)
    ending = await the_pod()
    assert ending is not None
    assert (ending.metadata.uid, bool(ending.metadata.deletion_timestamp)) == (
        first.metadata.uid,
        True,
    )
    await say(milan, node, "Unknown")
    second = await eventually(
        the_pod, lambda pod: pod is not None and pod.metadata.uid != first.metadata.uid
    )
    assert second is not None
    assert second.metadata.deletion_timestamp is None
