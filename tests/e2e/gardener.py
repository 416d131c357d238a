"""Sets up the garden of the torture test, changes things in it, and compares it with the plan."""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cryptography import x509
from cryptography.hazmat.primitives import hashes

from liqo.api.kubernetes import CustomResourceDefinition, Namespace
from liqo.api.meta import JSON, Key, Kind, Resource
from liqo.kube.cache import Cache, Caches
from liqo.kube.cluster import Cluster
from liqo.kube.errors import NotFound
from liqo.kube.http import Call
from liqo.runtime.metrics import Metrics
from liqo.runtime.pace import IMPATIENT
from liqo.runtime.program import Program, run
from tests.e2e.control_plane import ControlPlane
from tests.e2e.garden import FRUITS, Fruit, Seed, a_seed, controllers, is_ours, seed_crd
from tests.e2e.proxies import Proxy, proxy

USER = "torture"  # whom the engine under test is to the API server
ADMIN = "admin"
MASTERS = "system:masters"
MANAGER = "tests"
NAMESPACES = 10
AT_A_TIME = 16
MODELS: tuple[type[Resource], ...] = (Seed, *(fruit.model for fruit in FRUITS))
SPOILT = 1_000_001  # a value that no Seed has
ROLE_BINDING = Kind(
    "rbac.authorization.k8s.io",
    "v1",
    "ClusterRoleBinding",
    "clusterrolebindings",
    namespaced=False,
)
WRITES = frozenset({"POST", "PATCH", "PUT", "DELETE"})


@dataclass
class Gardener:
    """Works by a way of its own, which no fault touches but a dead API server."""

    plane: ControlPlane
    proxy: Proxy
    admin: Cluster
    caches: Caches
    chance: random.Random
    calls: list[Call]
    metrics: Metrics
    columns: int = 0
    planted: int = 0
    first_certificate: str = ""

    @property
    def unanswered(self) -> float:
        """Reconciles that failed without an answer: the engine cannot know what was done."""
        return sum(
            sample.value
            for family in self.metrics.registry.collect()
            for sample in family.samples
            if sample.name == "liqo_reconcile_failures_total"
            and sample.labels["error"] in ("Unreachable", "ServerFault")
        )

    def was_throttled(self) -> bool:
        return any(call.code == 429 and call.verb in WRITES for call in self.calls)

    def lists(self) -> dict[str, int]:
        return {str(cache): cache.lists for cache in self.caches if isinstance(cache, Cache)}

    async def plant(self, count: int) -> None:
        keys = [self._new_key() for _ in range(count)]
        turns = asyncio.Semaphore(AT_A_TIME)

        async def plant_one(key: Key) -> None:
            async with turns:
                await self._plant(key)

        async with asyncio.TaskGroup() as tasks:
            for key in keys:
                tasks.create_task(plant_one(key))

    async def change_something(self) -> None:
        """One of each: a Seed changes, one goes, one comes, a fruit is taken, one is spoilt."""
        await self.change_one_seed()
        await self._delete(Seed, await self._any_seed())
        await self._plant(self._new_key())
        await self._delete(self._any_fruit().model, await self._any_seed())
        await self._spoil(self._any_fruit(), await self._any_seed())

    async def change_one_seed(self) -> Key:
        key = await self._any_seed()
        change = {"spec": {"value": self.chance.randrange(1_000_000)}}
        await self._patch(Seed, key, change)
        return key

    async def is_done(self, key: Key) -> bool:
        try:
            seed = await self.admin.get(Seed, key)
        except NotFound:
            return True
        return seed.status.value == seed.spec.value

    async def all_is_as_planned(self) -> bool:
        """Asks the API server only when the engine itself believes it."""
        known = {model: {found.key: found for found in self.caches.of(model)} for model in MODELS}
        if not _is_as_planned(known):
            return False
        return _is_as_planned({model: await self._list(model) for model in MODELS})

    async def caches_equal_fresh_lists(self) -> bool:
        for cache in self.caches:
            if {found.key: found for found in cache} != await self._list(cache.reading.model):
                return False
        return True

    def replace_certificate(self) -> None:
        self.first_certificate = self.first_certificate or _credential(self.plane.folder)
        self.plane.certify(USER)

    def old_certificate_was_given_up(self) -> bool:
        used = [_credential_of(entry) for entry in self.plane.audit() if _user(entry) == USER]
        return self.first_certificate in used and self.first_certificate not in used[-100:]

    def needless_writes(self) -> int:
        """Writes that say what the last write to the same object had said, with none between."""
        last: dict[str, Any] = {}
        needless: Counter[str] = Counter()
        for entry in self.plane.audit():
            if not 200 <= entry["responseStatus"]["code"] < 300:
                continue
            where = _object_of(entry)
            said = (_user(entry), entry["verb"], entry.get("requestObject"))
            if last.get(where) == said and _user(entry) == USER:
                needless[where] += 1
            last[where] = said
        return needless.total()

    def _new_key(self) -> Key:
        self.planted += 1
        return Key(f"garden-{self.planted % NAMESPACES}", f"seed-{self.planted}")

    async def _any_seed(self) -> Key:
        await asyncio.sleep(0)
        return self.chance.choice(_keys(self.caches.of(Seed)))

    def _any_fruit(self) -> Fruit:
        return self.chance.choice(FRUITS)

    async def _plant(self, key: Key) -> None:
        body = a_seed(key, self.chance.randrange(1_000_000))
        await self.admin.create(body, kind=Seed.KIND, namespace=key.namespace)

    async def _spoil(self, fruit: Fruit, key: Key) -> None:
        await self._patch(fruit.model, key, fruit.carry(SPOILT))

    async def _patch(self, model: type[Resource], key: Key, change: JSON) -> None:
        with suppress(NotFound):  # chosen from a copy, and gone since
            await self.admin.patch(model.KIND, key, change, how="merge")

    async def _delete(self, model: type[Resource], key: Key) -> None:
        with suppress(NotFound):
            await self.admin.delete(model.KIND, key)

    async def _list(self, model: type[Resource]) -> dict[Key, Any]:
        listing = await self.admin.list(model, resource_version="")
        return {found.key: found for found in listing.items}


@asynccontextmanager
async def garden(folder: Path, seed: int) -> AsyncIterator[Gardener]:
    """The engine runs before its CustomResourceDefinition is there: that, too, must do."""
    calls: list[Call] = []
    async with (
        ControlPlane(folder) as plane,
        proxy(f"https://127.0.0.1:{plane.port}") as between,
    ):
        access = plane.access(USER, port=between.port)
        async with (
            Cluster(plane.access(ADMIN, MASTERS), name="admin") as admin,
            Cluster(access, name="garden", limits=IMPATIENT, tell=calls.append) as cluster,
        ):
            caches = Caches(cluster)
            program = Program({"local": caches}, controllers(caches))
            gardener = Gardener(
                plane, between, admin, caches, random.Random(seed), calls, program.metrics
            )
            stop = asyncio.Event()
            async with asyncio.TaskGroup() as tasks:
                tasks.create_task(run(program, stop))
                await _prepare(gardener)
                yield gardener
                stop.set()


async def _prepare(gardener: Gardener) -> None:
    admin = gardener.admin
    await admin.create(_all_rights(), kind=ROLE_BINDING)
    for number in range(NAMESPACES):
        body = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": f"garden-{number}"}}
        await admin.create(body, kind=Namespace.KIND)
    await admin.create(seed_crd(), kind=CustomResourceDefinition.KIND)
    async with asyncio.timeout(60):
        await gardener.caches.wait_synced()


def _all_rights() -> JSON:
    """Like a master, but not exempt from flow control as the group of masters is."""
    group = "rbac.authorization.k8s.io"
    return {
        "apiVersion": ROLE_BINDING.api_version,
        "kind": ROLE_BINDING.name,
        "metadata": {"name": USER},
        "roleRef": {"apiGroup": group, "kind": "ClusterRole", "name": "cluster-admin"},
        "subjects": [{"apiGroup": group, "kind": "User", "name": USER}],
    }


def _is_as_planned(there: Mapping[type[Resource], Mapping[Key, Any]]) -> bool:
    """Every Seed has its four fruits with its value, and says so; no fruit is without Seed."""
    wanted = {key: seed.spec.value for key, seed in there[Seed].items()}
    grown = [{key: seed.status.value for key, seed in there[Seed].items()}]
    for fruit in FRUITS:
        ripe = {key: found for key, found in there[fruit.model].items() if is_ours(found)}
        grown.append({key: fruit.value(found) for key, found in ripe.items()})
    return all(values == wanted for values in grown)


def _keys(cache: Cache[Seed]) -> list[Key]:
    return [seed.key for seed in cache]


def _user(entry: JSON) -> str:
    return str(entry["user"].get("username", ""))


def _object_of(entry: JSON) -> str:
    reference = entry["objectRef"]
    name = reference.get("name") or entry.get("requestObject", {}).get("metadata", {}).get("name")
    parts = (reference["resource"], reference.get("namespace"), name, reference.get("subresource"))
    return "/".join(map(str, parts))


def _credential_of(entry: JSON) -> str:
    extra = entry["user"].get("extra", {})
    return str(extra.get("authentication.kubernetes.io/credential-id", [""])[0])


def _credential(folder: Path) -> str:
    certificate = x509.load_pem_x509_certificate((folder / f"{USER}.crt").read_bytes())
    return f"X509SHA256={certificate.fingerprint(hashes.SHA256()).hex()}"
