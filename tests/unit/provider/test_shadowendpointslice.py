"""Endpoints of a consumer are shown here as it tells them, and only while it can be reached."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from liqo.api import labels
from liqo.api.core import ForeignCluster, ForeignClusterSpec, ForeignClusterStatus
from liqo.api.kubernetes import EndpointSlice
from liqo.api.meta import JSON, Key, Meta, OwnerReference
from liqo.api.offloading import (
    EndpointSliceTemplate,
    ShadowEndpointSlice,
    ShadowEndpointSliceSpec,
)
from liqo.kube.access import Access
from liqo.kube.cache import Caches
from liqo.kube.cluster import Cluster
from liqo.kube.errors import Conflict, Forbidden, KubeError, Unreachable
from liqo.provider.shadowendpointslice import (
    OURS,
    State,
    all_of_its,
    controller,
    failed,
    forge,
    observe,
    plan,
)
from liqo.runtime.plan import NOTHING, Apply, Create, Delete, Manifest, Plan, Record, do
from tests import wire

KEY = Key("shop-rome", "web-5sgtd")
MARKS = {labels.ORIGIN: "rome", labels.DESTINATION: "milan", labels.SERVICE_NAME: "web"}
PORT: JSON = {"name": "http", "port": 8080, "protocol": "TCP"}
READY: JSON = {"ready": True, "serving": True, "terminating": False}


def an_endpoint(**conditions: Any) -> JSON:
    return {"addresses": ["10.70.0.1"], "conditions": conditions, "nodeName": "rome"}


def a_shadow(*endpoints: JSON, **metadata: Any) -> ShadowEndpointSlice:
    said = {
        "name": "web-5sgtd",
        "namespace": "shop-rome",
        "uid": "shadow-1",
        "resource_version": "3",
        "labels": MARKS,
        "annotations": {"why": "tests", labels.DIRECT_CONNECTIONS_DATA: "{}"},
        **metadata,
    }
    template = EndpointSliceTemplate(
        address_type="IPv4", endpoints=endpoints or (an_endpoint(**READY),), ports=(PORT,)
    )
    spec = ShadowEndpointSliceSpec(template=template)
    return ShadowEndpointSlice(metadata=Meta(**said), spec=spec)


def a_slice(made: Manifest | None = None, **changes: Any) -> EndpointSlice:
    """As it was made of the ShadowEndpointSlice, unless somebody changed it since."""
    body = (made or forge(a_shadow(), is_reached=True)).body
    owner = OwnerReference(api_version="x", kind="ShadowEndpointSlice", name="web", uid="shadow-1")
    metadata = Meta(
        name="web-5sgtd",
        namespace="shop-rome",
        uid="slice-1",
        resource_version="4",
        labels={**body["metadata"]["labels"], "theirs": "too"},
        annotations=body["metadata"]["annotations"],
        owner_references=(owner,),
    )
    marks = {name: changes.pop(name) for name in list(changes) if hasattr(metadata, name)}
    fields: JSON = {
        "address_type": "IPv4",
        "raw_endpoints": msgspec.Raw(msgspec.json.encode(body["endpoints"])),
        "raw_ports": msgspec.Raw(msgspec.json.encode(body["ports"])),
    }
    changed = msgspec.structs.replace(metadata, **marks)
    return EndpointSlice(metadata=changed, **{**fields, **changes})


def a_consumer(called: str = "Established", name: str = "rome") -> ForeignCluster:
    conditions = [{"type": "APIServerStatus", "status": called}]
    status = msgspec.convert({"role": "Consumer", "conditions": conditions}, ForeignClusterStatus)
    spec = ForeignClusterSpec(cluster_id=name)
    return ForeignCluster(metadata=Meta(name=name, resource_version="1"), spec=spec, status=status)


def put_back(there: EndpointSlice, made: Manifest) -> Plan:
    metadata = {**made.body["metadata"], "uid": there.metadata.uid}
    return do(Apply(Manifest(made.kind, {**made.body, "metadata": metadata})))


MADE = forge(a_shadow(), is_reached=True)
EARLIER = a_slice(owner_references=())
LEAVING = a_slice(deletion_timestamp="2026-11-16T00:00:00Z")
OF_NAMES = a_slice(address_type="FQDN")
EDITED = (
    a_slice(raw_ports=msgspec.Raw(b"[]")),
    a_slice(raw_endpoints=msgspec.Raw(b"[]")),
    a_slice(labels={}),
    a_slice(annotations={}),
)


@pytest.mark.parametrize(
    ("consumer", "there", "expected"),
    [
        pytest.param(None, None, NOTHING, id="a consumer that nobody knows"),
        pytest.param(a_consumer(), None, do(Create(MADE)), id="new"),
        pytest.param(a_consumer(), a_slice(), NOTHING, id="as it should be, and more"),
        pytest.param(a_consumer(), LEAVING, NOTHING, id="it comes again when it is gone"),
        pytest.param(a_consumer(), EARLIER, do(Delete(EARLIER)), id="of an earlier shadow"),
        pytest.param(a_consumer(), OF_NAMES, do(Delete(OF_NAMES)), id="of other addresses"),
        *(
            pytest.param(a_consumer(), each, put_back(each, MADE), id=f"edited {number}")
            for number, each in enumerate(EDITED)
        ),
    ],
)
def test_what_is_done(
    consumer: ForeignCluster | None, there: EndpointSlice | None, expected: Plan
) -> None:
    assert plan(State(a_shadow(), consumer, there)) == expected


def test_a_slice_is_the_one_that_was_captured() -> None:
    [captured] = wire.captured(ShadowEndpointSlice)
    shadow = msgspec.json.decode(msgspec.json.encode(captured), type=ShadowEndpointSlice)
    made = forge(shadow, is_reached=True).body
    assert made["metadata"]["labels"] == {
        "endpointslice.kubernetes.io/managed-by": "endpointslice.reflection.liqo.io",
        "kubernetes.io/service-name": "web",
        "liqo.io/managed": "true",
        "liqo.io/managed-by": "shadowendpointslice",
        "offloading.liqo.io/destination": "milan",
        "offloading.liqo.io/origin": "rome",
    }
    assert made["metadata"]["annotations"] == captured["metadata"]["annotations"]
    [owner] = made["metadata"]["ownerReferences"]
    assert (owner["kind"], owner["controller"]) == ("ShadowEndpointSlice", True)
    assert (made["addressType"], made["ports"], made["endpoints"]) == ("IPv4", [PORT], [])


def test_what_is_for_another_module_is_not_copied() -> None:
    assert MADE.body["metadata"]["annotations"] == {"why": "tests"}


@pytest.mark.parametrize(
    ("told", "is_reached", "expected"),
    [
        ({"ready": True}, True, {"ready": True}),
        ({"ready": True}, False, {"ready": False}),
        ({"ready": False}, True, {"ready": False}),
        ({}, True, {"ready": True}),
        (
            {"ready": False, "serving": True, "terminating": True},
            True,
            {"ready": False, "serving": True, "terminating": True},
        ),
    ],
)
def test_nobody_is_sent_to_a_consumer_that_cannot_be_reached(
    told: JSON, is_reached: bool, expected: JSON
) -> None:
    [made] = forge(a_shadow(an_endpoint(**told)), is_reached=is_reached).body["endpoints"]
    assert made == {"addresses": ["10.70.0.1"], "conditions": expected, "nodeName": "rome"}


def test_an_endpoint_that_says_nothing_of_itself_is_ready() -> None:
    bare: JSON = {"addresses": ["10.70.0.1"]}
    [made] = forge(a_shadow(bare), is_reached=True).body["endpoints"]
    assert made == {**bare, "conditions": {"ready": True}}


def test_a_consumer_that_died_takes_its_endpoints_along() -> None:
    there = a_slice()
    withdrawn = forge(a_shadow(), is_reached=False)
    assert plan(State(a_shadow(), a_consumer("Error"), there)) == put_back(there, withdrawn)


@pytest.mark.parametrize(
    ("error", "is_told"),
    [
        (Forbidden("milan: no"), True),
        (Conflict("milan: taken", reason="AlreadyExists"), True),
        (Conflict("milan: changed"), False),
        (Unreachable("milan: nobody there"), False),
    ],
)
def test_the_consumer_reads_why_it_has_none(error: KubeError, is_told: bool) -> None:
    shadow = a_shadow()
    message = f"Failed to bring the endpoints to this cluster: {error}"
    told = Record(shadow, "FailedCreateEndpointSlice", message, "Warning")
    assert failed(State(shadow, a_consumer()), error) == (do(told) if is_told else NOTHING)


def test_what_is_observed() -> None:
    here = Caches(Cluster(Access("http://milan.invalid")))
    made = controller(here)
    assert made.manager == "shadow-endpointslice-controller"
    assert observe(here, KEY) is None
    here.of(ShadowEndpointSlice).take(a_shadow())
    assert made.observe(KEY) == State(a_shadow(), None)
    here.of(ForeignCluster).take(a_consumer(name="naples"))
    here.of(ForeignCluster).take(a_consumer())
    here.of(EndpointSlice, OURS).take(a_slice())
    assert made.observe(KEY) == State(a_shadow(), a_consumer(), a_slice())
    assert list(all_of_its(here, a_consumer())) == [KEY]
    assert list(all_of_its(here, a_consumer(name="naples"))) == []


def test_one_that_leaves_takes_along_what_was_made_of_it() -> None:
    here = Caches(Cluster(Access("http://milan.invalid")))
    here.of(ShadowEndpointSlice).take(a_shadow(deletion_timestamp="2026-11-16T00:00:00Z"))
    assert observe(here, KEY) is None
