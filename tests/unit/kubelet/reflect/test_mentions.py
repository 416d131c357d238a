"""What pods mention, and when anybody asks."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from liqo.api.kubernetes import ConfigMap, Pod
from liqo.api.meta import JSON, Key, Meta
from liqo.api.offloading import NamespaceMap, ShadowPod, ShadowPodSpec
from liqo.kubelet.reflect.around import ALONE, Around
from liqo.kubelet.reflect.configmaps import CONFIG_MAPS
from liqo.kubelet.reflect.mentions import (
    Pods,
    around,
    by_mention,
    follow_mentioned,
    is_mentioned,
    named_by,
    named_there,
)
from liqo.kubelet.reflect.policy import DEFAULT, Policies
from liqo.kubelet.reflect.reflection import State, forge, plan
from liqo.runtime.plan import NOTHING, Apply, Delete, do
from tests.unit.kubelet.pods.things import PLACE, SITE, a_pod, raw, running
from tests.unit.kubelet.reflect.things import (
    OURS,
    a_config_map,
    a_copy,
    a_map,
    caches,
    there,
    views,
)

ASKED = Policies(lambda _: "OnlyReferenced")
KEY = Key("shop", "settings")


def mounting(*names: str) -> JSON:
    volumes = [{"name": name, "configMap": {"name": name, "optional": True}} for name in names]
    secret = {"name": "keys", "secret": {"secretName": "settings"}}
    return {"nodeName": "milan", "containers": [], "volumes": [*volumes, secret]}


def a_shadow(*names: str, **more: Any) -> ShadowPod:
    given = {"name": "web-9", "namespace": "shop-rome", "resource_version": "1", "labels": OURS}
    spec = ShadowPodSpec(raw_pod=raw(mounting(*names)))
    return ShadowPod(metadata=Meta(**{**given, **more}), spec=spec)


async def pods(
    *ours: Pod,
    others: tuple[ShadowPod, ...] = (),
    policies: Policies = ASKED,
    known: NamespaceMap | None = None,
) -> Pods[ConfigMap]:
    return Pods(
        SITE,
        policies,
        CONFIG_MAPS,
        await views(ConfigMap, [a_config_map()], known=known),
        await a_copy(Pod, ours),
        await a_copy(ShadowPod, others),
    )


async def test_what_a_pod_of_ours_mentions_goes_even_if_it_could_do_without() -> None:
    asked = await pods(a_pod(spec=mounting("settings")))
    assert around(asked, a_config_map()) == Around(is_mentioned=True)
    assert around(asked, a_config_map("other")) == Around()


async def test_what_a_pod_of_another_virtual_node_mentions_goes_once_that_pod_is_there() -> None:
    asked = await pods(others=(a_shadow("settings", "kube-root-ca.crt.rome"),))
    assert is_mentioned(asked, KEY)
    assert is_mentioned(asked, Key("shop", "kube-root-ca.crt"))
    assert not is_mentioned(asked, Key("bank", "settings"))


async def test_P_SEC3_what_only_pods_mention_that_stay_at_home_does_not_leave() -> None:
    """A pod of a DaemonSet, say, that tolerates everything and is bound to our node."""
    without = a_map(keeps_pods=True)
    mentions = mounting("settings")
    assert not is_mentioned(await pods(a_pod(spec=mentions), known=without), KEY)
    assert is_mentioned(await pods(a_pod(running(), mentions), known=without), KEY)
    both = await pods(a_pod(spec=mentions), others=(a_shadow("settings"),), known=without)
    assert is_mentioned(both, KEY)


async def test_what_does_not_go_out_is_mentioned_by_nobody() -> None:
    asked = await pods(a_pod(spec=mounting("settings")), known=a_map("Terminating"))
    assert not is_mentioned(asked, KEY)


async def test_what_pods_of_others_there_mention_does_not_count() -> None:
    asked = await pods(others=(a_shadow("settings", labels={}),))
    assert not is_mentioned(asked, KEY)


async def test_nobody_looks_while_no_policy_asks() -> None:
    asked = await pods(a_pod(spec=mounting("settings")), policies=DEFAULT)
    assert around(asked, a_config_map()) == ALONE
    assert list(named_by(asked, a_pod(spec=mounting("settings")))) == []


async def test_a_pod_concerns_what_it_mentions_of_that_kind() -> None:
    asked = await pods()
    assert list(named_by(asked, a_pod(spec=mounting("settings")))) == [KEY]
    shadow = a_shadow("settings", "kube-root-ca.crt.rome")
    assert sorted(named_there(asked, shadow)) == [Key("shop", "kube-root-ca.crt"), KEY]
    assert list(named_there(asked, a_shadow("settings", namespace="other"))) == []


def test_an_index_tells_kinds_and_namespaces_apart() -> None:
    assert sorted(by_mention(a_pod(spec=mounting("settings")))) == [
        "shop:ConfigMap/settings",
        "shop:Secret/settings",
    ]


def test_L15_what_no_pod_mentions_any_more_is_taken_back_without_a_word() -> None:
    ours, local = there(ConfigMap), a_config_map()
    alone: State[ConfigMap] = State(SITE, PLACE, local, ours, "OnlyReferenced")
    assert plan(CONFIG_MAPS, alone) == do(Delete(ours, on="remote"))
    assert plan(CONFIG_MAPS, replace(alone, remote=None)) == NOTHING
    mentioned = replace(alone, around=Around(is_mentioned=True))
    assert plan(CONFIG_MAPS, mentioned) == do(
        Apply(forge(CONFIG_MAPS, local, PLACE, SITE), on="remote", whole=CONFIG_MAPS.whole)
    )


def test_pods_are_followed_on_both_sides() -> None:
    rome, milan = caches("rome"), caches("milan")
    seen = follow_mentioned(rome, milan, SITE, CONFIG_MAPS, ASKED)
    assert [each.reading.kind.name for each in seen.beside] == ["Pod", "ShadowPod"]
    assert seen.around(a_config_map()) == Around()
