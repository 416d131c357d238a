"""Two namespaces of Rome that want the same twin: who has it keeps it, and its content with it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass

import pytest

from liqo.api import labels
from liqo.api.kubernetes import Namespace
from liqo.api.meta import JSON, Key
from liqo.api.offloading import NamespaceMap
from liqo.kube.reading import metadata
from tests.e2e.eventually import ENDING, eventually
from tests.e2e.provinces import SOUTH, Province, Town

NOWHERE: JSON = {
    "nodeSelectorTerms": [{"matchExpressions": [{"key": "planet", "operator": "Exists"}]}]
}
SECRET = "password"


@dataclass(frozen=True)
class Rivals:
    province: Province
    first: Town  # has the twin
    second: Town  # is older, and would like to have it
    twin: str

    async def owner(self) -> tuple[str, str]:
        """Which twin it is, and for whom it says that it was made."""
        seen = (await self.province.turin.get(metadata(Namespace), Key("", self.twin))).metadata
        return seen.uid, seen.annotations[labels.ORIGINAL_NAME]

    async def secrets(self) -> str:
        turin = self.province.sites["turin"]
        which = ("secrets", SECRET, "-n", self.twin, "--ignore-not-found", "-o", "name")
        return (await turin.kubectl("get", *which)).strip()

    async def is_refused(self, town: Town, holder: Town) -> None:
        await eventually(town.phase, is_="AllFailed")
        found = await town.offloading()
        assert found is not None
        [_, failed] = found.status.remote_namespaces_conditions["turin"]
        assert failed.reason == "CreationLoopBackOff"
        assert f'the namespace "{holder.name}" is called "{self.twin}" there' in failed.message

    async def is_handed_over(self, before: str) -> None:
        """The second one has it, made anew and with nothing in it."""

        async def has_another() -> bool:
            uid, original = await self.owner()
            return uid != before and original == self.second.name

        await eventually(has_another, within=ENDING)
        await eventually(self.second.phase, is_="Ready")
        assert await self.secrets() == ""


@pytest.fixture
async def rivals(province: Province) -> AsyncIterator[Rivals]:
    """The one selects no cluster when the other is offloaded, and both Turin thereafter."""
    async with province.namespace() as second, province.namespace() as first:
        both = Rivals(province, first, second, f"{first.name}-rome")
        await second.offload(
            namespaceMappingStrategy="SelectedName",
            remoteNamespaceName=both.twin,
            clusterSelector=NOWHERE,
            until="NoClusterSelected",
        )
        await first.offload(clusterSelector=SOUTH)
        rome, word = province.sites["rome"], "--from-literal=word=friend"
        await rome.kubectl("create", "secret", "generic", SECRET, "-n", first.name, word)
        await eventually(both.secrets, is_=f"secret/{SECRET}")
        yield both


async def test_who_has_a_twin_keeps_it_and_leaves_nothing_to_the_next(rivals: Rivals) -> None:
    first, second = rivals.first, rivals.second
    before = await rivals.owner()
    assert before[1] == first.name
    await second.change(clusterSelector=SOUTH)
    await rivals.is_refused(second, first)
    assert await rivals.owner() == before
    assert await first.phase() == "Ready"
    await first.unoffload()
    await rivals.is_handed_over(before[0])


async def test_a_map_that_names_another_for_a_twin_gives_it_nothing_of_the_first(
    rivals: Rivals,
) -> None:
    """By hand and at one stroke, as the controllers of Rome never write it; Turin knows itself."""
    first, second = rivals.first, rivals.second
    uid, _ = await rivals.owner()
    await second.change(clusterSelector=SOUTH)
    await rivals.is_refused(second, first)
    change: JSON = {"spec": {"desiredMapping": {first.name: None, second.name: rivals.twin}}}
    key = Key("liqo-tenant-turin", "turin")
    await rivals.province.rome.patch(NamespaceMap.KIND, key, change, how="merge")
    await rivals.is_handed_over(uid)
    await rivals.is_refused(first, second)
