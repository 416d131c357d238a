"""Where namespaces are: worked out once for each version of the map, and told by differences."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from liqo.api.offloading import MappingPhase, NamespaceMap
from liqo.kube.access import Access
from liqo.kube.cache import Cache, Caches
from liqo.kube.cluster import Cluster
from liqo.kube.listing import Listing
from liqo.kubelet.atlas import Atlas, Sheet, atlas_of
from liqo.kubelet.namespaces import Place
from liqo.kubelet.site import Site
from tests.unit.kubelet.test_namespaces import a_map


async def drawn(
    current: dict[str, tuple[str, MappingPhase | None]], version: str = "1"
) -> tuple[Atlas, Cache[NamespaceMap]]:
    maps = Cache(Cluster(Access("http://rome.invalid")), NamespaceMap)
    await maps.adopt(Listing([a_map(current)], version))
    return Atlas(maps, "milan"), maps


async def test_it_leads_there_and_back() -> None:
    atlas, _ = await drawn({"shop": ("shop-rome", "Accepted")})
    assert atlas.place_of("shop") == Place("shop-rome")
    assert atlas.place_of("bank") is None
    assert atlas.origin_of("shop-rome") == "shop"
    assert atlas.origin_of("bank-rome") is None
    assert atlas.values() == ["shop"]


async def test_P_RACE3_a_namespace_that_is_called_otherwise_now_is_elsewhere() -> None:
    atlas, maps = await drawn({"shop": ("shop-rome", "Accepted")})
    assert atlas.origin_of("shop-rome") == "shop"
    await maps.adopt(Listing([], "2"))
    await maps.adopt(Listing([a_map({"shop": ("shop-2", "Accepted")})], "3"))
    assert atlas.place_of("shop") == Place("shop-2")
    assert atlas.origin_of("shop-rome") is None
    assert atlas.origin_of("shop-2") == "shop"


async def test_it_is_worked_out_once() -> None:
    atlas, _ = await drawn({"shop": ("shop-rome", "Accepted")})
    assert atlas.places() is atlas.places()


async def test_only_those_that_move_are_told() -> None:
    atlas, maps = await drawn({"shop": ("shop-rome", "Accepted"), "bank": ("b", "Accepted")})
    told: list[str | None] = []
    end = atlas.subscribe(lambda _, namespace: told.append(namespace))
    assert sorted(filter(None, told)) == ["bank", "shop"]
    told.clear()
    await maps.adopt(Listing([], "2"))
    assert sorted(filter(None, told)) == ["bank", "shop"]
    told.clear()
    await maps.adopt(Listing([a_map({"bank": ("b", "Accepted")})], "3"))
    assert told == ["bank"]
    end()
    await maps.adopt(Listing([], "4"))
    assert told == ["bank"]


async def test_a_map_that_is_the_same_for_us_tells_nothing() -> None:
    atlas, maps = await drawn({"shop": ("shop-rome", "Accepted")})
    told: list[str | None] = []
    atlas.subscribe(lambda _, namespace: told.append(namespace))
    younger = a_map({"shop": ("other", "Accepted")}, name="second", created="2026-11-15T10:18:00Z")
    await maps.adopt(Listing([a_map({"shop": ("shop-rome", "Accepted")}), younger], "2"))
    assert told == ["shop"]
    assert atlas.place_of("shop") == Place("shop-rome")


async def test_that_maps_may_not_be_followed_any_more_is_passed_on() -> None:
    atlas, maps = await drawn({})
    told: list[str | None] = []
    atlas.subscribe(lambda _, namespace: told.append(namespace))
    maps._store.alarm()
    assert told == [None]


def followed(sheet: Sheet) -> tuple[list[str], Callable[[], None]]:
    """What is told of it, and how to end that."""
    told: list[str] = []
    end = sheet.follow(lambda name: told.append(f"+{name}"), lambda name: told.append(f"-{name}"))
    return told, end


async def test_a_map_names_namespaces_on_both_sides() -> None:
    atlas, maps = await drawn({"shop": ("shop-rome", "Accepted"), "old": ("x", "Terminating")})
    (ours, _), (theirs, end) = followed(atlas.ours), followed(atlas.theirs)
    assert (ours, theirs) == (["+shop"], ["+shop-rome"])
    end()
    await maps.adopt(Listing([], "2"))
    assert (ours, theirs) == (["+shop", "-shop"], ["+shop-rome"])


async def test_P_RACE3_a_namespace_that_moves_is_left_there_and_not_at_home() -> None:
    atlas, maps = await drawn({"shop": ("shop-rome", "Accepted")})
    (ours, _), (theirs, _) = followed(atlas.ours), followed(atlas.theirs)
    maps.take(a_map({"shop": ("shop-2", "Accepted")}, version="2"))
    assert (ours, theirs) == (["+shop"], ["+shop-rome", "-shop-rome", "+shop-2"])


async def test_what_the_provider_has_not_answered_is_not_followed() -> None:
    """It would be refused again and again, until the namespace and our rights are there."""
    wanted = {"late": "late-rome", "new": "new-rome"}
    maps = Cache(Cluster(Access("http://rome.invalid")), NamespaceMap)
    await maps.adopt(Listing([a_map({"late": ("late-rome", "CreationLoopBackOff")}, wanted)], "1"))
    atlas = Atlas(maps, "milan")
    (ours, _), (theirs, _) = followed(atlas.ours), followed(atlas.theirs)
    assert (ours, theirs) == (["+late"], ["+late-rome"])
    maps.take(
        a_map({"late": ("late-rome", "Accepted"), "new": ("new-rome", "Accepted")}, version="2")
    )
    assert (ours, theirs) == (["+late", "+new"], ["+late-rome", "+new-rome"])


async def test_of_several_maps_one_is_followed_and_then_the_next() -> None:
    first = a_map({"shop": ("shop-rome", "Accepted")}, created="2026-01-01T00:00:00Z")
    second = a_map({"bank": ("b", "Accepted")}, name="second", created="2026-01-02T00:00:00Z")
    maps = Cache(Cluster(Access("http://rome.invalid")), NamespaceMap)
    await maps.adopt(Listing([first, second], "1"))
    told, _ = followed(Atlas(maps, "milan").theirs)
    assert told == ["+shop-rome"]
    await maps.adopt(Listing([second], "2"))
    assert told == ["+shop-rome", "-shop-rome", "+b"]


def test_a_kubelet_has_one() -> None:
    rome = Caches(Cluster(Access("http://rome.invalid")))
    site = Site("rome", "milan", "milan", "liqo-tenant-milan")
    assert atlas_of(rome, site) is atlas_of(rome, site)
    assert atlas_of(rome, site) is not atlas_of(rome, replace(site, provider="naples"))
