"""A virtual kubelet is rolled, handed over, limited and measured, and its pods do not notice."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import partial
from typing import Any
from uuid import uuid4

import pytest

from liqo.api import labels
from liqo.api.kubernetes import ConfigMap, Lease, Secret
from liqo.api.meta import JSON, Key
from liqo.cli.playground import installing
from liqo.kube.access import Material, User
from liqo.kube.cluster import Cluster
from liqo.kube.errors import Forbidden
from liqo.kube.kubeconfig import from_kubeconfig
from liqo.kube.paths import Scope
from liqo.playground import images
from liqo.playground.cluster import Site
from liqo.rules import names
from tests.captured import captured
from tests.e2e.eventually import eventually
from tests.e2e.kubelets import (
    DEFAULT,
    NODES,
    OPTIONS,
    PORT,
    REFLECTION,
    change,
    holder,
    kubelets,
    leader,
    metrics,
    only,
    own_options,
    put_node,
    rolled_out,
    taken_over,
    template,
    use,
)
from tests.e2e.loans import Loan
from tests.e2e.offloaded import (
    TENANT,
    a_pod,
    condition,
    extend,
    new_namespace,
    read,
    withdraw,
)

CREDENTIAL = "kubeconfig-resourceslice-milan"
SECRET = "for-the-kubelet"


@pytest.fixture
async def options(peered: dict[str, Site]) -> AsyncIterator[str]:
    async with own_options(peered["rome"]) as name:
        yield name


async def is_there(site: Site, *what: str) -> bool:
    return bool(await site.kubectl("get", *what, "--ignore-not-found", "-o", "name"))


def life(pod: dict[str, Any]) -> object:
    """Whatever would be different, had somebody touched it."""
    status = pod["status"]
    since = {each["type"]: each["lastTransitionTime"] for each in status["conditions"]}
    restarts = [each["restartCount"] for each in status["containerStatuses"]]
    return pod["metadata"]["uid"], status["startTime"], since, restarts


async def test_a_policy_of_reflection_counts_at_once_and_restarts_nobody(
    peered: dict[str, Site], shop: str, options: str
) -> None:
    rome, milan = peered["rome"], peered["milan"]
    copy = partial(is_there, milan, "configmap/settings", "-n", f"{shop}-rome")
    await rome.kubectl("create", "configmap", "settings", "-n", shop)
    await eventually(copy)
    before = await kubelets(rome)
    only_allowed = {"configmap": {"workers": 3, "type": "AllowList"}}
    await change(rome, options, {"reflectorsConfig": only_allowed})
    await eventually(copy, is_=False)
    allow = ("configmap/settings", "-n", shop, "liqo.io/allow-reflection=true")
    await rome.kubectl("annotate", *allow)
    await eventually(copy)
    assert await kubelets(rome) == before


async def test_P_RACE1_new_options_roll_the_kubelet_and_its_pods_do_not_notice(
    peered: dict[str, Site], shop: str, options: str
) -> None:
    """Image, arguments, resources and replicas; then the leader goes, and the other takes over.

    The lease lasts longer than we wait: it is handed over, and does not run out.
    """
    rome, milan = peered["rome"], peered["milan"]
    await rome.kubectl("apply", "-f", "-", text=a_pod("web", shop))
    await eventually(lambda: condition(rome, "pod/web", "Ready", "-n", shop), is_="True")
    pods = ((rome, "pod/web", "-n", shop), (milan, "pod/web", "-n", f"{shop}-rome"))
    lives = [life(await read(*pod)) for pod in pods]
    first = await kubelets(rome)
    usual = (await read(rome, f"{OPTIONS}/{DEFAULT}", "-n", "liqo"))["spec"]
    names = images.names(await installing.product(print))
    other = next(name for name in names if name != usual["containerImage"])
    news = {
        "containerImage": other,
        "extraArgs": [*usual["extraArgs"], "--vk-lease-duration=300s"],
        "resources": {"requests": {"cpu": "10m"}},
        "replicas": 2,
    }
    await change(rome, options, news)
    await eventually(lambda: kubelets(rome), lambda now: len(now.keys() - first.keys()) == 2)
    await rolled_out(rome)
    second = await eventually(lambda: kubelets(rome), lambda now: len(now) == 2)
    assert first.keys().isdisjoint(second)
    deployment = await read(rome, "deployment/vk-milan", "-n", TENANT)
    [container] = deployment["spec"]["template"]["spec"]["containers"]
    assert container["image"] == other
    assert container["resources"] == news["resources"]
    leading = await eventually(lambda: holder(rome, "milan"), lambda name: name in second)
    await eventually(lambda: holder(rome, REFLECTION), is_=leading)
    await rome.kubectl("delete", "pod", leading, "-n", TENANT)
    next_one = await eventually(
        lambda: holder(rome, "milan"), lambda name: name not in ("", leading)
    )
    await eventually(lambda: holder(rome, REFLECTION), is_=next_one)
    await rome.kubectl("apply", "-f", "-", text=a_pod("later", shop))
    await eventually(lambda: condition(rome, "pod/later", "Ready", "-n", shop), is_="True")
    assert [life(await read(*pod)) for pod in pods] == lives


async def test_a_template_that_liqo_made_starts_our_kubelet_as_well(
    peered: dict[str, Site], shop: str
) -> None:
    rome = peered["rome"]
    before = await kubelets(rome)
    async with as_liqo_made_it(rome) as wanted:
        await taken_over(rome, before)
        [runs] = (await template(rome, "milan"))["spec"]["containers"]
        assert (runs["command"], runs["args"]) == (wanted["command"], wanted["args"])
        await eventually(lambda: condition(rome, "node/milan", "Ready"), is_="True")
        await rome.kubectl("apply", "-f", "-", text=a_pod("web", shop))
        await eventually(lambda: condition(rome, "pod/web", "Ready", "-n", shop), is_="True")


@asynccontextmanager
async def as_liqo_made_it(rome: Site) -> AsyncIterator[JSON]:
    """The kubelet runs as the original would start it, but for the image, which is ours.

    Without options: they would count for more than the template of its VirtualNode.
    """
    usual = await template(rome, "milan")
    ours = (await read(rome, f"{NODES}/milan", "-n", TENANT))["spec"]["template"]
    theirs = captured("consumer", "VirtualNode", "milan")["spec"]["template"]
    [container] = theirs["spec"]["template"]["spec"]["containers"]
    container["image"] = usual["spec"]["containers"][0]["image"]
    try:
        await put_template(rome, theirs)
        await use(rome, "milan", "options-that-are-not-there")
        yield container
    finally:
        await use(rome, "milan", None)
        await put_template(rome, ours)
        await eventually(partial(template, rome, "milan"), is_=usual)
        await rolled_out(rome)
        await only(rome)


async def put_template(rome: Site, made: JSON) -> None:
    patch = json.dumps([{"op": "replace", "path": "/spec/template", "value": made}])
    await rome.kubectl("patch", NODES, "milan", "-n", TENANT, "--type=json", "-p", patch)


async def test_it_is_measured_under_the_names_of_the_wire(
    peered: dict[str, Site], shop: str, options: str
) -> None:
    rome = peered["rome"]
    before = await kubelets(rome)
    await change(rome, options, {"metricsEnabled": True, "metricsAddress": f":{PORT}"})
    await eventually(lambda: kubelets(rome), lambda now: len(now.keys() - before.keys()) == 1)
    await rolled_out(rome)
    await rome.kubectl("apply", "-f", "-", text=a_pod("web", shop))
    await eventually(lambda: condition(rome, "pod/web", "Ready", "-n", shop), is_="True")
    whose = f'cluster_id="milan",node_name="milan",namespace="{shop}"'
    items = "liqo_virtual_kubelet_reflection_item_counter"
    wanted = [f'{items}{{{whose},reflector_resource="{kind}"}}' for kind in ("Pod", "ConfigMap")]
    wanted.append('liqo_provider_failures{cluster_id="milan"} 0')
    text = await eventually(
        lambda: metrics(rome), lambda told: all(series in told for series in wanted)
    )
    assert "# TYPE liqo_virtual_kubelet_reflection_error_counter counter" in text
    assert "process_cpu_seconds_total" in text


@pytest.mark.row("A12")
async def test_a_kubelet_reads_one_credential_and_speaks_for_its_own_namespaces_alone(
    peered: dict[str, Site], shop: str
) -> None:
    """Asked with its own token: what it could do if somebody broke into it."""
    rome = peered["rome"]
    more = Loan(rome, peered["milan"])
    await more.ask("another")
    try:
        await eventually(lambda: kubelets(rome, "another"), bool)
        mounted = [await credentials(rome, node) for node in ("milan", "another")]
        assert mounted == [[CREDENTIAL], ["kubeconfig-resourceslice-another"]]
        async with as_kubelet(rome, "milan") as kubelet:
            own = await kubelet.get(Secret, Key(TENANT, CREDENTIAL))
            assert own.data["kubeconfig"]
            await eventually(lambda: kubelet.token(Key(shop, "default")), bool)
            await kubelet.list(ConfigMap, scope=Scope(shop))
            await refused_what_is_others(kubelet)
    finally:
        where = ("another", "-n", TENANT)
        await rome.kubectl("delete", "resourceslices.authentication.liqo.io", *where)
        await eventually(partial(is_there, rome, NODES, *where), is_=False, within=120)


@pytest.mark.row("A12")
async def test_a_kubelet_speaks_for_no_namespace_that_goes_to_another_provider(
    peered: dict[str, Site],
) -> None:
    """Though it goes out: with as many rights there as another kubelet has, it has none."""
    rome = peered["rome"]
    turin = Loan(rome, peered["turin"])
    await turin.peer()
    try:
        await turin.works()
        async with (
            sent_to(rome, "milan") as north,
            sent_to(rome, "turin") as south,
            as_kubelet(rome, "milan") as of_milan,
            as_kubelet(rome, "turin") as of_turin,
        ):
            for kubelet, own in ((of_milan, north), (of_turin, south)):
                await eventually(partial(kubelet.token, Key(own, "default")), bool)
                await kubelet.get(ConfigMap, Key(own, names.ROOT_CA))
                await kubelet.get(Secret, Key(own, SECRET))
            await refused_all(of_milan, south)
            await refused_all(of_turin, north)
    finally:
        await turin.unpeer("--delete-namespaces")


@asynccontextmanager
async def sent_to(rome: Site, city: str) -> AsyncIterator[str]:
    """A namespace with a Secret, extended to this provider alone; gone from there in the end."""
    name = f"only-{uuid4().hex[:6]}"
    whose = {"key": labels.REMOTE_CLUSTER_ID, "operator": "In", "values": [city]}
    await new_namespace(rome, name)
    try:
        await rome.kubectl("create", "secret", "generic", SECRET, "-n", name, "--from-literal=a=b")
        selector = {"nodeSelectorTerms": [{"matchExpressions": [whose]}]}
        await extend(rome, name, clusterSelector=selector)
        yield name
    finally:
        await withdraw(rome, name)
        await rome.kubectl("delete", "namespace", name, "--wait=false")


async def refused_all(kubelet: Cluster, namespace: str) -> None:
    """Whatever a kubelet may in a namespace that goes out through it."""
    for kind, name in ((Secret, SECRET), (ConfigMap, names.ROOT_CA)):
        with pytest.raises(Forbidden):
            await kubelet.get(kind, Key(namespace, name))
        with pytest.raises(Forbidden):
            await kubelet.list(kind, scope=Scope(namespace))
    with pytest.raises(Forbidden):
        await kubelet.token(Key(namespace, "default"))


async def refused_what_is_others(kubelet: Cluster) -> None:
    for key in (
        Key(TENANT, "kubeconfig-resourceslice-another"),
        Key("liqo", "authentication-keys"),
    ):
        with pytest.raises(Forbidden):
            await kubelet.get(Secret, key)
    for namespace in (TENANT, "liqo", "default", "kube-system", ""):
        for kind in (Secret, ConfigMap):
            with pytest.raises(Forbidden):
                await kubelet.list(kind, scope=Scope(namespace))
    for namespace in (TENANT, "liqo", "default"):  # each namespace has this one
        with pytest.raises(Forbidden):
            await kubelet.get(ConfigMap, Key(namespace, "kube-root-ca.crt"))
    for account in (Key(TENANT, "another"), Key("liqo", "liqo-controller-manager")):
        with pytest.raises(Forbidden):
            await kubelet.token(account)
    with pytest.raises(Forbidden):
        await kubelet.token(Key("kube-system", "default"))
    for lease in (Key(TENANT, "another"), Key("kube-system", "kube-scheduler")):
        with pytest.raises(Forbidden):
            await kubelet.patch(Lease.KIND, lease, {"spec": {}}, how="merge")


async def credentials(rome: Site, node: str) -> list[str]:
    """The kubeconfigs that a kubelet is told to use, and the Secrets that it mounts."""
    deployment = await read(rome, f"deployment/vk-{node}", "-n", TENANT)
    pod = deployment["spec"]["template"]["spec"]
    [container] = pod["containers"]
    flag = "--foreign-kubeconfig-secret-name="
    told = [each.removeprefix(flag) for each in container["args"] if each.startswith(flag)]
    return [*told, *(volume["secret"]["secretName"] for volume in pod.get("volumes", ()))]


@asynccontextmanager
async def as_kubelet(rome: Site, provider: str) -> AsyncIterator[Cluster]:
    """Whoever holds the token of the ServiceAccount for the node that is called as its provider."""
    account = Key(names.tenant_namespace(provider), provider)
    admin = from_kubeconfig(str(rome.kubeconfig))
    async with Cluster(admin) as cluster:
        token = await cluster.token(account)
    user = User(token=Material(data=token.value))
    async with Cluster(replace(admin, user=user), name="rome") as kubelet:
        yield kubelet


async def test_two_kubelets_of_one_provider_do_not_undo_each_others_reflections(
    peered: dict[str, Site], shop: str
) -> None:
    """They withhold different labels, and one of them reflects."""
    rome, milan = peered["rome"], peered["milan"]
    await put_node(rome, "other", {"offloadingPatch": {"labelsNotReflected": ["colour"]}})
    try:
        await eventually(lambda: condition(rome, "node/other", "Ready"), is_="True")
        marks = ("settings", "-n", shop)
        await rome.kubectl("create", "configmap", *marks)
        await rome.kubectl("label", "configmap", *marks, "colour=red", "size=big")
        copy = ("configmap/settings", "-n", f"{shop}-rome")
        await eventually(lambda: value(milan, copy, "{.metadata.labels.size}"), is_="big")
        version = await value(milan, copy, "{.metadata.resourceVersion}")
        for number in range(5):  # time for each of them to have its say
            await rome.kubectl("create", "configmap", f"more-{number}", "-n", shop)
            there = (f"configmap/more-{number}", "-n", f"{shop}-rome")
            await eventually(partial(is_there, milan, *there))
        assert await value(milan, copy, "{.metadata.resourceVersion}") == version
        assert await eventually(partial(leader, rome, REFLECTION, "milan", "other"), bool)
    finally:
        await rome.kubectl("delete", NODES, "other", "-n", TENANT)


async def value(site: Site, thing: tuple[str, ...], path: str) -> str:
    return await site.kubectl("get", *thing, "-o", f"jsonpath={path}")
