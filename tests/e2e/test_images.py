"""The images made here run on a real node, as an ordinary user and on a read-only file system."""

import json
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Protocol

from liqo.playground.images import DEMO, HELPER, names, product
from tests.e2e.eventually import eventually

CHECKOUT = Path(__file__).parents[2]
CONFINED = {
    "runAsNonRoot": True,
    "readOnlyRootFilesystem": True,
    "allowPrivilegeEscalation": False,
    "capabilities": {"drop": ["ALL"]},
}


class Cluster(Protocol):
    """What these tests ask of a playground's cluster."""

    async def kubectl(self, *arguments: str, text: str = "") -> str: ...

    async def load(self, archive: Path) -> None: ...


def a_pod(name: str, image: str, **container: Any) -> dict[str, Any]:
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name},
        "spec": {
            "restartPolicy": "Never",
            "containers": [
                {"name": "only", "image": image, "securityContext": CONFINED, **container}
            ],
        },
    }


async def apply(cluster: Cluster, pod: Mapping[str, Any], until: str) -> None:
    await cluster.kubectl("apply", "-f", "-", text=json.dumps(pod))
    condition = f"--for=jsonpath={{.status.phase}}={until}"
    await cluster.kubectl("wait", condition, f"pod/{pod['metadata']['name']}", "--timeout=180s")


async def said_by(cluster: Cluster, name: str, image: str, command: Sequence[str]) -> str:
    """What a pod prints that runs one command to its end."""
    await apply(cluster, a_pod(name, image, command=list(command)), until="Succeeded")
    printed = await cluster.kubectl("logs", name)
    await cluster.kubectl("delete", "pod", name, "--now")
    return printed


async def test_the_product_needs_no_root_and_writes_nothing(rome: Cluster) -> None:
    archive = await product(CHECKOUT, print)
    await rome.load(archive)
    program = "import os, liqo, aiohttp, cryptography.x509, msgspec, uvloop; print(os.getuid())"
    for name in names(archive):
        assert await said_by(rome, "product", name, ["python3", "-c", program]) == "65532\n"


async def test_the_product_brings_its_command(rome: Cluster) -> None:
    archive = await product(CHECKOUT, print)
    await rome.load(archive)
    told = await said_by(rome, "command", names(archive)[0], ["liqoctl", "--help"])
    assert told.startswith("Usage: liqoctl ")


async def test_the_demo_says_where_it_runs(rome: Cluster) -> None:
    places = {"NODE_NAME": "spec.nodeName", "POD_NAME": "metadata.name"}
    told = [
        {"name": name, "valueFrom": {"fieldRef": {"fieldPath": path}}}
        for name, path in places.items()
    ]
    pod = a_pod("demo", DEMO, env=[{"name": "CLUSTER_NAME", "value": "rome"}, *told])
    await apply(rome, pod, until="Running")
    node = await rome.kubectl("get", "pod", "demo", "-o", "jsonpath={.spec.nodeName}")
    page = "/api/v1/namespaces/default/pods/demo:8080/proxy/json"
    # It listens a moment after its container has started.
    answer = json.loads(await eventually(partial(rome.kubectl, "get", "--raw", page), bool))
    assert (answer["cluster"], answer["node"], answer["pod"]) == ("rome", node, "demo")
    await eventually(partial(rome.kubectl, "logs", "demo"), lambda log: "GET /json" in log)
    await rome.kubectl("delete", "pod", "demo", "--wait")


async def test_the_helper_has_a_shell_and_the_usual_tools(rome: Cluster) -> None:
    confined = {**CONFINED, "runAsUser": 65532}
    pod = a_pod("tools", HELPER, command=["sleep", "600"], securityContext=confined)
    await apply(rome, pod, until="Running")
    script = "id -un; ls /bin/nc; echo told | cat"
    printed = await rome.kubectl("exec", "tools", "--", "sh", "-c", script)
    assert printed.split() == ["nonroot", "/bin/nc", "told"]
    await rome.kubectl("delete", "pod", "tools", "--now")
