"""The objects of a peering, made by hand: every command of the seed S0, as it stands there."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from functools import partial
from pathlib import Path
from uuid import uuid4

import pytest

from liqo.api.authentication import Identity, ResourceSlice, Tenant
from liqo.api.kubernetes import CertificateSigningRequest, Secret
from liqo.api.offloading import Quota, VirtualNode
from liqo.cli.objects import content
from liqo.playground.cluster import Site
from liqo.playground.errors import PlaygroundError
from liqo.rules import names
from tests import seeds
from tests.e2e.eventually import eventually
from tests.e2e.firefly import CONSUMER, PROVIDER, City, World, fireflies

HERE = f"liqo-tenant-{PROVIDER}"  # on the consumer
THERE = f"liqo-tenant-{CONSUMER}"  # on the provider
SLICES = "resourceslices.authentication.liqo.io"
CREATED = """\
Creating ResourceSlice
INFO: ResourceSlice created
Waiting for ResourceSlice authentication to be accepted
INFO: ResourceSlice authentication: Accepted
"""
ACCEPTED = f"{CREATED}INFO: ResourceSlice resources: Accepted\n"


@pytest.fixture(scope="module")
async def world(rome: Site, milan: Site) -> AsyncIterator[World]:
    """Peered by hand, with pipes, as a person without access to both clusters does it."""
    async with fireflies(rome, milan) as both:
        consumer, provider = both.consumer, both.provider
        said = await provider.liqoctl(f"create nonce --remote-cluster-id {CONSUMER}")
        nonce = await provider.answer(f"get nonce --remote-cluster-id {CONSUMER}")
        assert said.stderr.splitlines()[-1] == f"INFO: Nonce retrieved: {nonce}"
        words = f"generate tenant --remote-cluster-id {PROVIDER} --nonce"
        await provider.kubectl("apply", "-f", "-", text=await consumer.answer(words, nonce))
        words = f"generate identity --remote-cluster-id {CONSUMER}"
        await consumer.kubectl("apply", "-f", "-", text=await provider.answer(words))
        yield both


@pytest.fixture
def name() -> str:
    """Of a slice or node of the test's own."""
    return f"pool-{uuid4().hex[:8]}"


async def asked(city: City, slice_name: str) -> ResourceSlice:
    found = await city.side.find(ResourceSlice, HERE, slice_name)
    assert found is not None
    return found


async def is_refused(city: City, *words: str) -> bool:
    try:
        await city.kubectl(*words)
    except PlaygroundError as error:
        return "orbidden" in str(error)
    return False


async def test_R18_a_tenant_is_generated_again_without_its_nonce(world: World) -> None:
    words = f"generate tenant --remote-cluster-id {PROVIDER} -o json"
    again = json.loads(await world.consumer.answer(words))
    tenant = await world.provider.side.find(Tenant, THERE, CONSUMER)
    assert tenant is not None
    assert tenant.status.auth_params is not None
    assert again["metadata"]["namespace"] == THERE
    assert again["spec"]["clusterID"] == tenant.spec.cluster_id == CONSUMER


@pytest.mark.row("C03", "C07", "C08", "C10", "C12", "C13", "D07", "K01", "K02", "L02")
@pytest.mark.part_of_row("C11", "C14", "K03")
async def test_a_slice_is_asked_for_granted_and_appears(world: World) -> None:
    consumer, provider = world.consumer, world.provider
    said = await consumer.liqoctl("create resourceslice mypool --remote-cluster-id cool-firefly")
    assert (said.code, said.stdout, said.stderr) == (0, "", ACCEPTED)
    resources = (await asked(consumer, "mypool")).status.resources
    assert resources == {"cpu": "4", "memory": "8Gi", "pods": "110", "ephemeral-storage": "20Gi"}
    headings, rows = await consumer.table(SLICES, "-A")
    assert headings == ["NAMESPACE", "NAME", "AUTHENTICATION", "RESOURCES", "AGE"]
    assert ["liqo-tenant-cool-firefly", "mypool", "Accepted", "Accepted"] in rows
    await eventually(lambda: provider.side.find(Quota, THERE, "mypool-c34af51dd912"), bool)
    headings, rows = await provider.table("quotas.offloading.liqo.io", "-A")
    assert headings == ["NAMESPACE", "NAME", "ENFORCEMENT", "CORDONED", "AGE"]
    assert ["liqo-tenant-wispy-firefly", "mypool-c34af51dd912", "None", ""] in rows
    await eventually(lambda: consumer.side.find(VirtualNode, HERE, "mypool"), bool)
    headings, rows = await consumer.table("virtualnodes.offloading.liqo.io", "-A")
    assert headings == ["NAMESPACE", "NAME", "CLUSTERID", "CREATE NODE", "AGE"]
    assert ["liqo-tenant-cool-firefly", "mypool", "cool-firefly"] in [row[:3] for row in rows]
    secret = await consumer.side.find(Secret, HERE, "kubeconfig-resourceslice-mypool")
    assert secret is not None


@pytest.mark.row("C14")
async def test_a_node_is_made_of_a_slice_where_its_annotation_says_so(
    world: World, name: str
) -> None:
    """Of the first slice long before the second, if at all."""
    consumer, words = world.consumer, "--remote-cluster-id cool-firefly"
    await consumer.answer(f"create resourceslice {name}-none {words} --no-virtual-node")
    await consumer.answer(f"create resourceslice {name} {words}")
    await eventually(lambda: consumer.side.find(VirtualNode, HERE, name), bool)
    assert await consumer.side.find(VirtualNode, HERE, f"{name}-none") is None
    marks = (await asked(consumer, name)).metadata.annotations
    assert marks["liqo.io/create-virtual-node"] == "true"
    mark = ("liqo.io/create-virtual-node=true", "--overwrite", "-n", HERE)
    await consumer.kubectl("annotate", SLICES, f"{name}-none", *mark)
    await eventually(lambda: consumer.side.find(VirtualNode, HERE, f"{name}-none"), bool)


@pytest.mark.row("C04")
async def test_amounts_are_asked_for_by_flags(world: World, name: str) -> None:
    flags = "--cpu 2 --memory 4Gi --pods 10 --resource nvidia.com/gpu=1"
    said = await world.consumer.liqoctl(f"create rs --remote-cluster-id cool-firefly {flags}", name)
    assert (said.code, said.stderr) == (0, ACCEPTED)
    wanted = {"cpu": "2", "memory": "4Gi", "pods": "10", "nvidia.com/gpu": "1"}
    assert (await asked(world.consumer, name)).spec.resources == wanted


@pytest.mark.row("C05")
async def test_what_is_printed_can_be_edited_and_applied(world: World, name: str) -> None:
    words = f"create resourceslice {name} --remote-cluster-id cool-firefly -o yaml"
    printed = await world.consumer.answer(words)
    assert await world.consumer.side.find(ResourceSlice, HERE, name) is None
    extra = {"ephemeral-storage": "5Gi", "nvidia.com/gpu": "2", "example.com/licences": "7"}
    lines = "".join(f'\n    {each}: "{amount}"' for each, amount in extra.items())
    edited = printed.replace("\nstatus: {}", f"\n  resources:{lines}\nstatus: {{}}")
    await world.consumer.kubectl("apply", "-f", "-", text=edited)
    granted = await eventually(
        lambda: asked(world.consumer, name), lambda found: found.accepted("Resources")
    )
    assert extra.items() <= granted.status.resources.items()


@pytest.mark.row("C06")
async def test_a_class_that_nobody_answers_for_is_not_waited_for_without_end(
    world: World, name: str
) -> None:
    words = f"create resourceslice {name} --remote-cluster-id cool-firefly --class custom-class"
    said = await world.consumer.liqoctl(f"{words} --timeout 1s")
    assert (await asked(world.consumer, name)).spec.class_ == "custom-class"
    assert said.code == 1
    assert said.stderr.splitlines()[-1].startswith("ERRO: timed out waiting for the condition: ")


@pytest.mark.row("C09")
async def test_a_slice_is_printed_as_the_seed_shows_it(world: World) -> None:
    words = "create resourceslice mypool --remote-cluster-id cool-firefly -o yaml"
    assert await world.consumer.answer(words) == seeds.SLICE


@pytest.mark.row("C20")
async def test_more_is_granted_than_there_is(world: World, name: str) -> None:
    words = f"create resourceslice {name} --remote-cluster-id cool-firefly --cpu 4000"
    said = await world.consumer.liqoctl(f"{words} --memory 100Ti")
    assert (said.code, said.stderr) == (0, ACCEPTED)
    assert (await asked(world.consumer, name)).status.resources["cpu"] == "4000"


@pytest.mark.part_of_row("C02")
async def test_who_is_not_authenticated_is_told_so_at_once(world: World, name: str) -> None:
    words = f"create resourceslice {name} --remote-cluster-id"
    said = await world.consumer.liqoctl(words, "nowhere")
    assert said.code == 1
    assert 'tenant namespace not found for cluster "nowhere"' in said.stderr
    assert "liqoctl peer, or liqoctl authenticate" in said.stderr
    said = await world.provider.liqoctl(words, CONSUMER)
    assert said.code == 1
    assert f'this cluster is not authenticated with "{CONSUMER}"' in said.stderr


@pytest.mark.part_of_row("C01", "D04")
@pytest.mark.row("D10", "K03")
async def test_a_node_is_made_of_a_slice(world: World, name: str) -> None:
    consumer = world.consumer
    await consumer.answer(f"create rs {name}-pool --remote-cluster-id cool-firefly")
    words = f"create virtualnode --remote-cluster-id cool-firefly --resource-slice-name {name}-pool"
    shown = seeds.NODE_OF_SLICE.replace("mypool", f"{name}-pool").replace("mynode", name)
    without_storage = shown.replace("  storageClasses:\n  - storageClassName: liqo\n", "")
    printed = await consumer.answer(words, name, "-o", "yaml")
    platform = [line for line in printed.splitlines(keepends=True) if "kubernetes.io/" in line]
    assert [line.split(":")[0].strip() for line in platform] == [
        "kubernetes.io/arch",  # which the provider told, and the seed's did not
        "kubernetes.io/os",
    ]
    assert printed.replace("".join(platform), "") == without_storage
    credential = f"kubeconfig-resourceslice-{name}-pool"
    await eventually(lambda: consumer.side.find(Secret, HERE, credential), bool)
    said = await consumer.liqoctl(words, name, "--timeout", "5s")
    doing, done, waiting, error = said.stderr.splitlines()
    assert (doing, done) == ("Creating virtual node", "INFO: Virtual node created")
    assert waiting == f"Waiting for node {name} to be Ready"
    assert "no such Node has appeared" in error
    assert said.code == 1
    headings, rows = await consumer.table("virtualnodes.offloading.liqo.io", "-A")
    assert headings == ["NAMESPACE", "NAME", "CLUSTERID", "CREATE NODE", "AGE"]
    assert [HERE, name, "cool-firefly", "true"] in rows


@pytest.mark.row("D05", "L03")
@pytest.mark.part_of_row("C01", "D06")
async def test_a_node_is_made_of_a_secret_that_is_right(world: World, name: str) -> None:
    consumer = world.consumer
    words = "create virtualnode --remote-cluster-id cool-firefly --kubeconfig-secret-name"
    mine = "kubeconfig-resourceslice-mypool"
    assert await consumer.answer(words, mine, "mynode", "-o", "yaml") == seeds.NODE_OF_SECRET
    identity = f"controlplane-{PROVIDER}"
    key = await consumer.answer(f"get kubeconfig {identity} --remote-cluster-id {PROVIDER}")
    said = await consumer.liqoctl(words, name, name, "--create-node=false")
    assert f'there is no Secret "{name}" in the namespace "{HERE}"' in said.stderr
    await consumer.kubectl("create", "secret", "generic", name, "-n", HERE)
    said = await consumer.liqoctl(words, name, name, "--create-node=false")
    assert "is not labelled as one of" in said.stderr
    mark = f"liqo.io/remote-cluster-id={PROVIDER}"
    await consumer.kubectl("label", "secret", name, "-n", HERE, mark)
    said = await consumer.liqoctl(words, name, name, "--create-node=false")
    assert "has no key kubeconfig" in said.stderr
    patch = json.dumps({"stringData": {"kubeconfig": key}})
    await consumer.kubectl("patch", "secret", name, "-n", HERE, "-p", patch)
    said = await consumer.liqoctl(words, name, name, "--create-node=false")
    assert (said.code, said.stderr) == (
        0,
        "Creating virtual node\nINFO: Virtual node created\n",
    )
    node = await consumer.side.find(VirtualNode, HERE, name)
    assert node is not None
    assert node.spec.resource_quota.hard == {"cpu": "2", "memory": "4Gi", "pods": "110"}


async def test_what_was_made_is_taken_back_by_its_name(world: World, name: str) -> None:
    consumer, provider = world.consumer, world.provider
    await consumer.answer(f"create resourceslice {name} --remote-cluster-id cool-firefly")
    await eventually(lambda: consumer.side.find(VirtualNode, HERE, name), bool)
    said = await consumer.liqoctl(f"delete resourceslice {name}")
    assert said.stderr == "Deleting ResourceSlice\nINFO: ResourceSlice deleted\n"
    await eventually(lambda: consumer.side.find(VirtualNode, HERE, name), is_=None)
    quota = names.quota(name, CONSUMER)
    await eventually(lambda: provider.side.find(Quota, THERE, quota), is_=None)
    said = await consumer.liqoctl(f"delete resourceslice {name}")
    assert (said.code, "there is no ResourceSlice" in said.stderr) == (1, True)


async def is_cordoned(provider: City, slice_name: str) -> bool | None:
    found = await provider.side.find(Quota, THERE, names.quota(slice_name, CONSUMER))
    return found.spec.cordoned if found else None


async def test_a_provider_cordons_one_slice(world: World, name: str) -> None:
    provider, cordoned = world.provider, partial(is_cordoned, world.provider, name)
    await world.consumer.answer(f"create resourceslice {name} --remote-cluster-id {PROVIDER}")
    words = f"resourceslice {name} --remote-cluster-id {CONSUMER} --skip-confirm"
    said = await provider.liqoctl(f"cordon {words}")
    assert said.stderr == f'INFO: ResourceSlice "{name}" cordoned\n'
    await eventually(cordoned, is_=True)
    said = await provider.liqoctl(f"uncordon {words}")
    assert said.stderr == f'INFO: ResourceSlice "{name}" uncordoned\n'
    await eventually(cordoned, is_=False)


async def test_a_provider_cordons_and_drains_a_consumer(world: World, name: str) -> None:
    consumer, provider = world.consumer, world.provider
    before = partial(is_cordoned, provider, f"{name}-before")
    await consumer.answer(f"create rs {name}-before --remote-cluster-id {PROVIDER}")
    await eventually(before, is_=False)
    said = await provider.liqoctl(f"cordon tenant {CONSUMER}")
    assert said.code == 1
    assert "say yes with --skip-confirm" in said.stderr
    said = await provider.liqoctl(f"cordon tenant {CONSUMER} --skip-confirm")
    assert said.stderr == f'INFO: Tenant "{CONSUMER}" cordoned\n'
    await eventually(before)  # its controllers know
    said = await consumer.liqoctl(f"create rs {name} --remote-cluster-id {PROVIDER}")
    assert (said.code, said.stderr) == (
        0,
        f"{CREATED}WARN: ResourceSlice resources not accepted. The provider cluster may have "
        "cordoned the tenant or the resourceslice\n",
    )
    said = await provider.liqoctl(f"uncordon tenant {CONSUMER}")
    assert said.stderr == f'INFO: Tenant "{CONSUMER}" uncordoned\n'
    said = await provider.liqoctl(f"drain tenant {CONSUMER} --skip-confirm")
    assert said.stderr == f'INFO: Tenant "{CONSUMER}" drained\n'
    copy = lambda: provider.side.find(ResourceSlice, THERE, name)  # noqa: E731
    await eventually(copy, is_=None)
    said = await provider.liqoctl(f"cordon tenant {CONSUMER} --skip-confirm")
    assert said.stderr == (
        f'WARN: Tenant "{CONSUMER}" is not active. Activate the tenant to cordon it.\n'
    )
    said = await provider.liqoctl(f"activate tenant {CONSUMER}")
    assert said.stderr == f'INFO: Tenant "{CONSUMER}" activated\n'
    await eventually(copy, lambda found: found is not None and found.accepted("Resources"))


async def test_a_kubeconfig_of_an_identity_opens_the_provider(world: World, tmp_path: Path) -> None:
    identity = f"controlplane-{PROVIDER}"
    await eventually(
        lambda: world.consumer.side.find(Identity, HERE, identity),
        lambda found: found is not None and found.status.kubeconfig_secret_ref is not None,
    )
    file = tmp_path / "kubeconfig"
    file.write_text(
        await world.consumer.answer(f"get kc {identity} --remote-cluster-id {PROVIDER}")
    )
    chosen = f"--kubeconfig={file}"
    assert not await is_refused(world.provider, "get", SLICES, "-n", THERE, chosen)
    assert await is_refused(world.provider, "get", "nodes", chosen)


async def test_R20_a_peering_user_may_peer_and_nothing_else(world: World, tmp_path: Path) -> None:
    provider = world.provider
    consumer = f"{'long-' * 8}{uuid4().hex[:8]}"  # 48 characters: its name is longer than 64
    words = f"peering-user --consumer-cluster-id {consumer}"
    home = names.tenant_namespace(consumer)
    said = await provider.liqoctl(f"generate {words}")
    assert said.code == 0
    assert [line.split(":")[0] for line in said.stderr.splitlines()] == [
        *("WARN", "WARN", "WARN", "Generating user", "INFO")
    ]
    file = tmp_path / "kubeconfig"
    file.write_text(said.stdout)
    chosen = f"--kubeconfig={file}"
    tenants = ("get", "tenants.authentication.liqo.io", "-n", home, chosen)
    settings = ("get", "configmaps", "-n", "liqo", chosen)
    for allowed in (tenants, settings):  # an API server takes a moment to know of new rights
        await eventually(partial(is_refused, provider, *allowed), is_=False)
    assert await is_refused(provider, "get", "pods", "-n", home, chosen)
    assert await is_refused(provider, "get", "namespaces", chosen)
    assert await is_refused(provider, "get", "secrets", "-n", home, "--watch-only", chosen)
    for verb in ("create", "get"):  # without the right to watch what becomes of it
        said = await provider.liqoctl(
            f"{verb} nonce --remote-cluster-id {consumer}", kubeconfig=file
        )
        assert said.code == 0, said
    secret = await provider.side.find(Secret, home, names.NONCE_SECRET)
    assert secret is not None
    assert said.stdout.encode() == content(secret, "nonce") != b""
    said = await provider.liqoctl(f"generate {words}")
    assert (said.code, said.stdout) == (1, "")
    assert f"liqoctl delete {words}" in said.stderr
    said = await provider.liqoctl(f"delete {words}")
    assert said.stderr == (
        f'INFO: Peering user for cluster with ID "{consumer}" deleted successfully\n'
    )
    await eventually(lambda: is_refused(provider, *tenants))
    user = names.peering_user(consumer)
    assert await provider.side.find(CertificateSigningRequest, "", user) is None
