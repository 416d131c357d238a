"""Whoever reads a copy need not know how it is kept."""

import pytest

from liqo.api.kubernetes import ConfigMap, Namespace
from liqo.api.meta import Key, Meta
from liqo.kube.access import Access
from liqo.kube.cache import Caches
from liqo.kube.cluster import Cluster
from liqo.kube.copy import Copy
from liqo.kube.indexes import namespace
from liqo.kube.namespaced import Namespaces

SHOP = Namespace(metadata=Meta(name="shop", resource_version="1"))
CONFIG = ConfigMap(metadata=Meta(name="a", namespace="shop", resource_version="2"))


def a_cache() -> Copy[ConfigMap]:
    return Caches(Cluster(Access(""))).of(ConfigMap)


def one_in_namespaces() -> Copy[ConfigMap]:
    caches = Caches(Cluster(Access("")))
    source = caches.of(Namespace)
    source.take(SHOP)
    return caches.within(Namespaces(source), ConfigMap)


@pytest.mark.parametrize("make", [a_cache, one_in_namespaces])
async def test_every_copy_is_read_alike(make: type[Copy[ConfigMap]]) -> None:
    copy, told = make(), list[ConfigMap | None]()
    copy.take(CONFIG)
    end = copy.subscribe(lambda old, new: told.append(new))
    end()
    assert told == [CONFIG]
    assert (copy.values(), list(copy), len(copy)) == ([CONFIG], [CONFIG], 1)
    assert copy.get(CONFIG.key) == CONFIG
    assert copy.by(namespace, "shop") == [CONFIG]
    assert copy.chooses(Key("shop", "b"))
    assert (copy.synced, copy.refused, copy.covers(Key("shop", "b"))) == (False, False, False)
    assert not copy.is_unreadable(Key("shop", "b"))
    assert not copy.is_unreadable(Key("bank", "b"))
    assert copy.age() == float("inf")
