"""Which endpoints a provider is told of, and as what."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from liqo.api import labels
from liqo.api.kubernetes import EndpointSlice, Service
from liqo.api.meta import JSON, Key, Meta
from liqo.api.offloading import (
    EndpointSliceTemplate,
    ShadowEndpointSlice,
    ShadowEndpointSliceSpec,
    VirtualNode,
    VirtualNodeSpec,
)
from liqo.kube.paths import Scope
from liqo.kubelet.reflect.around import ALONE, Around
from liqo.kubelet.reflect.endpointslices import (
    ENDPOINT_SLICES,
    WE,
    around,
    content,
    controller,
    endpoints_of,
    follow,
    is_one,
    judge,
    why_it_stays,
)
from liqo.kubelet.reflect.policy import Policy, Verdict
from liqo.kubelet.reflect.reflection import State, forge, plan
from liqo.runtime.plan import NOTHING, Apply, Delete, do
from tests import wire
from tests.unit.kubelet.pods.things import PLACE, SITE
from tests.unit.kubelet.reflect.test_services import a_service
from tests.unit.kubelet.reflect.things import OURS, a_copy, caches, followed, there, views

SKIP, ALLOW = {labels.SKIP_REFLECTION: "true"}, {labels.ALLOW_REFLECTION: "true"}
PORT: JSON = {"name": "http", "port": 8080, "protocol": "TCP"}
READY: JSON = {"ready": True, "serving": True, "terminating": False}
MILANS = Around(nodes=frozenset({"milan", "milan-2"}))


def an_endpoint(address: str, node: str | None = "rome-1", **more: Any) -> JSON:
    target = {"kind": "Pod", "name": "web-0", "namespace": "shop", "uid": "pod-1"}
    said = {"addresses": [address], "conditions": READY, "targetRef": target, **more}
    return {**said, "nodeName": node} if node else said


def told(address: str, **more: Any) -> JSON:
    target = {"kind": "RemotePod", "name": "web-0", "namespace": "shop", "uid": "pod-1"}
    said = {"addresses": [address], "conditions": READY, "targetRef": target, "nodeName": "rome"}
    return {**said, **more}


def a_slice(*endpoints: JSON, **more: Any) -> EndpointSlice:
    given = {
        "name": "web-x7k2p",
        "namespace": "shop",
        "uid": "local-1",
        "resource_version": "1",
        "labels": {labels.SERVICE_NAME: "web"},
    }
    return EndpointSlice(
        metadata=Meta(**{**given, **more}),
        address_type="IPv4",
        raw_endpoints=msgspec.Raw(msgspec.json.encode(endpoints)),
        raw_ports=msgspec.Raw(msgspec.json.encode([PORT])),
    )


def endpoints_in(made: JSON) -> list[JSON]:
    found: list[JSON] = made["spec"]["template"].get("endpoints", [])
    return found


def test_P_EP1_an_endpoint_is_told_with_all_that_is_known_of_how_it_does() -> None:
    leaving = {"ready": False, "serving": True, "terminating": True}
    more: JSON = {
        "conditions": leaving,
        "hostname": "web-0",
        "zone": "a",
        "hints": {"forZones": []},
    }
    local = a_slice(an_endpoint("10.70.0.1", **more, deprecatedTopology={"rack": "1"}))
    assert content(local, SITE) == {
        "spec": {
            "template": {
                "addressType": "IPv4",
                "ports": [PORT],
                "endpoints": [told("10.70.0.1", **more)],
            }
        }
    }


def test_what_runs_on_the_provider_is_not_told_to_it() -> None:
    local = a_slice(
        an_endpoint("10.70.0.1"),
        an_endpoint("10.61.0.1", "milan"),
        an_endpoint("10.61.0.2", "milan-2"),
        an_endpoint("10.62.0.1", "naples"),
        an_endpoint("192.0.2.1", None),
    )
    made = endpoints_in(content(local, SITE, MILANS))
    assert [each["addresses"] for each in made] == [["10.70.0.1"], ["10.62.0.1"], ["192.0.2.1"]]


def test_one_whose_endpoints_are_all_there_is_told_without_any() -> None:
    """As it was captured: it says which ports there are."""
    local = a_slice(an_endpoint("10.61.0.1", "milan"))
    [captured] = wire.captured(ShadowEndpointSlice)
    made = forge(ENDPOINT_SLICES, local, PLACE, SITE, MILANS)
    assert made.kind == ShadowEndpointSlice.KIND
    assert made.body["spec"] == captured["spec"]
    assert made.body["metadata"]["labels"] == captured["metadata"]["labels"]
    assert made.body["metadata"]["name"] == "web-x7k2p"


def test_an_endpoint_that_is_no_pod_needs_no_target_and_a_name_is_no_address() -> None:
    local = a_slice({"addresses": ["db.example.org"], "conditions": {}})
    assert endpoints_in(content(local, SITE)) == [
        {"addresses": ["db.example.org"], "conditions": {}, "nodeName": "rome"}
    ]


def test_a_slice_without_anything() -> None:
    assert content(EndpointSlice(address_type="IPv6"), SITE) == {
        "spec": {"template": {"addressType": "IPv6"}}
    }


def owned(annotations: dict[str, str] | None) -> Around:
    return Around(service=a_service(annotations=annotations)) if annotations is not None else ALONE


@pytest.mark.parametrize(
    ("own", "service", "policy", "expected"),
    [
        ({}, {}, "DenyList", "goes"),
        ({}, SKIP, "DenyList", "stays"),
        (ALLOW, SKIP, "DenyList", "goes"),
        (SKIP, {}, "DenyList", "stays"),
        ({**SKIP, **ALLOW}, {}, "DenyList", "contradictory"),
        ({}, {}, "AllowList", "stays"),
        ({}, ALLOW, "AllowList", "goes"),
        (ALLOW, {}, "AllowList", "goes"),
        ({}, None, "AllowList", "stays"),
        ({}, None, "DenyList", "goes"),
        (ALLOW, ALLOW, "Off", "stays"),
    ],
)
def test_a_slice_goes_where_its_service_goes_unless_it_says_otherwise(
    own: dict[str, str], service: dict[str, str] | None, policy: Policy, expected: Verdict
) -> None:
    assert judge(a_slice(annotations=own), policy, owned(service)) == expected


def test_the_endpoints_of_the_api_server_are_nobody_elses() -> None:
    assert judge(a_slice(name="kubernetes", namespace="default"), "DenyList") == "stays"


def test_nobody_is_told_of_slices_that_stay() -> None:
    assert why_it_stays(a_slice(), "DenyList") == ""
    skipped = a_slice(annotations=SKIP)
    assert plan(ENDPOINT_SLICES, State(SITE, PLACE, skipped)) == NOTHING


def test_a_slice_of_ours_says_who_fills_it() -> None:
    assert is_one(Meta(labels={labels.ENDPOINT_SLICE_MANAGED_BY: WE}))
    assert not is_one(Meta(labels=OURS))


def test_the_twin_is_of_another_kind() -> None:
    marks = {**OURS, labels.ENDPOINT_SLICE_MANAGED_BY: WE}
    copy = there(ShadowEndpointSlice, "web-x7k2p", labels=marks)
    gone: State[EndpointSlice] = State(SITE, PLACE, None, copy)
    assert plan(ENDPOINT_SLICES, gone) == do(Delete(copy, on="remote"))
    local = a_slice(an_endpoint("10.70.0.1"))
    [applied] = plan(ENDPOINT_SLICES, State(SITE, PLACE, local, copy, around=MILANS)).actions
    made = forge(ENDPOINT_SLICES, local, PLACE, SITE, MILANS)
    assert applied == Apply(made, on="remote", whole=ENDPOINT_SLICES.whole)


def a_node(name: str, provider: str = "milan") -> VirtualNode:
    metadata = Meta(name=name, namespace="liqo-tenant-milan", resource_version="1")
    return VirtualNode(metadata=metadata, spec=VirtualNodeSpec(cluster_id=provider))


async def test_around_a_slice_are_its_service_and_the_nodes_of_the_provider() -> None:
    services = await a_copy(Service, [a_service()])
    nodes = await a_copy(VirtualNode, [a_node("milan"), a_node("milan-2"), a_node("x", "naples")])
    found = around(services, nodes, SITE, a_slice())
    assert found == Around(service=a_service(), nodes=frozenset({"milan", "milan-2"}))
    assert around(services, nodes, SITE, a_slice(labels={})).service is None


async def test_a_service_concerns_its_own_slices() -> None:
    elsewhere = a_slice(name="other", namespace="bank")
    seen = await views(EndpointSlice, [a_slice(), elsewhere], of=ShadowEndpointSlice)
    assert list(endpoints_of(seen, a_service())) == [Key("shop", "web-x7k2p")]


def test_what_is_followed() -> None:
    rome, milan = caches("rome"), caches("milan")
    made = controller(rome, milan, SITE)
    assert made.name == ENDPOINT_SLICES.name
    assert followed(made) == [
        "EndpointSlice",
        "atlas",
        "ShadowEndpointSlice",
        "arrivals",
        "Service",
        "VirtualNode",
    ]
    seen = follow(rome, milan, SITE)
    rome.of(Service).take(a_service())
    rome.of(VirtualNode, Scope("liqo-tenant-milan")).take(a_node("milan"))
    assert seen.around(a_slice()) == Around(a_service(), frozenset({"milan"}))


def test_what_is_forged_is_what_the_provider_reads() -> None:
    local = a_slice(an_endpoint("10.70.0.1"))
    body = forge(ENDPOINT_SLICES, local, PLACE, SITE).body
    read = msgspec.convert(body, ShadowEndpointSlice)
    assert read.spec == ShadowEndpointSliceSpec(
        template=EndpointSliceTemplate(
            address_type="IPv4", endpoints=(told("10.70.0.1"),), ports=(PORT,)
        )
    )
