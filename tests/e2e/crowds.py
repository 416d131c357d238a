"""A crowd of pods of Rome on the virtual node of Milan, in clusters that tests may break.

Milan has simulated nodes, on which hundreds of pods cost nothing; what must really run, runs on
its real ones.
"""

from __future__ import annotations

import asyncio
import json
import signal
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from itertools import chain
from typing import TypeVar
from uuid import uuid4

import pytest

from liqo.api.kubernetes import Pod
from liqo.api.meta import JSON, Key
from liqo.kube.cluster import Cluster
from liqo.kube.errors import NotFound
from liqo.kube.kubeconfig import from_kubeconfig
from liqo.kube.paths import Scope
from liqo.playground import cgroups, faults, images, processes
from liqo.playground.cluster import Site
from liqo.playground.layout import Options, Simulated
from liqo.playground.playground import Playground
from tests.e2e.eventually import eventually
from tests.e2e.installation import install, of
from tests.e2e.liqoctl import liqoctl
from tests.e2e.offloaded import TENANT, a_pod, condition, mapped
from tests.observer import Observer

SIMULATED = "example.com/simulated"  # a resource that only simulated nodes have, and their taint
NODES = Simulated(6, resources=((SIMULATED, "1000"),))  # of a thousand pods each
LOAN = ("--cpu=2000", "--memory=2Ti", "--pods=6000", f"--resource={SIMULATED}=6000")
KUBELET = "liqo.io/virtual-node=milan"
LABELS = {"topology.liqo.io/region": "south", "liqo.io/provider": "kubeadm"}  # of Milan
AT_A_TIME = 16  # requests
REAL = 2  # pods that run, beside one that finishes

T = TypeVar("T")


@pytest.fixture(scope="session")
async def targets() -> AsyncIterator[tuple[Site, Site]]:
    """Rome, peered with Milan. Its kubelet notices within seconds what others take a minute for."""
    playground = Playground(f"own-{uuid4().hex[:8]}", print)
    try:
        rome, milan = await playground.up(["rome", "milan"], Options(audit=True))
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(install(rome))
            tasks.create_task(install(milan, LABELS))
        # Only now, so that nothing of the product is on a node that exists for the scheduler only.
        [milan] = await playground.up(["milan"], Options(1, simulated=NODES, audit=True))
        await milan.kubectl("taint", "nodes", "-l", "type=kwok", f"{SIMULATED}=:NoSchedule")
        impatient = json.dumps(
            [{"op": "add", "path": "/spec/extraArgs/-", "value": "--node-ping-interval=1s"}]
        )
        options = ("vkoptionstemplate/virtual-kubelet-default", "-n", "liqo")
        await rome.kubectl("patch", *options, "--type=json", "-p", impatient)
        both = (of(rome), f"--remote-kubeconfig={milan.kubeconfig}")
        ended = await liqoctl("peer", "--networking-disabled", *LOAN, *both)
        assert ended.code == 0, ended.stderr
        await eventually(partial(condition, rome, "node/milan", "Ready"), is_="True")
        yield rome, milan
    finally:
        await playground.down()


@pytest.fixture
async def crowd(targets: tuple[Site, Site]) -> AsyncIterator[Crowd]:
    """With a namespace of its own; every test begins with a kubelet that works."""
    rome, milan = targets
    async with admin(rome) as here, admin(milan) as there:
        found = Crowd(rome, milan, here, there, f"crowd-{uuid4().hex[:6]}")
        await found.renew_kubelet()
        await eventually(found.node_is_ready)
        async with mapped(rome, found.namespace):
            yield found


def admin(site: Site) -> Cluster:
    return Cluster(from_kubeconfig(str(site.kubeconfig)), name=site.cluster.name)


@dataclass(frozen=True)
class Crowd:
    rome: Site
    milan: Site
    here: Cluster
    there: Cluster
    namespace: str

    @property
    def remote(self) -> str:
        return f"{self.namespace}-rome"

    def observed(self) -> Observer:
        return Observer(self.rome, self.milan, {self.namespace: self.remote})

    async def start(self, count: int, name: str = "simulated") -> None:
        await self._create(a_simulated_pod(f"{name}-{number}") for number in range(count))

    async def start_mixed(self, simulated: int, real: Sequence[str]) -> None:
        """Pods with these names and with containers, spread evenly among simulated ones."""
        pods = [a_simulated_pod(f"simulated-{number}") for number in range(simulated)]
        apart = simulated // (len(real) + 1)
        for number, name in enumerate(real, 1):
            pods.insert(number * apart, a_real_pod(name))
        await self._create(pods)

    async def start_real(self) -> None:
        """Pods with containers: only of those can be known how often they were started."""
        await self._create([*(a_real_pod(f"real-{number}") for number in range(REAL)), a_task()])

    async def start_hasty(self, name: str) -> None:
        """A real pod that does not wait for a node that is lost."""
        pod = a_real_pod(name)
        pod["spec"]["tolerations"] += [
            {"key": f"node.kubernetes.io/{why}", "operator": "Exists", "tolerationSeconds": 1}
            | {"effect": "NoExecute"}
            for why in ("unreachable", "not-ready")
        ]
        await self._create([pod])

    async def remove(self, seen: Observer, *names: str) -> None:
        """These pods, or all."""
        pods = (await self.here.list(Pod, scope=Scope(self.namespace), resource_version="")).items
        chosen = [pod for pod in pods if not names or pod.metadata.name in names]
        seen.take(*(pod.metadata.uid for pod in chosen))
        await at_once(lambda pod: self.here.delete(Pod.KIND, pod.key), chosen)

    async def force_anew(self, name: str, seen: Observer) -> None:
        """Gone without anybody's leave, and another one of its name in its place."""
        pod = await self.here.get(Pod, Key(self.namespace, name))
        seen.take(pod.metadata.uid)
        await self.here.delete(Pod.KIND, pod.key, grace=0)
        await self._create([a_simulated_pod(name)])

    async def kubelet(self) -> Pod:
        async def look() -> list[Pod]:
            found = await self.here.list(Pod, scope=Scope(TENANT, KUBELET), resource_version="")
            return [each for each in found.items if each.metadata.deletion_timestamp is None]

        [pod] = await eventually(look, lambda found: len(found) == 1)
        return pod

    async def doom_kubelet(self) -> Callable[[], None]:
        """What ends it as a crash does: it cannot even let go of its lease.

        At once, when it is called: to find it takes longer than some things last.
        """
        pod = await self.kubelet()
        found = await faults.victims(faults.target(self.rome, str(pod.key)))
        return partial(processes.send, signal.SIGKILL, found)

    async def kubelets_processes(self) -> Callable[[], Awaitable[set[int]]]:
        """How to look for them, also while nobody answers in Rome: none, one, or the next one."""
        uid = (await self.kubelet()).metadata.uid

        async def look() -> set[int]:
            try:
                found = [cgroups.processes(each.cgroup, uid) for each in self.rome.cluster.nodes]
            except OSError:
                return set()  # a group that went while it was looked at
            inside = filter(None, map(processes.read, chain.from_iterable(found)))
            return {each.pid for each in inside if each.name.startswith("python")}

        return look

    async def renew_kubelet(self) -> None:
        """One that has crashed before would be started again later and later."""
        pod = await self.kubelet()
        if any(each["restartCount"] for each in pod.status.get("containerStatuses", ())):
            await self.replace_kubelet()

    async def replace_kubelet(self) -> None:
        """In peace: it lets go of its lease."""
        await self.rome.kubectl("delete", "pod", "-l", KUBELET, "-n", TENANT)
        await self.kubelet()

    async def writers(self, uids: Collection[str]) -> Counter[str]:
        """Who wrote these pods last, at home or on the provider: for the message of a failure."""
        found = Counter[str]()
        for site, namespace in ((self.rome, self.namespace), (self.milan, self.remote)):
            words = ("get", "pods", "-n", namespace, "-o", "json", "--show-managed-fields")
            for each in json.loads(await site.kubectl(*words))["items"]:
                written = each["metadata"].get("managedFields", ())
                if each["metadata"]["uid"] in uids and written:
                    last = max(written, key=lambda entry: str(entry["time"]))
                    found[f"{last['manager']} {last.get('subresource', '')}"] += 1
        return found

    async def restarts(self, name: str) -> int:
        """As the local pod tells them."""
        pod = await self.here.get(Pod, Key(self.namespace, name))
        return sum(each["restartCount"] for each in pod.status.get("containerStatuses", ()))

    async def node_is_ready(self) -> bool:
        return await condition(self.rome, "node/milan", "Ready") == "True"

    async def node_is_lost(self) -> bool:
        return await condition(self.rome, "node/milan", "Ready") == "False"

    async def _create(self, pods: Iterable[JSON]) -> None:
        async def create(pod: JSON) -> None:
            await self.here.create(pod, kind=Pod.KIND, namespace=self.namespace)

        await at_once(create, list(pods))


def a_real_pod(name: str) -> JSON:
    made: JSON = json.loads(a_pod(name, ""))
    del made["metadata"]["namespace"]
    made["spec"]["terminationGracePeriodSeconds"] = 1
    return made


def a_task(name: str = "task") -> JSON:
    made = a_real_pod(name)
    container = {"name": "task", "image": images.HELPER, "command": ["true"]}
    return {**made, "spec": {**made["spec"], "restartPolicy": "Never", "containers": [container]}}


def a_simulated_pod(name: str) -> JSON:
    made = a_real_pod(name)
    [container] = made["spec"]["containers"]
    container["resources"] = {"limits": {SIMULATED: "1"}}
    made["spec"]["tolerations"].append({"key": SIMULATED, "operator": "Exists"})
    return made


async def at_once(do: Callable[[T], Awaitable[None]], things: Sequence[T]) -> None:
    """For all of them, some at a time; what is gone already needs nothing."""
    turns = asyncio.Semaphore(AT_A_TIME)

    async def one(thing: T) -> None:
        async with turns:
            with suppress(NotFound):
                await do(thing)

    async with asyncio.TaskGroup() as tasks:
        for thing in things:
            tasks.create_task(one(thing))
