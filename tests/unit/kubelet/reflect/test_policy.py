"""What goes and what stays."""

from __future__ import annotations

from dataclasses import replace

import msgspec
import pytest

from liqo.api import labels
from liqo.api.kubernetes import ConfigMap, Ingress, Secret
from liqo.api.meta import JSON, Kind, Meta
from liqo.api.offloading import (
    OffloadingPatch,
    ReflectorConfig,
    VirtualNode,
    VirtualNodeSpec,
    VkOptionsTemplate,
    VkOptionsTemplateSpec,
)
from liqo.api.values import ObjectReference
from liqo.kubelet.reflect.around import Around
from liqo.kubelet.reflect.policy import (
    DEFAULT,
    Policy,
    Told,
    Verdict,
    live,
    policy_in,
    verdict,
    why_it_stays,
    wish,
    withholding,
    word_of,
)
from tests.unit.kubelet.pods.things import SITE
from tests.unit.kubelet.reflect.things import caches

SKIP, ALLOW = labels.SKIP_REFLECTION, labels.ALLOW_REFLECTION


@pytest.mark.parametrize(
    ("policy", "annotations", "expected"),
    [
        ("DenyList", {}, "goes"),
        ("DenyList", {SKIP: "true"}, "stays"),
        ("DenyList", {SKIP: ""}, "stays"),
        ("DenyList", {SKIP: "False"}, "goes"),
        ("DenyList", {ALLOW: "true"}, "goes"),
        ("AllowList", {}, "stays"),
        ("AllowList", {ALLOW: "true"}, "goes"),
        ("AllowList", {ALLOW: "yes"}, "goes"),
        ("AllowList", {ALLOW: "FALSE"}, "stays"),
        ("AllowList", {SKIP: "true"}, "stays"),
    ],
)
def test_a_policy_and_its_annotation(
    policy: Policy, annotations: dict[str, str], expected: Verdict
) -> None:
    assert verdict(annotations, policy) == expected


@pytest.mark.parametrize(
    ("annotations", "expected"),
    [
        ({}, None),
        ({SKIP: "false", ALLOW: "false"}, None),
        ({SKIP: "true"}, "stays"),
        ({ALLOW: "true"}, "goes"),
        ({SKIP: "true", ALLOW: "true"}, "contradictory"),
    ],
)
def test_what_an_owner_wishes(annotations: dict[str, str], expected: Verdict | None) -> None:
    assert wish(annotations) == expected


def a_template(config: JSON) -> VkOptionsTemplate:
    spec = VkOptionsTemplateSpec(
        container_image="kubelet",
        create_node=True,
        disable_network_check=False,
        metrics_enabled=False,
        reflectors_config={name: ReflectorConfig(**each) for name, each in config.items()},
    )
    return VkOptionsTemplate(spec=spec)


@pytest.mark.parametrize(
    ("template", "expected"),
    [
        (None, "AllowList"),
        (a_template({}), "AllowList"),
        (a_template({"configmap": {"workers": 3}}), "AllowList"),
        (a_template({"configmap": {"workers": 3, "type": "CustomLiqo"}}), "AllowList"),
        (a_template({"configmap": {"workers": 3, "type": "DenyList"}}), "DenyList"),
        (a_template({"configmap": {"workers": 3, "type": "OnlyReferenced"}}), "OnlyReferenced"),
        (a_template({"configmap": {"workers": 0, "type": "DenyList"}}), "Off"),
        (a_template({"secret": {"workers": 3, "type": "DenyList"}}), "AllowList"),
    ],
)
def test_the_template_wins_over_the_flag(
    template: VkOptionsTemplate | None, expected: Policy
) -> None:
    assert policy_in(template, "configmap", Told("liqo", {"configmap": "AllowList"})) == expected


def test_a_template_may_ask_for_an_allow_list() -> None:
    chosen = a_template({"configmap": {"workers": 3, "type": "AllowList"}})
    assert policy_in(chosen, "configmap", Told("liqo", {})) == "AllowList"


def test_a_kind_may_be_off_by_its_flag_and_on_by_the_template() -> None:
    told = Told("liqo", {}, off=frozenset({"ingress"}))
    assert policy_in(None, "ingress", told) == "Off"
    assert policy_in(a_template({"ingress": {"workers": 1}}), "ingress", told) == "DenyList"


def test_only_what_pods_can_mention_can_be_asked_for_by_mention() -> None:
    chosen = a_template({"service": {"workers": 3, "type": "OnlyReferenced"}})
    assert policy_in(chosen, "service", Told("liqo", {})) == "DenyList"


def test_slices_go_by_the_policy_of_services() -> None:
    chosen = a_template({"service": {"workers": 0, "type": "AllowList"}})
    assert policy_in(chosen, "endpointslice", Told("liqo", {})) == "AllowList"
    off = a_template({"endpointslice": {"workers": 0, "type": "DenyList"}})
    assert policy_in(off, "endpointslice", Told("liqo", {"service": "AllowList"})) == "Off"
    assert policy_in(None, "endpointslice", Told("liqo", {"service": "AllowList"})) == "AllowList"


@pytest.mark.parametrize(
    ("annotations", "is_mentioned", "expected"),
    [
        ({}, False, "stays"),
        ({}, True, "goes"),
        ({SKIP: "true"}, True, "stays"),
        ({ALLOW: "true"}, False, "goes"),
        ({SKIP: "true", ALLOW: "true"}, True, "contradictory"),
    ],
)
def test_what_pods_mention_goes_and_what_is_told_to(
    annotations: dict[str, str], is_mentioned: bool, expected: Verdict
) -> None:
    around = Around(is_mentioned=is_mentioned)
    assert verdict(annotations, "OnlyReferenced", around) == expected


def test_where_a_kind_is_off_nothing_helps() -> None:
    assert verdict({ALLOW: "true"}, "Off", Around(is_mentioned=True)) == "stays"


def test_of_what_stays_by_the_thousand_nobody_is_told() -> None:
    assert why_it_stays(None, "Off") == why_it_stays(None, "OnlyReferenced") == ""
    assert why_it_stays(None, "DenyList") == 'the current object (policy: "DenyList")'


async def test_the_options_of_our_node_count_as_they_are_now() -> None:
    """Also when it names others than it did."""
    here = caches("rome")
    told = live(here, SITE, Told("liqo", {"configmap": "AllowList"}))
    nodes, templates = told.sources
    assert told.of(ConfigMap.KIND) == "AllowList", "nothing is known yet: as we were told"
    assert told.of(Secret.KIND) == "DenyList"
    nodes.take(a_node("1"))
    templates.take(named("virtual-kubelet-default", "DenyList", "1"))
    assert told.of(ConfigMap.KIND) == "DenyList"
    templates.take(named("virtual-kubelet-default", "AllowList", "2"))
    assert told.of(ConfigMap.KIND) == "AllowList"
    templates.take(named("careless", "DenyList", "3"))
    nodes.take(a_node("4", ObjectReference(name="careless", namespace="liqo")))
    assert told.of(ConfigMap.KIND) == "DenyList"
    assert told.at(SITE) == SITE


def test_kinds_of_others_are_named_in_full() -> None:
    assert word_of(ConfigMap.KIND) == "configmap"
    assert word_of(Ingress.KIND) == "ingress"
    assert word_of(Kind("serving.example.org", "v1", "Service", "services")) == (
        "services.serving.example.org"
    )


def withholding_template(*names: str, notes: tuple[str, ...] = ()) -> VkOptionsTemplate:
    made = a_template({})
    spec = msgspec.structs.replace(
        made.spec, labels_not_reflected=names, annotations_not_reflected=notes
    )
    return msgspec.structs.replace(made, spec=spec)


def test_L15_what_the_template_withholds_later_is_withheld_beside_what_it_did() -> None:
    patch = OffloadingPatch(labels_not_reflected=("a",), annotations_not_reflected=("n",))
    site = replace(SITE, patch=patch)
    found = withholding(site, withholding_template("b", "a", notes=("n", "m"))).patch
    assert found.labels_not_reflected == ("a", "b")
    assert found.annotations_not_reflected == ("n", "m")
    assert withholding(site, withholding_template("a")) is site
    assert withholding(site, None) is site
    assert DEFAULT.at(site) is site


def named(name: str, policy: Policy, version: str) -> VkOptionsTemplate:
    made = a_template({"configmap": {"workers": 3, "type": policy}})
    metadata = Meta(name=name, namespace="liqo", resource_version=version)
    return msgspec.structs.replace(made, metadata=metadata)


def a_node(version: str, options: ObjectReference | None = None) -> VirtualNode:
    metadata = Meta(name="milan", namespace="liqo-tenant-milan", resource_version=version)
    spec = VirtualNodeSpec(cluster_id="milan", vk_options_template_ref=options)
    return VirtualNode(metadata=metadata, spec=spec)


def test_everything_goes_unless_it_is_told_to_stay() -> None:
    assert DEFAULT.of(ConfigMap.KIND) == "DenyList"
