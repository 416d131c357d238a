"""Sizes: read from whole pods, and from what people leave out of them."""

import msgspec

from liqo.api.sizes import Claim, PodSize, SizedNode, SizedPod, SizedShadowPod, Sizes, size_of

POD = b"""{
  "metadata": {"name": "web", "labels": {"app": "web"}},
  "spec": {"nodeName": "milan", "dnsPolicy": "ClusterFirst", "overhead": {"cpu": "1m"},
           "containers": [{"name": "web", "image": "web", "resources": {"requests": {"cpu": 1}}}]},
  "status": {"phase": "Running", "podIP": "10.0.0.1"}
}"""


def test_of_a_pod_its_size_is_read() -> None:
    pod = msgspec.json.decode(POD, type=SizedPod)
    [container] = pod.spec.containers or ()
    assert (pod.spec.node_name, pod.spec.overhead) == ("milan", {"cpu": "1m"})
    assert container.resources == Sizes(requests={"cpu": 1})
    assert pod.status is not None
    assert pod.status.phase == "Running"


def test_of_a_shadow_pod_too() -> None:
    written = b'{"spec": {"pod": {"containers": [{"name": "web", "resources": null}]}}}'
    shadow = msgspec.json.decode(written, type=SizedShadowPod)
    assert [each.name for each in shadow.spec.pod.containers or ()] == ["web"]
    assert shadow.status is None


def test_nothing_is_a_size_as_well() -> None:
    assert size_of(b'{"containers": null, "initContainers": null}') == PodSize()


def test_of_a_node_it_is_read_what_it_has_and_whether_it_can_be_used() -> None:
    written = b"""{"metadata": {"name": "milan"}, "spec": {"unschedulable": true},
    "status": {"allocatable": {"cpu": "4"}, "images": [{"names": ["web"]}],
               "conditions": [{"type": "Ready", "status": "True", "reason": "KubeletReady"}]}}"""
    node = msgspec.json.decode(written, type=SizedNode)
    assert (node.spec.unschedulable, node.status.allocatable) == (True, {"cpu": "4"})
    assert node.status.conditions == (Claim(type="Ready", status="True"),)
    assert (
        msgspec.json.decode(b'{"metadata": {"name": "new"}}', type=SizedNode).status.allocatable
        is None
    )
