"""What of a ConfigMap travels, under which name, and which stay."""

from __future__ import annotations

import pytest

from liqo.api import labels
from liqo.kubelet.reflect.around import Around
from liqo.kubelet.reflect.configmaps import (
    CONFIG_MAPS,
    content,
    controller,
    judge,
    name_here,
    name_there,
)
from liqo.kubelet.reflect.policy import Policy, Verdict
from tests.unit.kubelet.pods.things import SITE, raw
from tests.unit.kubelet.reflect.things import a_config_map, caches, followed

SKIP, ALLOW = labels.SKIP_REFLECTION, labels.ALLOW_REFLECTION


def test_all_of_its_content_travels() -> None:
    fields = {"raw_binary_data": raw({"logo": "iVBORw=="}), "immutable": True}
    assert content(a_config_map(fields=fields)) == {
        "data": {"colour": "red"},
        "binaryData": {"logo": "iVBORw=="},
        "immutable": True,
    }


def test_what_it_does_not_have_is_not_written() -> None:
    assert content(a_config_map(fields={"raw_data": raw({}), "immutable": False})) == {}


@pytest.mark.parametrize("policy", ["DenyList", "AllowList", "OnlyReferenced"])
@pytest.mark.parametrize(
    ("annotations", "expected"),
    [
        ({}, "goes"),
        ({SKIP: "true"}, "stays"),
        ({SKIP: "false"}, "goes"),
        ({ALLOW: "true"}, "goes"),
        ({ALLOW: "true", SKIP: "true"}, "contradictory"),
    ],
)
def test_the_root_ca_goes_whatever_the_policy_unless_its_owner_says_no(
    policy: Policy, annotations: dict[str, str], expected: Verdict
) -> None:
    root_ca = a_config_map("kube-root-ca.crt", annotations=annotations)
    assert judge(root_ca, policy) == expected


def test_any_other_goes_by_the_policy() -> None:
    assert judge(a_config_map(), "DenyList") == "goes"
    assert judge(a_config_map(), "AllowList") == "stays"
    assert judge(a_config_map(), "OnlyReferenced") == "stays"
    assert judge(a_config_map(), "OnlyReferenced", Around(is_mentioned=True)) == "goes"


def test_where_the_kind_is_off_not_even_the_root_ca_goes() -> None:
    allowed = a_config_map("kube-root-ca.crt", annotations={ALLOW: "true"})
    assert judge(allowed, "Off") == "stays"


@pytest.mark.parametrize(
    ("here", "there"),
    [("kube-root-ca.crt", "kube-root-ca.crt.rome"), ("settings", "settings")],
)
def test_the_root_ca_has_another_name_there(here: str, there: str) -> None:
    assert name_there(here, SITE) == there
    assert name_here(there, SITE) == here


def test_config_maps_are_followed_on_both_sides() -> None:
    rome, milan = caches("rome"), caches("milan")
    made = controller(rome, milan, SITE)
    assert made.name == CONFIG_MAPS.name
    assert followed(made) == [
        "ConfigMap",
        "atlas",
        "ConfigMap",
        "arrivals",
        "arrivals",
        "Pod",
        "ShadowPod",
    ]
