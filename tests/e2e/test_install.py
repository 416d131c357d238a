"""From an empty cluster to an installation, and back, with what users get wrong in between."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import suppress
from functools import partial
from uuid import uuid4

import pytest
import yaml

from liqo.api.kubernetes import Deployment
from liqo.api.meta import Kind
from liqo.install.kinds import ORDER
from liqo.kube.cluster import Cluster
from liqo.kube.errors import NotFound
from liqo.kube.kubeconfig import from_kubeconfig
from liqo.kube.reading import Metadata, Reading
from liqo.playground.cluster import Site
from liqo.playground.layout import Options
from liqo.playground.playground import Playground
from tests.e2e.eventually import ENDING, eventually
from tests.e2e.installation import install, of
from tests.e2e.liqoctl import Ended, liqoctl
from tests.e2e.loans import Loan


@pytest.fixture(scope="module")
async def playground() -> AsyncIterator[Playground]:
    made = Playground(f"install-{uuid4().hex[:8]}", print)
    try:
        yield made
    finally:
        await made.down()


@pytest.fixture(scope="module")
async def venice(playground: Playground, tmp_path_factory: pytest.TempPathFactory) -> Site:
    """A cluster that one command made, with the product on it."""
    folder = tmp_path_factory.mktemp("venice")
    named = ("--playground", playground.name)
    ended = await liqoctl("playground", "up", "venice", "--install", *named, folder=folder)
    assert ended.code == 0, ended.stderr
    [site] = await playground.sites(["venice"])
    return site


@pytest.fixture
async def ready(venice: Site) -> Site:
    """The same, where a test before may have changed it: those that change nothing come first."""
    await install(venice)
    return venice


async def versions(site: Site) -> dict[str, object]:
    """Of everything that an installation consists of, and of what else is of those kinds."""
    found: dict[str, object] = {}
    async with Cluster(from_kubeconfig(str(site.kubeconfig))) as cluster:
        for kind in ORDER:
            with suppress(NotFound):  # nobody has installed the kinds of Prometheus
                listed = await cluster.list(Reading(kind, Metadata), resource_version="")
                found |= {f"{kind} {each.key}": version(kind, each) for each in listed.items}
    return found


def version(kind: Kind, seen: Metadata) -> object:
    """The status of a Deployment follows its pods, which may be slow to say that they are ready."""
    said = seen.metadata
    follows = kind == Deployment.KIND
    return (said.generation, said.labels, said.annotations) if follows else said.resource_version


async def tag_of(site: Site) -> str:
    path = "jsonpath={.spec.template.spec.containers[0].image}"
    deployment = "deployment/liqo-controller-manager"
    image = await site.kubectl("get", deployment, "--namespace=liqo", "-o", path)
    return image.rpartition(":")[2]


async def definitions(site: Site) -> Sequence[str]:
    listed = await site.kubectl("get", "crd", "-o", "name")
    return [name for name in listed.split() if name.endswith(".liqo.io")]


@pytest.mark.part_of_row("I01", "I03")
async def test_one_command_makes_a_cluster_with_the_product_on_it(venice: Site) -> None:
    read = (
        "get",
        "configmap",
        "--namespace=liqo",
        "-l",
        "app.kubernetes.io/name=clusterid-configmap",
    )
    assert await site_field(venice, *read, path="{.items[*].data.CLUSTER_ID}") == "venice"
    deployment = ("get", "deployment/liqo-controller-manager", "--namespace=liqo")
    arguments = await site_field(
        venice, *deployment, path="{.spec.template.spec.containers[0].args}"
    )
    assert "topology.liqo.io/region=north" in arguments
    assert "liqo.io/provider=playground" in arguments


async def site_field(site: Site, *arguments: str, path: str) -> str:
    return await site.kubectl(*arguments, "-o", f"jsonpath={path}")


async def test_what_is_installed_already_is_not_touched(venice: Site) -> None:
    call = ("install", "playground", of(venice), "--set", f"tag={await tag_of(venice)}")
    first = await liqoctl(*call)
    assert first.code == 0, first.stderr
    before = await versions(venice)
    second = await liqoctl("upgrade", *call[1:])
    assert second.code == 0, second.stderr
    assert await versions(venice) == before
    assert "INFO: All Set! You can now proceed establishing a peering" in second.stderr


async def test_the_manifests_can_be_read_before_anything_is_changed(venice: Site) -> None:
    before = await versions(venice)
    ended = await liqoctl("install", "playground", of(venice), "--dry-run")
    assert ended.code == 0, ended.stderr
    assert ended.stderr.endswith("INFO: Installation completed (dry-run)\n")
    printed = [each["kind"] for each in yaml.safe_load_all(ended.stdout)]
    assert {"Namespace", "CustomResourceDefinition", "Deployment"} <= set(printed)
    assert await versions(venice) == before


async def test_another_cluster_id_is_refused(venice: Site) -> None:
    ended = await liqoctl("install", "playground", of(venice), "--cluster-id", "turin")
    assert ended.code == 1
    assert "Changing the cluster ID" in ended.stderr
    assert '"venice"' in ended.stderr


async def test_without_a_terminal_nobody_is_asked(venice: Site) -> None:
    before = await versions(venice)
    ended = await liqoctl("uninstall", of(venice))
    assert ended.code == 1
    assert "--skip-confirm" in ended.stderr
    assert await versions(venice) == before


async def test_the_wrong_namespace_is_told_before_anything_is_changed(venice: Site) -> None:
    before = await versions(venice)
    ended = await liqoctl("uninstall", of(venice), "--skip-confirm", "-n", "elsewhere")
    assert ended.code == 1
    assert "did you specify the right namespace?" in ended.stderr
    assert await versions(venice) == before


async def test_who_waits_in_vain_reads_which_pod_is_not_ready_and_why(ready: Site) -> None:
    wrong = ("--set", "tag=nowhere", "--timeout", "45s")
    ended = await liqoctl("install", "playground", of(ready), *wrong)
    assert ended.code == 1
    last = ended.stderr.splitlines()[-1]
    assert "timed out waiting for the condition" in last
    assert 'the pod "liqo-' in last
    assert "has no image localhost/liqo/liqo:nowhere" in last


async def test_it_can_be_removed_when_nothing_of_it_works(ready: Site) -> None:
    """No webhook and no API of ours answers, and nobody lets go of what has a finalizer."""
    await eventually(partial(registered, ready), bool)
    for chosen in ("name=controller-manager", "part-of=liqo"):  # or they would unregister the API
        all_of_them = ("-l", f"app.kubernetes.io/{chosen}", "--namespace=liqo")
        await ready.kubectl("scale", "deployment", *all_of_them, "--replicas=0")
        await ready.kubectl("wait", "--for=delete", "pod", *all_of_them, "--timeout=180s")
    assert await registered(ready)
    held = {"apiVersion": "core.liqo.io/v1beta1", "kind": "ForeignCluster"}
    metadata = {
        "name": "turin",
        "labels": {"liqo.io/webhook-skip": "true"},
        "finalizers": ["api-server-checker.liqo.io/finalizer"],
    }
    body = yaml.safe_dump({**held, "metadata": metadata, "spec": {"clusterID": "turin"}})
    await ready.kubectl("create", "-f", "-", text=body)
    ended = await liqoctl("uninstall", of(ready), "--skip-confirm", "--purge", "--timeout", "300s")
    assert ended.code == 0, ended.stderr
    assert await definitions(ready) == []
    assert await registered(ready) == ""


async def test_who_deletes_the_namespace_by_hand_is_left_without_an_api_that_nobody_serves(
    ready: Site,
) -> None:
    """With it, no namespace at all could be deleted from then on."""
    await eventually(partial(registered, ready), bool)
    await ready.kubectl("delete", "namespace", "liqo", "--wait=false")
    await eventually(partial(registered, ready), is_="")
    await ready.kubectl("wait", "--for=delete", "namespace/liqo", f"--timeout={ENDING}s")


async def registered(site: Site) -> str:
    named = ("get", "apiservice", "v1beta1.metrics.liqo.io", "--ignore-not-found")
    return await site.kubectl(*named, "-o", "name")


PEERED = """\
Running pre-uninstall checks
ERRO: Pre-uninstall checks failed: you should:

disable authentication for clusters:
- milan

disable offloading for clusters:
- milan

"""
UNPEER = """\
ERRO: You must remove all the active peerings with other clusters before uninstalling Liqo.
You can disable the active peerings via the 'liqoctl unpeer' command.
Check 'liqoctl unpeer --help' for further information.
"""
OFFLOADED = """\
unoffload the following namespaces:
- demo

"""
UNOFFLOAD = """\
ERRO: You must remove all the offloaded namespaces before uninstalling Liqo.
You can disable the namespace offloading 'liqoctl unoffload' command.
Check 'liqoctl unoffload --help' for further information.
"""
OFFLOADING = """\
apiVersion: offloading.liqo.io/v1beta1
kind: NamespaceOffloading
metadata: {name: offloading, namespace: demo}
spec: {podOffloadingStrategy: LocalAndRemote}
"""
UNHEARD = """\
apiVersion: v1
kind: Secret
metadata:
  name: liqo-tombstone-naples
  namespace: liqo
  labels: {liqo.io/tombstone: "true", liqo.io/remote-cluster-id: naples}
"""


@pytest.mark.timeout(1800)  # of a second cluster, too
@pytest.mark.row("J03", "J04", "J05")
async def test_first_unoffload_then_unpeer_then_uninstall_then_purge(
    playground: Playground, ready: Site
) -> None:
    """Each step is refused before the one before it; unoffloaded is by its object."""
    [milan] = await playground.up(["milan"], Options())
    await install(milan)
    loan = Loan(ready, milan)
    await loan.peer()
    await ready.kubectl("create", "namespace", "demo")
    await ready.kubectl("create", "-f", "-", text=OFFLOADING)
    before = set(await versions(ready))
    all_of_it = PEERED + OFFLOADED + UNPEER + UNOFFLOAD
    await eventually(partial(refusal, ready), is_=all_of_it, within=120)
    assert before <= set(await versions(ready))  # controllers may still add to a peering
    await ready.kubectl("delete", "namespaceoffloading", "offloading", "-n", "demo")
    assert await refusal(ready) == PEERED + UNPEER
    await loan.unpeer()
    for site in (ready, milan):
        await eventually(partial(roles, site), is_="Unknown")
    await ready.kubectl("create", "-f", "-", text=UNHEARD)
    said = await uninstalled(ready)
    assert (
        "WARN: providers that did not answer when this cluster left are not told until Liqo is "
        "installed here again: naples; the administrator of each takes back what this cluster had "
        "there with: liqoctl drain tenant venice"
    ) in said.told
    chosen = {"KUBECONFIG": str(milan.kubeconfig)}
    ended = await liqoctl("uninstall", "--skip-confirm", environment=chosen)
    assert ended.code == 0, ended.stderr
    ended = await liqoctl("uninstall", of(ready), "--skip-confirm", "--purge")
    assert ended.code == 0, ended.stderr
    assert await definitions(ready) == []
    left = (await ready.kubectl("get", "namespaces", "-o", "name")).split()
    assert [name for name in left if "liqo" in name] == []


async def roles(site: Site) -> str:
    path = "jsonpath={.items[*].status.role}"
    return await site.kubectl("get", "foreignclusters", "-o", path)


async def refusal(site: Site) -> str:
    """Empty where nothing is in the way of it any more."""
    ended = await liqoctl("uninstall", of(site), "--skip-confirm")
    return ended.stderr if ended.code == 1 else ""


async def uninstalled(site: Site) -> Ended:
    """What ran is gone; what it knew is still there."""
    ended = await liqoctl("uninstall", of(site), "--skip-confirm")
    assert ended.code == 0, ended.stderr
    assert "INFO: Pre-uninstall checks passed" in ended.stderr
    assert ended.stderr.endswith("INFO: Liqo uninstalled\n")
    assert len(await definitions(site)) == 29  # those of the wire, and PeeringClaim
    ours = ("-l", "app.kubernetes.io/part-of=liqo", "-o", "name")
    everywhere = "clusterroles,clusterrolebindings,mutatingwebhookconfigurations,runtimeclasses"
    assert await site.kubectl("get", everywhere, *ours) == ""
    assert await site.kubectl("get", "deployments", "--namespace=liqo", "-o", "name") == ""
    assert await registered(site) == ""
    return ended
