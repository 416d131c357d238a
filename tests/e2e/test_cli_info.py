"""What liqoctl tells about a cluster, its Liqo and its peers."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pytest
import yaml

from liqo.api import labels
from liqo.api.authentication import ResourceSlice, Tenant, TenantSpec
from liqo.api.core import ForeignCluster
from liqo.api.kubernetes import Deployment
from liqo.api.meta import JSON, Meta
from liqo.api.offloading import VirtualNode
from liqo.cli import objects
from liqo.cli.release import MARKS
from liqo.playground.cluster import Site
from tests.e2e.controllers import Pair
from tests.e2e.eventually import eventually
from tests.e2e.liqoctl import Ended, liqoctl
from tests.e2e.peering import Peering, Side, ask, authenticate

REGION = "topology.liqo.io/region"


@dataclass(frozen=True)
class World:
    """Rome, in the north, borrows from milan, in the center."""

    peering: Peering
    rome: str  # kubeconfigs
    milan: str


@pytest.fixture
async def world(strangers: Pair, rome: Site, milan: Site) -> World:
    peering = strangers.peering
    await describe(peering.consumer, f"{REGION}=north,tier=gold")
    await describe(peering.provider, f"{REGION}=center")
    return World(peering, str(rome.kubeconfig), str(milan.kubeconfig))


async def describe(side: Side, cluster_labels: str) -> None:
    """The Deployment, as clients find it; the controllers themselves run beside the cluster."""
    container = {
        "name": "controller-manager",
        "image": "example.org/controllers:v1.2.0",
        "args": [f"--cluster-labels={cluster_labels}"],
    }
    metadata = {"name": "liqo-controller-manager", "namespace": "liqo", "labels": MARKS}
    spec: JSON = {
        "replicas": 0,
        "selector": {"matchLabels": MARKS},
        "template": {"metadata": {"labels": MARKS}, "spec": {"containers": [container]}},
    }
    await side.apply(Deployment.KIND, {"metadata": metadata, "spec": spec})


async def peered(peering: Peering) -> None:
    """Until the resources are granted, a virtual node is made of them, and both sides know."""
    await authenticate(peering)
    await ask(peering, "milan")

    async def is_there() -> bool:
        consumer, provider = peering.consumer, peering.provider
        asked = await consumer.find(ResourceSlice, peering.here, "milan")
        node = await consumer.find(VirtualNode, peering.here, "milan")
        peers = [
            await consumer.find(ForeignCluster, "", "milan"),
            await provider.find(ForeignCluster, "", "rome"),
        ]
        roles = [peer.status.role for peer in peers if peer is not None and peer.status is not None]
        granted = asked is not None and asked.accepted("Resources")
        return granted and node is not None and roles == ["Provider", "Consumer"]

    await eventually(is_there)


def lines(said: Ended) -> list[str]:
    """What is in the boxes, without the frames and the blanks."""
    assert (said.code, said.stderr) == (0, "")
    return [" ".join(line.strip("|").split()) for line in said.stdout.splitlines()]


@pytest.mark.row("D16")
async def test_info_peer_shows_shared_resources_and_virtual_nodes(world: World) -> None:
    await peered(world.peering)
    ours = await liqoctl("info", "peer", "milan", "--kubeconfig", world.rome)
    shown = lines(ours)
    resources = shown[shown.index("Resource slices") :]
    assert resources[1:4] == ["milan", "Action: Consuming", "Resource slice accepted"]
    assert resources[4:7] == ["Resources", "cpu: 4", "ephemeral-storage: 20Gi"]
    nodes = shown[shown.index("Virtual nodes") :]
    assert nodes[1] == "milan"
    assert "Secret: kubeconfig-resourceslice-milan" in nodes
    assert "Resource slice: milan" in nodes
    assert "memory: 8Gi" in nodes

    theirs = lines(await liqoctl("info", "peer", "rome", "--kubeconfig", world.milan))
    assert "Action: Providing" in theirs

    path = ("--get", "authentication.resourceSlices", "-o", "json")
    said = await liqoctl("info", "peer", "milan", *path, "--kubeconfig", world.rome)
    (granted,) = json.loads(said.stdout)
    assert (granted["name"], granted["accepted"], granted["resources"]["cpu"]) == (
        "milan",
        True,
        "4",
    )

    acquired = lines(await liqoctl("status", "peer", "milan", "--kubeconfig", world.rome))
    start = acquired.index("Total acquired")
    assert acquired[start + 1] == "cpu: 4"
    unknown = await liqoctl("info", "peer", "nowhere", "--kubeconfig", world.rome)
    assert unknown == Ended(1, "", 'ERRO: Peer clusters "nowhere" not found in active peerings\n')

    summary = lines(await liqoctl("info", "--kubeconfig", world.rome))
    assert summary[summary.index("milan") + 1] == "Role: Provider"


@pytest.mark.row("H07")
async def test_status_shows_the_cluster_labels(world: World) -> None:
    here = await liqoctl("status", environment={"KUBECONFIG": world.rome})
    there = await liqoctl("--kubeconfig", world.milan, "status")
    for said, name, region in ((here, "rome", "north"), (there, "milan", "center")):
        shown = lines(said)
        assert f"Cluster ID: {name}" in shown
        assert f"{REGION}: {region}" in shown[shown.index("Cluster Labels") :]
        assert "liqo-controller-manager: Desired: 0, Ready: 0/0, Available: 0/0" in shown


@pytest.mark.row("H08")
async def test_a_kubeconfig_is_named_before_or_after_the_verb_or_by_the_environment(
    world: World,
) -> None:
    verb = ("info", "--get", "clusterID")
    elsewhere = {"KUBECONFIG": world.milan}
    for words in (
        ("--kubeconfig", world.rome, *verb),
        (f"--kubeconfig={world.rome}", *verb),
        (*verb, "--kubeconfig", world.rome),
        (*verb, f"--kubeconfig={world.rome}"),
    ):
        assert await liqoctl(*words, environment=elsewhere) == Ended(0, "rome\n", "")
    assert await liqoctl(*verb, environment=elsewhere) == Ended(0, "milan\n", "")


async def parsed(*words: str) -> JSON:
    """What machines read: the same as JSON and as YAML, and nothing beside it."""

    async def forms() -> tuple[JSON, JSON]:
        said = [await liqoctl(*words, "-o", form) for form in ("json", "yaml")]
        assert [(each.code, each.stderr) for each in said] == [(0, "")] * 2
        return json.loads(said[0].stdout), yaml.safe_load(said[1].stdout)

    told, _ = await eventually(forms, lambda each: each[0] == each[1])  # the world goes on between
    return told


def all_is_well(peers: JSON) -> bool:
    """A machine that is busy may keep an API server from answering for a moment, which is told."""
    return not any("alerts" in part for each in peers.values() for part in lasting(each))


def lasting(peer: JSON) -> tuple[JSON, JSON]:
    """What is told of a peer, but for how its nodes get along."""
    return peer["info"], peer["authentication"]


def are_told_so(wanted: list[tuple[JSON, JSON]], peers: JSON) -> bool:
    return [lasting(each) for each in peers.values()] == wanted


async def let_in(provider: Side, consumer: str) -> None:
    """Somebody who borrows without a handshake."""
    home = objects.tenant_namespace(consumer)
    await provider.apply(home.kind, home.body)
    about = Meta(
        name=consumer,
        namespace=home.body["metadata"]["name"],
        labels={labels.REMOTE_CLUSTER_ID: consumer},
    )
    spec = TenantSpec(cluster_id=consumer, authz_policy="TolerateNoHandshake")
    await provider.put(Tenant(metadata=about, spec=spec))


@pytest.mark.row("L24")
async def test_a_cluster_and_its_peers_are_told_whole_or_one_value_of_them(world: World) -> None:
    await peered(world.peering)
    consumer, rome = world.peering.consumer, ("--kubeconfig", world.rome)
    await let_in(consumer, "naples")
    path = ("--get", "naples.authentication.status")
    await eventually(lambda: liqoctl("info", "peer", *path, *rome), is_=Ended(0, "Healthy\n", ""))

    local = await parsed("info", *rome)
    assert list(local) == ["health", "local", "peerings"]
    address = await value("info", "--get", "local.apiserveraddr", *rome)
    assert local["local"] == {
        "clusterID": "rome",
        "version": "v1.2.0",
        "labels": {"tier": "gold", REGION: "north"},
        "APIServerAddr": address,
    }
    assert local["health"] == {"healthy": True}
    assert [each["clusterID"] for each in local["peerings"]["peers"]] == ["milan", "naples"]
    assert await value("info", "--get", "clusterID", *rome) == "rome"
    assert await value("info", "--get", "LOCAL.labels.tier", *rome) == "gold"
    for title in ("Local installation info", "Installation health", "Active peerings"):
        assert title in (await liqoctl("info", *rome)).stdout

    every = await eventually(lambda: parsed("info", "peer", *rome), all_is_well)
    assert list(every) == ["milan", "naples"]
    for ids in (["milan"], ["naples"], ["naples", "milan"]):
        wanted = [lasting(every[each]) for each in ids]
        some = await eventually(
            partial(parsed, "info", "peer", *ids, *rome), partial(are_told_so, wanted)
        )
        assert list(some) == ids
        boxes = lines(await liqoctl("info", "peer", *ids, *rome))
        assert [each for each in boxes if each.startswith("Cluster ID:")] == [
            f"Cluster ID: {each}" for each in ids
        ]
    for words in (["milan", "--get", "info.role"], ["--get", "milan.INFO.role"]):
        assert await value("info", "peer", *words, *rome) == "Provider"
    wrong = await liqoctl("info", "--get", "local.nope", *rome)
    assert wrong == Ended(1, "", 'ERRO: invalid query "local.nope": "nope" not found\n')


async def value(*words: str) -> str:
    """As a script gets it."""
    said = await liqoctl(*words)
    assert (said.code, said.stderr) == (0, "")
    return said.stdout.removesuffix("\n")


async def test_the_version_of_the_server_is_that_of_its_image(world: World) -> None:
    said = await liqoctl("version", "--kubeconfig", world.rome)
    assert said.code == 0
    assert said.stdout.splitlines()[1] == "Server version: v1.2.0"


async def test_a_cluster_without_liqo_says_so(milan: Site) -> None:
    """In whichever namespace the client looks."""
    words = ("--namespace", "nowhere", "--kubeconfig", str(milan.kubeconfig))
    for verb in (("info",), ("info", "peer"), ("status",), ("status", "peer")):
        said = await liqoctl(*verb, *words)
        assert (said.code, said.stdout) == (1, "")
        assert said.stderr.startswith("ERRO: Liqo is not installed in the current cluster! ")
    said = await liqoctl("version", *words)
    assert (said.code, said.stdout.splitlines()[1]) == (1, "Server version: Unknown")


async def test_a_cluster_that_cannot_be_reached_is_told_in_a_sentence(
    milan: Site, tmp_path: Path
) -> None:
    """The address is of a network that is kept for documents: nobody answers there."""
    server = await milan.kubectl("config", "view", "-o", "jsonpath={.clusters[0].cluster.server}")
    text = Path(milan.kubeconfig).read_text()
    nobody = tmp_path / "nobody"
    nobody.write_text(text.replace(server.strip(), "https://192.0.2.1:6443"))
    for verb in (("info",), ("status",)):
        said = await liqoctl(*verb, "--kubeconfig", str(nobody))
        assert (said.code, said.stdout) == (1, "")
        assert said.stderr.startswith(
            "ERRO: The API server of the cluster, https://192.0.2.1:6443,"
        )
        assert said.stderr.count("\n") == 1
