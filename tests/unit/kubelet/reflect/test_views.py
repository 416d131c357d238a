"""What is followed, and how both sides find each other."""

from __future__ import annotations

from dataclasses import replace

import pytest

from liqo.api.kubernetes import ConfigMap, Pod, Secret
from liqo.api.meta import Key
from liqo.api.offloading import MappingPhase
from liqo.kube.arrivals import Arrivals
from liqo.kubelet.namespaces import Place
from liqo.kubelet.reflect.views import follow, follow_pods
from tests.unit.kubelet.pods.things import SITE
from tests.unit.kubelet.reflect.things import a_config_map, a_map, caches, there, views


async def test_a_namespace_that_the_provider_accepted_is_a_place() -> None:
    assert (await views(ConfigMap)).place_of("shop") == Place("shop-rome")


@pytest.mark.parametrize("phase", ["CreationLoopBackOff", "Terminating", None])
async def test_P_RACE2_in_any_other_nothing_is_written(phase: MappingPhase | None) -> None:
    assert (await views(ConfigMap, known=a_map(phase))).place_of("shop") is None


async def test_what_is_there_leads_home() -> None:
    seen = await views(ConfigMap)
    assert seen.origin_of(there(ConfigMap)) == "shop"
    assert seen.origin_of(there(ConfigMap, namespace="other")) is None


async def test_P_RACE3_a_namespace_that_moves_concerns_all_that_is_in_it() -> None:
    elsewhere = a_config_map("other", namespace="bank")
    seen = await views(ConfigMap, [a_config_map(), elsewhere])
    assert seen.inside("shop") == [Key("shop", "settings")]
    assert seen.inside("naples") == []


async def test_a_changed_policy_concerns_everything_that_goes_out() -> None:
    elsewhere = a_config_map("other", namespace="bank")
    seen = await views(ConfigMap, [a_config_map(), elsewhere])
    assert list(seen.everything(a_map())) == [Key("shop", "settings")]


async def test_P_RACE12_a_namespace_that_is_known_at_last_concerns_all_in_it() -> None:
    """Also what is left there, and at home no more."""
    entered, arrived = Arrivals(), Arrivals()
    seen = await views(ConfigMap, [a_config_map()], [there(ConfigMap, "left")])
    seen = replace(seen, entered=entered, arrived=arrived)
    told = seen.known(lambda copy: (Key("shop", copy.metadata.name),))
    both = [Key("shop", "settings"), Key("shop", "left")]
    assert list(told[entered]("shop")) == list(told[arrived]("shop-rome")) == both
    assert list(told[entered]("bank")) == list(told[arrived]("bank-rome")) == []
    assert replace(seen, entered=None).known(lambda _: ()).keys() == {arrived}


def test_who_follows_the_same_shares_its_copies() -> None:
    here, milan = caches("rome"), caches("milan")
    first, second = follow(here, milan, SITE, Secret), follow(here, milan, SITE, Secret)
    pods = follow_pods(here, milan, SITE, Secret)
    assert first.locals is second.locals
    assert first.remotes is second.remotes
    assert pods.remotes is first.remotes
    assert pods.locals.reading.kind == Pod.KIND


def test_on_the_provider_only_metadata_is_followed_and_no_selector_hides_what_is_foreign() -> None:
    here, milan = caches("rome"), caches("milan")
    follow(here, milan, SITE, ConfigMap)
    follow(here, milan, SITE, Secret)
    maps = "in each NamespaceMap.offloading.liqo.io (liqo-tenant-milan)"
    both = [f"ConfigMap (everything) {maps}", f"Secret (everything) {maps}"]
    assert [str(copy) for copy in milan] == both
    assert all(copy.reading.metadata_only for copy in milan)
    assert [str(copy) for copy in here] == [maps.removeprefix("in each "), *both]
