"""A cluster of the playground is a complete one: kubectl, Services, names, volumes, metrics."""

import asyncio
import json
import re
from functools import partial
from pathlib import Path
from typing import Any

from liqo.playground import node
from liqo.playground.cluster import Site
from liqo.playground.images import DEMO, HELPER
from tests.e2e.eventually import eventually
from tests.e2e.kubectl import talking


def a_pod(name: str, site: Site, index: int = 0, image: str = HELPER, **spec: Any) -> str:
    command = {} if image == DEMO else {"command": ["sleep", "3600"]}
    container = {"name": "only", "image": image, **command, **spec.pop("container", {})}
    return json.dumps(
        {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {"name": name, "labels": {"app": name}},
            "spec": {
                "nodeName": site.cluster.nodes[index].name,
                "terminationGracePeriodSeconds": 0,
                "containers": [container],
                **spec,
            },
        }
    )


async def run_pod(site: Site, namespace: str, manifest: str) -> str:
    """Its address, once it is Ready."""
    name = json.loads(manifest)["metadata"]["name"]
    apply = partial(site.kubectl, "-n", namespace, "apply", "-f", "-", text=manifest)
    await eventually(apply, bool)  # refused until the namespace has a ServiceAccount
    ready = ("wait", "--for=condition=Ready", f"pod/{name}", "--timeout=180s")
    await site.kubectl("-n", namespace, *ready)
    return await site.kubectl("-n", namespace, "get", "pod", name, "-o", "jsonpath={.status.podIP}")


async def get(site: Site, namespace: str, address: str) -> str:
    """What an HTTP server says to a pod; busybox's own client cannot resolve names."""
    request = f"printf 'GET / HTTP/1.0\\r\\n\\r\\n' | nc -w 5 {address} 8080"
    return await site.kubectl("-n", namespace, "exec", "tools", "--", "sh", "-c", request)


async def is_answered(site: Site, namespace: str, address: str) -> None:
    """A server listens a moment after its container has started."""
    await eventually(partial(get, site, namespace, address), lambda said: "200 OK" in said)


async def test_kubectl_works_on_pods(rome: Site, namespace: str, tmp_path: Path) -> None:
    talk = {
        "command": ["sh", "-c", "echo started; while read line; do echo got $line; done; sleep 9"]
    }
    manifest = a_pod("tools", rome, container={**talk, "stdin": True})
    await run_pod(rome, namespace, manifest)
    in_namespace = ("-n", namespace)
    await eventually(partial(rome.kubectl, *in_namespace, "logs", "tools"), is_="started\n")
    told = await rome.kubectl(*in_namespace, "exec", "-i", "tools", "--", "cat", text="a word")
    assert told == "a word"
    # Its end is not ours to wait for: containerd misses one that comes while it begins.
    async with talking(rome, "attach", *in_namespace, "-i", "tools") as attached:
        await attached.say("hello\n")
        await attached.until("got hello")
    (tmp_path / "file").write_text("content")
    await rome.kubectl(*in_namespace, "cp", str(tmp_path / "file"), "tools:/tmp/file")
    assert await rome.kubectl(*in_namespace, "exec", "tools", "--", "cat", "/tmp/file") == "content"


async def test_port_forward_reaches_a_pod(rome: Site, namespace: str) -> None:
    await run_pod(rome, namespace, a_pod("web", rome, image=DEMO))
    page = f"/api/v1/namespaces/{namespace}/pods/web:8080/proxy/"
    await eventually(partial(rome.kubectl, "get", "--raw", page), bool)  # somebody listens there
    forward = await asyncio.create_subprocess_exec(
        *(str(rome.executables["kubectl"]), f"--kubeconfig={rome.kubeconfig}", "-n", namespace),
        *("port-forward", "pod/web", ":8080"),
        stdout=asyncio.subprocess.PIPE,
    )
    try:
        assert forward.stdout is not None
        line = (await forward.stdout.readline()).decode()
        found = re.search(r"127\.0\.0\.1:(\d+)", line)
        assert found, line
        reader, writer = await asyncio.open_connection("127.0.0.1", int(found[1]))
        writer.write(b"GET / HTTP/1.0\r\n\r\n")
        assert b"200 OK" in await reader.readline()
        writer.close()
    finally:
        forward.terminate()
        await forward.wait()


async def test_services_and_names_work_between_pods_and_from_nodes(
    rome: Site, namespace: str
) -> None:
    await run_pod(rome, namespace, a_pod("web", rome, index=1, image=DEMO))
    await run_pod(rome, namespace, a_pod("tools", rome, index=0))
    await rome.kubectl("-n", namespace, "expose", "pod", "web", "--port=8080")
    where = ("get", "service", "web", "-o", "jsonpath={.spec.clusterIP}")
    address = await rome.kubectl("-n", namespace, *where)
    full = f"web.{namespace}.svc.cluster.local"
    await is_answered(rome, namespace, address)
    find = partial(rome.kubectl, "-n", namespace, "exec", "tools", "--", "nslookup", full)
    await eventually(find, lambda found: f"Address: {address}" in found)
    script = (
        f"import urllib.request as u; print(u.urlopen('http://{full}:8080/', timeout=5).status)"
    )
    for member in rome.cluster.nodes:
        await eventually(partial(node.inside, member, "python3", "-c", script), is_="200\n")


async def test_pods_of_two_nodes_and_of_two_flat_clusters_reach_each_other(
    rome: Site, milan: Site, namespace: str
) -> None:
    near = await run_pod(rome, namespace, a_pod("web", rome, index=1, image=DEMO))
    far = await run_pod(milan, namespace, a_pod("web", milan, index=1, image=DEMO))
    await run_pod(rome, namespace, a_pod("tools", rome, index=0))
    await is_answered(rome, namespace, near)
    await is_answered(rome, namespace, far)


async def test_a_volume_is_provisioned_and_keeps_what_is_written(
    rome: Site, namespace: str
) -> None:
    claim = {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": {"name": "disk"},
        "spec": {
            "accessModes": ["ReadWriteOnce"],
            "resources": {"requests": {"storage": "1Mi"}},
        },
    }
    await rome.kubectl("-n", namespace, "apply", "-f", "-", text=json.dumps(claim))
    volume = {"name": "disk", "persistentVolumeClaim": {"claimName": "disk"}}
    mounted = {"volumeMounts": [{"name": "disk", "mountPath": "/disk"}]}
    spec: dict[str, Any] = {"nodeName": None, "volumes": [volume], "container": mounted}
    await run_pod(rome, namespace, a_pod("tools", rome, **spec))
    write = "echo kept > /disk/file"
    await rome.kubectl("-n", namespace, "exec", "tools", "--", "sh", "-c", write)
    await rome.kubectl("-n", namespace, "delete", "pod", "tools")
    await run_pod(rome, namespace, a_pod("tools", rome, **spec))
    kept = await rome.kubectl("-n", namespace, "exec", "tools", "--", "cat", "/disk/file")
    assert kept == "kept\n"


async def test_metrics_are_served(rome: Site) -> None:
    async def top() -> str:
        return await rome.kubectl("top", "node", "--no-headers")

    shown = await eventually(top, lambda said: len(said.splitlines()) == 2, within=120)
    assert {line.split()[0] for line in shown.splitlines()} == {
        member.name for member in rome.cluster.nodes
    }


async def test_a_cluster_describes_itself(rome: Site) -> None:
    told = await rome.kubectl("get", "configmap", "-n", "kube-system", "playground", "-o", "json")
    assert json.loads(told)["data"]["server"] == rome.cluster.server
