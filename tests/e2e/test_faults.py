"""What is broken on purpose breaks, and recovers with its objects."""

import base64
import json
from datetime import UTC, datetime
from functools import partial

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding

from liqo.playground import cluster, faults, links, node
from liqo.playground.cluster import Site
from liqo.playground.errors import PlaygroundError
from liqo.playground.images import HELPER
from liqo.playground.layout import Node
from liqo.rules import certificates
from tests.e2e.conftest import SIGNING
from tests.e2e.eventually import eventually


async def reach(source: Node, target: Site, seconds: float = 2) -> float:
    """Seconds until the API server of the other cluster has taken a connection."""
    address = target.cluster.control_plane.address
    script = (
        "import socket, time; start = time.monotonic();"
        f"socket.create_connection(('{address}', 6443), timeout={seconds}).close();"
        "print(time.monotonic() - start)"
    )
    return float(await node.inside(source, "python3", "-c", script))


async def test_a_cut_link_carries_nothing_until_it_is_healed(breakable: list[Site]) -> None:
    rome, milan = breakable
    source = rome.cluster.control_plane
    await reach(source, milan)
    await links.cut(rome.layout, "rome", "milan")
    try:
        with pytest.raises(PlaygroundError, match="timed out"):
            await reach(source, milan)
        with pytest.raises(PlaygroundError, match="timed out"):
            await reach(milan.cluster.control_plane, rome)
        await reach(source, rome)
    finally:
        await links.heal(rome.layout, "rome", "milan")
    await reach(source, milan)


async def test_a_slow_link_is_slow_until_it_is_healed(breakable: list[Site]) -> None:
    rome, milan = breakable
    source = rome.cluster.control_plane
    await links.slow_down(rome.layout, "rome", "milan", 0.2)
    try:
        assert await reach(source, milan, seconds=10) >= 0.4  # there and back
        await eventually(partial(reach, source, rome), is_quick)
    finally:
        await links.heal(rome.layout, "rome", "milan")
    await eventually(partial(reach, source, milan), is_quick)


def is_quick(seconds: float) -> bool:
    """A link that is slow never is; on a machine that is busy, others are not every time."""
    return seconds < 0.4


async def test_a_slow_link_is_slow_for_pods_too(breakable: list[Site]) -> None:
    """Their packets leave with the node's address, and answers must find the way back to them."""
    rome, milan = breakable
    pod = {"spec": {"nodeName": "rome", "terminationGracePeriodSeconds": 0}}
    ready = ("wait", "--for=condition=Ready", "pod/tools", "--timeout=180s")
    await rome.kubectl(
        *("run", "tools", f"--image={HELPER}", f"--overrides={json.dumps(pod)}"),
        *("--", "sleep", "600"),
    )
    await rome.kubectl(*ready)
    await links.slow_down(rome.layout, "rome", "milan", 0.1)
    try:
        connect = f"nc -w 5 {milan.cluster.control_plane.address} 6443 </dev/null"
        await rome.kubectl("exec", "tools", "--", "sh", "-c", connect)
    finally:
        await links.heal(rome.layout, "rome", "milan")
    await rome.kubectl("delete", "pod", "tools", "--wait=false")


async def test_a_signed_certificate_lives_as_long_as_was_asked_for(breakable: list[Site]) -> None:
    rome = breakable[0]
    subject = certificates.distinguished_name("somebody")
    asked = x509.CertificateSigningRequestBuilder().subject_name(subject)
    request = asked.sign(certificates.new_key(), SHA256()).public_bytes(Encoding.PEM)
    manifest = {
        "apiVersion": "certificates.k8s.io/v1",
        "kind": "CertificateSigningRequest",
        "metadata": {"name": "somebody"},
        "spec": {
            "request": base64.b64encode(request).decode(),
            "signerName": "kubernetes.io/kube-apiserver-client",
            "usages": ["client auth"],
        },
    }
    await rome.kubectl("apply", "-f", "-", text=json.dumps(manifest))
    before = datetime.now(UTC).replace(microsecond=0)  # as certificates tell the time
    await rome.kubectl("certificate", "approve", "somebody")

    async def certificate() -> str:
        return await rome.kubectl("get", "csr", "somebody", "-o", "jsonpath={.status.certificate}")

    pem = base64.b64decode(await eventually(certificate, bool))
    end = x509.load_pem_x509_certificate(pem).not_valid_after_utc
    assert before <= end - SIGNING <= datetime.now(UTC)
    logs = (rome.folder_of(rome.cluster.control_plane) / "logs").glob("audit*.log")  # they rotate
    assert any("certificatesigningrequests/somebody" in log.read_text() for log in logs)


async def test_a_paused_api_server_goes_on_with_its_objects(breakable: list[Site]) -> None:
    rome = breakable[0]
    await rome.kubectl("create", "configmap", "before-pause")
    goal = faults.target(rome, "apiserver")
    await faults.pause(goal)
    try:
        with pytest.raises(PlaygroundError):
            await rome.kubectl("get", "configmaps", "--request-timeout=2s")
        with pytest.raises(PlaygroundError, match=r"paused; let it go on with: .* resume rome"):
            await cluster.healthy(rome, goal.member, goal.what)
    finally:
        await faults.resume(goal)
    await eventually(partial(rome.kubectl, "get", "configmap", "before-pause"), bool)
    await rome.kubectl("delete", "configmap", "before-pause")


@pytest.mark.parametrize("component", ["etcd", "apiserver", "scheduler", "kubelet"])
async def test_a_killed_component_starts_again_with_its_objects(
    breakable: list[Site], component: str
) -> None:
    rome = breakable[0]
    name = f"before-{component}"
    await rome.kubectl("create", "configmap", name)
    goal = faults.target(rome, component)
    await faults.kill(goal)
    assert goal.what not in node.running(goal.member)
    with pytest.raises(PlaygroundError, match="is not running"):
        await faults.kill(goal)
    await faults.start(goal)

    async def delete() -> str:
        return await rome.kubectl("delete", "configmap", name)

    await eventually(delete, lambda said: "deleted" in said)


async def test_a_killed_node_starts_again_with_its_pods(breakable: list[Site]) -> None:
    milan = breakable[1]
    goal = faults.target(milan, "node")
    await faults.kill(goal)
    assert node.first_process(goal.member) is None
    await faults.start(goal)

    async def dns() -> str:
        return await milan.kubectl(
            *("-n", "kube-system", "get", "deployment", "coredns"),
            *("-o", "jsonpath={.status.readyReplicas}"),
        )

    await eventually(dns, lambda ready: ready == "1", within=120)


async def test_a_process_in_a_pod_is_killed_and_its_kubelet_starts_it_again(
    breakable: list[Site],
) -> None:
    rome = breakable[0]
    pods = ("-n", "kube-system", "get", "pods", "-l", "app=coredns")
    name = await rome.kubectl(*pods, "-o", "jsonpath={.items[0].metadata.name}")
    restarts = ("-o", "jsonpath={.items[0].status.containerStatuses[0].restartCount}")
    before = int(await rome.kubectl(*pods, *restarts))
    await faults.kill(faults.target(rome, f"kube-system/{name}"))

    async def count() -> int:
        return int(await rome.kubectl(*pods, *restarts))

    assert await eventually(count, lambda now: now > before, within=120) == before + 1


async def test_pods_on_simulated_nodes_run(breakable: list[Site]) -> None:
    rome = breakable[0]
    await rome.kubectl(
        *("run", "simulated", "--image=nowhere/nothing"),
        '--overrides={"spec":{"nodeSelector":{"type":"kwok"}}}',
    )
    try:
        await rome.kubectl("wait", "--for=condition=Ready", "pod/simulated", "--timeout=180s")
        nodes = await rome.kubectl("get", "nodes", "-l", "type=kwok", "-o", "name")
        assert len(nodes.splitlines()) == 2
        with pytest.raises(PlaygroundError, match="has no processes"):
            await faults.kill(faults.target(rome, "default/simulated"))
    finally:
        await rome.kubectl("delete", "pod", "simulated", "--wait=false")


async def test_what_does_not_exist_is_named(breakable: list[Site]) -> None:
    rome = breakable[0]
    with pytest.raises(PlaygroundError, match='there is no component "cloud"'):
        faults.target(rome, "cloud")
    with pytest.raises(PlaygroundError, match='there is no node "worker"'):
        faults.target(rome, "node", "worker")
    with pytest.raises(PlaygroundError, match='there is no cluster "bari"'):
        await links.cut(rome.layout, "rome", "bari")
    with pytest.raises(PlaygroundError, match="named twice"):
        await links.cut(rome.layout, "rome", "rome")
