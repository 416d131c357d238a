"""What of a Service travels, and what its new cluster has to choose."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import msgspec
import pytest

from liqo.api import labels
from liqo.api.kubernetes import Service
from liqo.api.meta import JSON, Meta
from liqo.kube.reading import ManagedMeta
from liqo.kubelet.reflect.reflection import State, plan
from liqo.kubelet.reflect.services import SERVICES, content, controller, judge, why_it_stays
from liqo.runtime.plan import Apply, Patch
from tests.unit.kubelet.pods.things import PLACE, SITE, raw
from tests.unit.kubelet.reflect.things import caches, followed, there

PORT: JSON = {"name": "http", "port": 80, "targetPort": "web", "protocol": "TCP"}
SPEC: JSON = {
    "type": "ClusterIP",
    "selector": {"app": "web"},
    "ports": [PORT],
    "clusterIP": "10.96.0.7",
    "clusterIPs": ["10.96.0.7"],
    "ipFamilies": ["IPv4"],
    "ipFamilyPolicy": "SingleStack",
    "internalTrafficPolicy": "Cluster",
    "sessionAffinity": "None",
}
TRAVELS: JSON = {
    "type": "ClusterIP",
    "selector": {"app": "web"},
    "ports": [PORT],
    "ipFamilyPolicy": "SingleStack",
    "internalTrafficPolicy": "Cluster",
    "sessionAffinity": "None",
}


def a_service(spec: JSON | None = None, **more: Any) -> Service:
    given = {"name": "web", "namespace": "shop", "uid": "local-1", "resource_version": "1"}
    return Service(metadata=Meta(**{**given, **more}), raw_spec=raw({**SPEC, **(spec or {})}))


def test_L19_the_address_stays_where_it_is() -> None:
    assert content(a_service(), SITE) == {"spec": TRAVELS}


ITEM: JSON = {'k:{"port":81,"protocol":"TCP"}': {".": {}, "f:port": {}}}


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        pytest.param({"f:ports": ITEM}, [{"spec": {"ports": [PORT]}}], id="a port"),
        pytest.param({"f:sessionAffinity": {}}, [], id="something else"),
    ],
)
def test_G03_ports_that_somebody_added_are_taken_away_first(
    said: JSON, expected: list[JSON]
) -> None:
    """To bring back our own beside them may be refused: two could have one name."""
    entry = {"manager": "kubectl", "operation": "Update", "fieldsV1": {"f:spec": said}}
    known: JSON = msgspec.structs.asdict(there(Service).metadata)
    known["raw_managed_fields"] = msgspec.Raw(msgspec.json.encode([entry]))
    edited = Service(metadata=ManagedMeta(**known))
    *first, last = plan(SERVICES, State(SITE, PLACE, a_service(), edited)).actions
    assert first == [Patch(edited, change, on="remote") for change in expected]
    assert isinstance(last, Apply)


def test_a_headless_one_is_headless_everywhere() -> None:
    made = content(a_service({"clusterIP": "None"}), SITE)
    assert made == {"spec": {**TRAVELS, "clusterIP": "None"}}


def test_a_name_somewhere_else_needs_no_ports() -> None:
    named = Service(raw_spec=raw({"type": "ExternalName", "externalName": "db.example.org"}))
    assert content(named, SITE) == {
        "spec": {"type": "ExternalName", "externalName": "db.example.org"}
    }


@pytest.mark.parametrize(
    ("annotations", "expected"),
    [
        ({}, PORT),
        ({labels.FORCE_REMOTE_NODE_PORT: "yes"}, PORT),
        ({labels.FORCE_REMOTE_NODE_PORT: "true"}, {**PORT, "nodePort": 30080}),
    ],
)
def test_L19_ports_of_nodes_are_chosen_there_unless_somebody_insists(
    annotations: dict[str, str], expected: JSON
) -> None:
    spec = {"type": "NodePort", "ports": [{**PORT, "nodePort": 30080}]}
    made = content(a_service(spec, annotations=annotations), SITE)
    assert made["spec"]["ports"] == [expected]


BALANCED: JSON = {
    "type": "LoadBalancer",
    "allocateLoadBalancerNodePorts": False,
    "externalTrafficPolicy": "Local",
    "loadBalancerClass": "home.example.org/lb",
    "loadBalancerIP": "203.0.113.7",
    "healthCheckNodePort": 31000,
    "externalIPs": ["198.51.100.1"],
}
BALANCED_THERE: JSON = {
    **TRAVELS,
    "type": "LoadBalancer",
    "allocateLoadBalancerNodePorts": False,
    "externalTrafficPolicy": "Local",
}


def test_L19_a_load_balancer_is_of_the_class_that_the_provider_offers() -> None:
    offering = replace(SITE, load_balancer_class="milan.example.org/lb")
    assert content(a_service(BALANCED), SITE) == {"spec": BALANCED_THERE}
    assert content(a_service(BALANCED), offering) == {
        "spec": {**BALANCED_THERE, "loadBalancerClass": "milan.example.org/lb"}
    }
    assert content(a_service(), offering) == {"spec": TRAVELS}


def test_what_comes_with_addresses_of_its_own_stays_with_them() -> None:
    spec = {"externalIPs": ["198.51.100.1"], "externalTrafficPolicy": "Cluster"}
    assert content(a_service(spec), SITE) == {"spec": TRAVELS}


def test_it_goes_by_the_policy() -> None:
    assert judge(a_service(), "DenyList") == "goes"
    assert judge(a_service(), "AllowList") == "stays"
    assert why_it_stays(a_service(), "AllowList") == 'the current object (policy: "AllowList")'


def test_every_cluster_has_an_api_server_of_its_own() -> None:
    api_server = a_service(name="kubernetes", namespace="default")
    assert judge(api_server, "DenyList") == "stays"
    assert why_it_stays(api_server, "DenyList") == ""
    assert judge(a_service(name="kubernetes"), "DenyList") == "goes"


def test_services_are_followed_in_the_whole_cluster_here_and_in_our_namespaces_there() -> None:
    rome, milan = caches("rome"), caches("milan")
    made = controller(rome, milan, SITE)
    assert made.name == SERVICES.name
    assert followed(made) == ["Service", "atlas", "Service", "arrivals"]
    assert str(rome.of(Service)) in [str(each) for each in made.watches]
    assert [each.reading.metadata_only for each in milan] == [True]
