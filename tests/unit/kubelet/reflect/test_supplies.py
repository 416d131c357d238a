"""What a pod waits for, and whose arrival wakes it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import pytest

from liqo.api import labels
from liqo.api.kubernetes import ConfigMap, Pod, Secret
from liqo.api.meta import Key, Resource
from liqo.api.offloading import NamespaceMap, VirtualNode, VkOptionsTemplate
from liqo.kube.arrivals import Arrivals
from liqo.kube.paths import Scope
from liqo.kubelet.pods.forge import remote_spec
from liqo.kubelet.pods.references import Reference, references
from liqo.kubelet.reflect.configmaps import CONFIG_MAPS
from liqo.kubelet.reflect.policy import DEFAULT, Told, live
from liqo.kubelet.reflect.secrets import SECRETS
from liqo.kubelet.reflect.supplies import Stock, Supply, lacks, nothing, supplies, waiting_for
from liqo.kubelet.reflect.views import follow
from liqo.runtime.controller import KeysOf
from tests.unit.kubelet.pods.things import PLACE, SITE, a_pod
from tests.unit.kubelet.reflect.things import (
    a_config_map,
    a_map,
    a_secret,
    asking,
    caches,
    there,
    token_marks,
    views,
)

SETTINGS, PASSWORD = Reference("ConfigMap", "settings"), Reference("Secret", "password")
TOKEN, ROOT_CA = Reference("Secret", "web-0-token"), Reference("ConfigMap", "kube-root-ca.crt.rome")
POD = a_pod(spec=asking())
TOKENS = there(Secret, "web-0-token", **token_marks())
EARLIER = there(Secret, "web-0-token", **token_marks(**{labels.SERVICE_ACCOUNT_POD_UID: "local-0"}))


async def stock(
    locals: Iterable[Any] = (),  # noqa: A002 - as the views call it
    remotes: Iterable[Resource] = (),
) -> Stock:
    here, milan = list(locals), list(remotes)

    def of(kind: type[Any], things: list[Any]) -> list[Any]:
        return [each for each in things if isinstance(each, kind)]

    config_maps = await views(ConfigMap, of(ConfigMap, here), of(ConfigMap, milan))
    secrets = await views(Secret, of(Secret, here), of(Secret, milan))
    kinds = {"ConfigMap": Supply(CONFIG_MAPS, config_maps), "Secret": Supply(SECRETS, secrets)}
    return Stock(SITE, DEFAULT, kinds, secrets.remotes)


async def test_P_RACE9_a_pod_waits_for_all_that_is_on_its_way() -> None:
    held = await stock([a_config_map(), a_config_map("kube-root-ca.crt"), a_secret()])
    needed = references(remote_spec(POD, "shop-rome", SITE)) | {SETTINGS, PASSWORD}
    assert lacks(held, POD, PLACE, needed) == (
        "ConfigMap kube-root-ca.crt.rome",
        "ConfigMap settings",
        "Secret password",
        "Secret web-0-token",
    )


async def test_P_RACE9_it_does_not_wait_for_what_has_arrived() -> None:
    held = await stock(
        [a_config_map(), a_config_map("kube-root-ca.crt"), a_secret()],
        [
            there(ConfigMap),
            there(ConfigMap, "kube-root-ca.crt.rome"),
            there(Secret, "password"),
            TOKENS,
        ],
    )
    assert lacks(held, POD, PLACE, [SETTINGS, PASSWORD, TOKEN, ROOT_CA]) == ()


async def test_P_RACE9_it_does_not_wait_for_what_nobody_brings() -> None:
    skipped = a_config_map(annotations={labels.SKIP_REFLECTION: "true"})
    held = await stock([skipped, a_config_map("kube-root-ca.crt")])
    providers_own = Reference("ConfigMap", "kube-root-ca.crt")
    assert lacks(held, POD, PLACE, [SETTINGS, PASSWORD, providers_own]) == ()


@pytest.mark.parametrize(
    ("secret", "expected"),
    [
        pytest.param(EARLIER, ("Secret web-0-token",), id="those of an earlier pod are no use"),
        pytest.param(there(Secret, "web-0-token", labels={}), (), id="the name is taken for good"),
    ],
)
async def test_P_RACE4_tokens_are_of_one_pod(secret: Secret, expected: tuple[str, ...]) -> None:
    assert lacks(await stock([], [secret]), POD, PLACE, [TOKEN]) == expected


@pytest.mark.parametrize(
    "pod",
    [
        pytest.param(a_pod(), id="it asks for no tokens"),
        pytest.param(
            a_pod(spec=asking(), annotations={labels.API_SERVER_SUPPORT: "disabled"}),
            id="P-SEC2 it gets none",
        ),
    ],
)
async def test_a_secret_that_is_only_called_so_is_like_any_other(pod: Pod) -> None:
    assert lacks(await stock(), pod, PLACE, [TOKEN]) == ()
    assert lacks(await stock([a_secret("web-0-token")]), pod, PLACE, [TOKEN]) == (
        "Secret web-0-token",
    )


async def test_P_RACE12_what_is_not_known_yet_may_be_on_its_way() -> None:
    unknown = await views(ConfigMap, None)
    held = Stock(SITE, DEFAULT, {"ConfigMap": Supply(CONFIG_MAPS, unknown)}, unknown.remotes)
    assert lacks(held, POD, PLACE, [SETTINGS]) == ("ConfigMap settings",)


async def test_of_a_kind_that_is_not_reflected_nothing_is_on_its_way() -> None:
    held = replace(await stock([a_config_map()]), kinds={})
    assert lacks(held, POD, PLACE, [SETTINGS]) == ()


def test_P_RACE12_a_namespace_that_is_known_at_last_wakes_the_pods_that_waited_for_it() -> None:
    rome, milan = caches("rome"), caches("milan")
    made = supplies(rome, milan, SITE)
    rome.of(NamespaceMap, Scope(namespace="liqo-tenant-milan")).take(a_map())
    rome.of(Pod, Scope(fields="spec.nodeName=milan")).take(POD)
    seen = follow(rome, milan, SITE, ConfigMap)
    told: Mapping[Any, KeysOf] = made.watches
    assert list(told[seen.entered]("shop")) == [Key("shop", "web-0")]
    assert list(told[seen.arrived]("shop-rome")) == [Key("shop", "web-0")]
    assert nothing(TOKENS) == ()


def test_L15_options_that_change_what_is_withheld_wake_all_pods_that_are_out() -> None:
    rome, milan = caches("rome"), caches("milan")
    policies = live(rome, SITE, Told("liqo", {}))
    made = supplies(rome, milan, SITE, policies)
    rome.of(NamespaceMap, Scope(namespace="liqo-tenant-milan")).take(a_map())
    rome.of(Pod, Scope(fields="spec.nodeName=milan")).take(POD)
    options: Any = rome.of(VkOptionsTemplate)
    assert list(made.watches[options](a_map())) == [POD.key]
    assert rome.of(VirtualNode, Scope("liqo-tenant-milan")) not in made.watches
    assert made.at is policies.at


async def test_tokens_wake_one_pod_and_anything_else_those_that_have_shown_nothing_yet() -> None:
    out = a_pod(name="web-1", labels={labels.SHADOW_POD: "true"})
    elsewhere = a_pod(name="web-2", namespace="bank")
    pods = await views(Pod, [POD, out, elsewhere, a_pod(name="web-3")], of=Secret)
    assert list(waiting_for(pods, TOKENS)) == [Key("shop", "web-0")]
    assert list(waiting_for(pods, there(Secret, "password"))) == [
        Key("shop", "web-0"),
        Key("shop", "web-3"),
    ]
    assert list(waiting_for(pods, there(Secret, namespace="other"))) == []
    shown = a_pod(name="web-3", labels={labels.SHADOW_POD: "true"}, resource_version="8")
    pods.locals.take(shown)
    assert list(waiting_for(pods, there(Secret, "password"))) == [Key("shop", "web-0")]


def test_the_same_copies_are_followed_as_by_those_who_bring_it() -> None:
    rome, milan = caches("rome"), caches("milan")
    made = supplies(rome, milan, SITE)
    assert made.lacks is not None
    waited_for = {each for each in made.watches if not isinstance(each, Arrivals)}
    assert {copy.reading.kind.name for copy in waited_for} == {"ConfigMap", "Secret"}
    assert {copy.reading.kind.name for copy in milan} == {"ConfigMap", "Secret", "ShadowPod"}
    assert {copy.reading.kind.name for copy in rome} == {
        "ConfigMap",
        "Secret",
        "NamespaceMap",
        "Pod",
    }
    assert made.lacks(POD, PLACE, [TOKEN]) == ("Secret web-0-token",)
