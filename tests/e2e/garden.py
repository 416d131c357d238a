"""Five controllers for the torture test: each Seed wants four objects that carry its value.

garden/configmap   Seed → ConfigMap, by Apply
garden/secret      Seed → Secret, by Create and Patch
garden/lease       Seed → Lease, by Create and Patch
garden/account     Seed → ServiceAccount, by Create and Patch
garden/status      all four have the value of the Seed → the Seed's status says so
"""

from __future__ import annotations

import base64
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

from liqo.api.kubernetes import ConfigMap, Lease, Secret, ServiceAccount
from liqo.api.meta import JSON, Key, Kind, Model, Resource
from liqo.kube.cache import Caches
from liqo.runtime.controller import Controller, itself
from liqo.runtime.plan import (
    NOTHING,
    Apply,
    Create,
    Delete,
    Manifest,
    Patch,
    PatchStatus,
    Plan,
    do,
)

LABEL = "torture.liqo.io/seed"


class SeedSpec(Model, frozen=True):
    value: int = 0


class SeedStatus(Model, frozen=True):
    value: int = -1


class Seed(Resource, frozen=True):
    KIND: ClassVar[Kind] = Kind("torture.liqo.io", "v1", "Seed", "seeds")

    spec: SeedSpec = SeedSpec()
    status: SeedStatus = SeedStatus()


def seed_crd(columns: int = 0) -> JSON:
    """The definition of Seed; another number of columns is a change that restarts its storage."""
    column = {"type": "integer", "jsonPath": ".spec.value"}
    number = {"type": "integer"}
    part = {"type": "object", "properties": {"value": number}}
    schema = {"type": "object", "properties": {"spec": part, "status": part}}
    version = {
        "name": "v1",
        "served": True,
        "storage": True,
        "schema": {"openAPIV3Schema": schema},
        "subresources": {"status": {}},
        "additionalPrinterColumns": [{**column, "name": f"Value{n}"} for n in range(columns + 1)],
    }
    names = {"kind": "Seed", "plural": "seeds", "singular": "seed", "listKind": "SeedList"}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "seeds.torture.liqo.io"},
        "spec": {
            "group": "torture.liqo.io",
            "scope": "Namespaced",
            "names": names,
            "versions": [version],
        },
    }


@dataclass(frozen=True)
class Fruit:
    """One of the four kinds that a Seed wants: how it carries a value."""

    name: str
    model: type[Resource]
    carry: Callable[[int], JSON]
    value: Callable[[Any], int]
    applied: bool = False


def _secret_value(secret: Secret) -> int:
    return int(base64.b64decode(secret.data.get("value", "")) or -1)


FRUITS = (
    Fruit(
        "configmap",
        ConfigMap,
        lambda value: {"data": {"value": str(value)}},
        lambda found: int(found.data.get("value", -1)),
        applied=True,
    ),
    Fruit("secret", Secret, lambda value: {"stringData": {"value": str(value)}}, _secret_value),
    Fruit(
        "lease",
        Lease,
        lambda value: {"spec": {"leaseTransitions": value}},
        lambda found: int(found.spec.get("leaseTransitions", -1)),
    ),
    Fruit(
        "account",
        ServiceAccount,
        lambda value: {"metadata": {"annotations": {"value": str(value)}}},
        lambda found: int(found.metadata.annotations.get("value", -1)),
    ),
)


@dataclass(frozen=True)
class Bed:
    """A Seed and one of its fruits; either may be missing."""

    key: Key
    seed: Seed | None
    fruit: Resource | None


def controllers(here: Caches) -> list[Controller[Any]]:
    return [*(_fruit_controller(here, fruit) for fruit in FRUITS), _status_controller(here)]


def _fruit_controller(here: Caches, fruit: Fruit) -> Controller[Bed]:
    def observe(key: Key) -> Bed:
        return Bed(key, here.of(Seed).get(key), _ripe(here, fruit, key))

    return Controller(
        name=f"garden/{fruit.name}",
        watches={here.of(Seed): itself, here.of(fruit.model): itself},
        observe=observe,
        plan=partial(plan_fruit, fruit),
    )


def plan_fruit(fruit: Fruit, bed: Bed) -> Plan:
    if bed.seed is None:
        return do(Delete(bed.fruit)) if bed.fruit is not None else NOTHING
    value = bed.seed.spec.value
    if fruit.applied:
        return do(Apply(manifest(fruit, bed.key, value)))
    if bed.fruit is None:
        return do(Create(manifest(fruit, bed.key, value)))
    if fruit.value(bed.fruit) == value:
        return NOTHING
    return do(Patch(bed.fruit, fruit.carry(value)))


def manifest(fruit: Fruit, key: Key, value: int) -> Manifest:
    body = fruit.carry(value)
    metadata = {"name": key.name, "namespace": key.namespace, "labels": {LABEL: key.name}}
    return Manifest(
        fruit.model.KIND, {**body, "metadata": {**body.get("metadata", {}), **metadata}}
    )


@dataclass(frozen=True)
class Harvest:
    seed: Seed
    values: tuple[int, ...]


def _status_controller(here: Caches) -> Controller[Harvest]:
    def observe(key: Key) -> Harvest | None:
        seed = here.of(Seed).get(key)
        if seed is None:
            return None
        ripe = [(fruit, _ripe(here, fruit, key)) for fruit in FRUITS]
        return Harvest(seed, tuple(fruit.value(found) if found else -1 for fruit, found in ripe))

    models: list[type[Resource]] = [Seed, *(fruit.model for fruit in FRUITS)]
    return Controller(
        name="garden/status",
        watches={here.of(model): itself for model in models},
        observe=observe,
        plan=plan_status,
    )


def plan_status(harvest: Harvest) -> Plan:
    seed, value = harvest.seed, harvest.seed.spec.value
    if seed.status.value == value or set(harvest.values) != {value}:
        return NOTHING
    return do(PatchStatus(seed, {"value": value}))


def _ripe(here: Caches, fruit: Fruit, key: Key) -> Resource | None:
    """What others keep under such a name is theirs."""
    found = here.of(fruit.model).get(key)
    return found if found is not None and is_ours(found) else None


def is_ours(found: Resource) -> bool:
    return LABEL in found.metadata.labels


def a_seed(key: Key, value: int) -> JSON:
    return {
        "apiVersion": Seed.KIND.api_version,
        "kind": "Seed",
        "metadata": {"name": key.name, "namespace": key.namespace},
        "spec": {"value": value},
    }
