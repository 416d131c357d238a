"""What the decision about tokens is told, and what brings it about."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import timedelta
from typing import Any

import pytest

from liqo.api.kubernetes import Pod, Secret
from liqo.api.meta import JSON, Key, Meta
from liqo.api.offloading import NamespaceMap, VirtualNode, VirtualNodeSpec
from liqo.kube.listing import Listing
from liqo.kube.paths import Scope
from liqo.kube.reading import Metadata
from liqo.kubelet.pods.orphans import LONG_AGO, Alone
from liqo.kubelet.reflect.tokens import Seen, controller, failed, observe, of_node, plan, pod_of
from tests.unit.kubelet.pods.things import NOW, SITE
from tests.unit.kubelet.reflect.test_tokens import (
    FOREIGN,
    KEY,
    OF_ANOTHER_NODE,
    POD,
    REFLECTED,
    SECRET,
    a_secret,
    state,
)
from tests.unit.kubelet.reflect.things import (
    a_copy,
    a_map,
    caches,
    followed,
    there,
    views,
)


async def seen(
    pods: Iterable[Pod] = (),
    secrets: Iterable[Secret] | None = (),
    nodes: Iterable[VirtualNode] = (),
    **more: Any,
) -> Seen:
    followed = await views(Pod, pods, secrets, of=Secret, **more)
    return Seen(followed, await a_copy(VirtualNode, nodes))


def a_node(name: str = "milan", *, create_node: bool = True) -> VirtualNode:
    known = Meta(name=name, namespace=SITE.tenant_namespace, resource_version="1")
    return VirtualNode(metadata=known, spec=VirtualNodeSpec(create_node=create_node))


async def test_a_pod_is_seen_with_its_secret() -> None:
    both = await seen([POD], [SECRET])
    assert observe(both, SITE, lambda: NOW, KEY) == state(POD, SECRET)


async def test_an_orphan_is_seen_with_the_time_since_it_is_one() -> None:
    orphan = await seen([], [SECRET])
    assert observe(orphan, SITE, lambda: NOW, KEY) == state(None, SECRET, alone=Alone(NOW))
    later = NOW + timedelta(seconds=4)
    again = observe(orphan, SITE, lambda: later, KEY)
    assert again == state(None, SECRET, now=later, alone=Alone(NOW))
    orphan.orphans.follow(POD, None)
    assert observe(orphan, SITE, lambda: NOW, KEY) == state(None, SECRET, alone=Alone(LONG_AGO))


@pytest.mark.parametrize(
    "secret",
    [
        pytest.param(OF_ANOTHER_NODE, id="another node's"),
        pytest.param(FOREIGN, id="somebody else's"),
        pytest.param(REFLECTED, id="a reflected one"),
    ],
)
async def test_what_is_not_ours_is_no_orphan_of_ours(secret: Secret) -> None:
    orphan = await seen([], [secret], [a_node("milan-2")])
    assert observe(orphan, SITE, lambda: NOW, KEY) == state(None, secret)


async def test_what_a_node_of_ours_left_there_that_is_no_more_is_an_orphan_of_ours() -> None:
    orphan = await seen([], [OF_ANOTHER_NODE, a_secret("web-1-token")])
    expected = state(None, OF_ANOTHER_NODE, alone=Alone(NOW, is_forsaken=True))
    assert observe(orphan, SITE, lambda: NOW, KEY) == expected
    assert list(of_node(orphan, SITE, a_node("milan-2"))) == [KEY]


async def test_a_node_that_comes_back_and_goes_again_has_its_two_minutes_again() -> None:
    rome, milan, seen = caches("rome"), caches("milan"), list[Alone | None]()
    times = NOW, NOW + timedelta(seconds=110)
    made = controller(rome, milan, SITE, lambda: times[len(seen)])
    rome.of(NamespaceMap, Scope("liqo-tenant-milan")).take(a_map())
    nodes = rome.of(VirtualNode, Scope("liqo-tenant-milan"))
    [secrets] = [copy for copy in milan if copy.reading.kind == Secret.KIND]
    secrets.take(Metadata(metadata=OF_ANOTHER_NODE.metadata))
    for version in ("1", "2"):
        await nodes.adopt(Listing([a_node("milan-2")], version))
        await nodes.adopt(Listing([], version))
        state = made.observe(KEY)
        assert state is not None
        seen.append(state.alone)
    assert seen == [Alone(since, is_forsaken=True) for since in times]


@pytest.mark.parametrize(
    "more", [{"pods": [POD], "secrets": [SECRET]}, {"known": a_map("Terminating")}, {}]
)
async def test_an_orphan_whose_pod_came_or_that_is_gone_is_none_any_more(more: JSON) -> None:
    none = await seen(**more)
    none.orphans.since(KEY, SECRET, NOW)
    observe(none, SITE, lambda: NOW, KEY)
    assert none.orphans == (await seen()).orphans


@pytest.mark.parametrize("create_node", [True, False])
async def test_a_pod_is_seen_with_its_node_that_leaves(create_node: bool) -> None:
    both = await seen([POD], nodes=[a_node(create_node=create_node)])
    assert observe(both, SITE, lambda: NOW, KEY) == state(is_leaving=not create_node)


async def test_every_pod_is_looked_at_when_its_node_leaves_or_stays_after_all() -> None:
    for now, before in ((True, False), (False, True)):
        all_of_it = await seen([POD], nodes=[a_node(create_node=now)])
        assert list(of_node(all_of_it, SITE, a_node(create_node=before))) == [KEY]
        assert list(of_node(all_of_it, SITE, a_node(create_node=now))) == []
        assert list(of_node(all_of_it, SITE, a_node("milan-2", create_node=before))) == []
    assert list(of_node(await seen([POD]), SITE, a_node())) == []


async def test_what_is_nowhere_needs_no_decision() -> None:
    assert observe(await seen(), SITE, lambda: NOW, KEY) is None
    away = await seen([POD], [SECRET], known=a_map("Terminating"))
    assert observe(away, SITE, lambda: NOW, KEY) is None


async def test_P_RACE12_what_milan_has_not_told_yet_is_not_missing() -> None:
    unknown = await seen([POD], None)
    assert observe(unknown, SITE, lambda: NOW, KEY) == state(POD, is_followed=False)


@pytest.mark.parametrize(
    ("secret", "expected"),
    [
        pytest.param(SECRET, (KEY,), id="it says whose it is"),
        pytest.param(a_secret("shortened-12ab-token"), (KEY,), id="P-FORGE7 whatever its name"),
        pytest.param(FOREIGN, (KEY,), id="P-RACE6 somebody took its name"),
        pytest.param(there(Secret, "password"), (), id="any other"),
        pytest.param(a_secret(namespace="other"), (), id="in a namespace that is not ours"),
    ],
)
async def test_whose_a_secret_is(secret: Secret, expected: tuple[Key, ...]) -> None:
    assert pod_of(await views(Pod, of=Secret), secret) == expected


def test_pods_and_what_is_there_of_their_secrets_are_followed() -> None:
    rome, milan = caches("rome"), caches("milan")
    made = controller(rome, milan, SITE, lambda: NOW)
    assert (made.name, made.manager) == ("kubelet/reflect/tokens", "reflection.liqo.io")
    assert (made.plan, made.failed) == (plan, failed)
    assert [str(copy) for copy in rome] == [
        "NamespaceMap.offloading.liqo.io (liqo-tenant-milan)",
        "Pod (spec.nodeName=milan)",
        "VirtualNode.offloading.liqo.io (liqo-tenant-milan)",
    ]
    assert followed(made) == ["Pod", "VirtualNode", "atlas", "Secret", "arrivals"]
