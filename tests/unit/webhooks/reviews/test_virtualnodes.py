"""VirtualNodes: what is filled in, what is kept in step, and which could never run."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec import Raw, convert, to_builtins
from msgspec.structs import replace

from liqo.api.ipam import Network, NetworkSpec
from liqo.api.kubernetes import Namespace, Node, Secret
from liqo.api.meta import JSON, Meta, Resource
from liqo.api.offloading import OffloadingPatch, VirtualNode, VirtualNodeSpec, VkOptionsTemplate
from liqo.api.values import (
    DeploymentTemplate,
    LocalReference,
    ObjectReference,
    ResourceQuota,
    TemplateMeta,
)
from liqo.rules.kubelets import Surroundings
from liqo.webhooks.review import ALLOW, Deny, Patch
from liqo.webhooks.reviews.virtualnodes import State, mutate, observe
from tests.captured import captured
from tests.unit.webhooks.reviews.questions import Told, creation, update

ROME = Surroundings("rome", "liqo", ("10.71.0.0/22",))
HOME = "liqo-tenant-milan"
PROVIDER = "liqo.io/remote-cluster-id"
NAMESPACE = {"liqo.io/tenant-namespace": "true", "liqo.io/remote-cluster-id": "milan"}
WORKERS = {
    "pod": 10,
    "service": 3,
    "endpointslice": 10,
    "ingress": 3,
    "configmap": 3,
    "secret": 3,
    "serviceaccount": 3,
    "persistentvolumeclaim": 3,
    "event": 3,
}
CHOSEN = {"service", "ingress", "configmap", "secret", "event"}
SEEN = captured("consumer", "VirtualNode", "milan")
OPTIONS = convert(
    {
        "metadata": {"name": "virtual-kubelet-default", "namespace": "liqo"},
        "spec": {
            "containerImage": "ghcr.io/liqotech/virtual-kubelet:v1.2.0",
            "createNode": True,
            "disableNetworkCheck": False,
            "metricsEnabled": True,
            "metricsAddress": ":5872",
            "replicas": 1,
            "extraArgs": ["--enable-apiserver-support=true"],
            "annotationsNotReflected": SEEN["spec"]["offloadingPatch"]["annotationsNotReflected"],
            "reflectorsConfig": {
                kind: {"workers": count, "type": "DenyList" if kind in CHOSEN else ""}
                for kind, count in WORKERS.items()
            },
        },
    },
    VkOptionsTemplate,
)
STATE = State(ROME, OPTIONS, NAMESPACE)


def as_asked() -> VirtualNode:
    """What was captured, without what the webhook of Liqo had added to it."""
    added = ("template", "offloadingPatch", "createNode", "disableNetworkCheck")
    spec = {name: value for name, value in SEEN["spec"].items() if name not in added}
    metadata = {"name": "milan", "namespace": HOME, "labels": {PROVIDER: "milan"}}
    return convert({"metadata": metadata, "spec": spec}, VirtualNode)


ASKED = as_asked()


def merged(before: JSON, change: JSON) -> JSON:
    inner = {
        name: merged(before.get(name) or {}, value) if isinstance(value, dict) else value
        for name, value in change.items()
    }
    return {**before, **inner}


def completed(asked: VirtualNode = ASKED, state: State = STATE) -> VirtualNode:
    verdict = mutate(creation(asked), state)
    assert isinstance(verdict, Patch)
    return convert(merged(to_builtins(asked), verdict.change), VirtualNode)


def container(node: VirtualNode) -> JSON:
    assert node.spec.template is not None
    [only] = node.spec.template.spec["template"]["spec"]["containers"]
    found: JSON = only
    return found


def with_spec(node: VirtualNode, **fields: Any) -> VirtualNode:
    return replace(node, spec=replace(node.spec, **fields))


def test_it_becomes_what_liqo_itself_would_make_of_it() -> None:
    expected = {**SEEN["spec"], "template": {**SEEN["spec"]["template"]}}
    del expected["template"]["spec"]["strategy"]  # an empty one, which means nothing
    assert completed().spec == convert(expected, VirtualNodeSpec)


def test_what_is_complete_is_left_alone() -> None:
    done = completed()
    assert mutate(update(done, done), STATE) == ALLOW


def test_what_is_said_counts_for_more_than_the_options() -> None:
    asked = with_spec(
        ASKED,
        create_node=False,
        disable_network_check=True,
        offloading_patch=OffloadingPatch(labels_not_reflected=("mine",)),
        template=DeploymentTemplate(
            metadata=TemplateMeta(labels={"team": "blue"}),
            spec={
                "template": {
                    "spec": {
                        "containers": [
                            {"image": "mine", "args": ["--flag", "--pod-reflection-workers=1"]}
                        ]
                    }
                }
            },
        ),
    )
    done = completed(asked)
    made = container(done)
    assert made["image"] == "mine"
    assert "--pod-reflection-workers=1" in made["args"]
    assert "--pod-reflection-workers=10" not in made["args"]
    assert made["args"][-4:] == [
        "--flag",
        "--foreign-kubeconfig-secret-name=kubeconfig-resourceslice-milan",
        "--create-node=false",
        "--node-check-network=false",
    ]
    assert done.spec.template is not None
    assert done.spec.template.metadata.labels["team"] == "blue"
    assert done.spec.offloading_patch is not None
    assert done.spec.offloading_patch.labels_not_reflected == ("mine",)
    assert len(done.spec.offloading_patch.annotations_not_reflected) == 11


def test_later_arguments_and_replicas_follow_the_spec_and_all_else_stays() -> None:
    done = completed()
    fewer = replace(OPTIONS, spec=replace(OPTIONS.spec, replicas=2, container_image="new"))
    changed = with_spec(done, create_node=False, kubeconfig_secret_ref=LocalReference(name="other"))
    verdict = mutate(update(done, changed), replace_state(options=fewer))
    assert isinstance(verdict, Patch)
    after = convert(merged(to_builtins(changed), verdict.change), VirtualNode)
    assert container(after)["image"] == container(done)["image"]
    assert container(after)["args"][-3:] == [
        "--foreign-kubeconfig-secret-name=other",
        "--create-node=false",
        "--node-check-network=true",
    ]
    assert after.spec.template is not None
    assert after.spec.template.spec["replicas"] == 2


def test_one_that_nobody_completed_is_completed_later() -> None:
    assert isinstance(mutate(update(ASKED, ASKED), STATE), Patch)
    assert mutate(update(ASKED, ASKED), replace_state(options=None)) == ALLOW


@pytest.mark.parametrize(
    ("before", "expected"),
    [
        ({}, {"labels": {PROVIDER: "milan"}}),
        ({"team": "blue"}, {"labels": {PROVIDER: "milan"}}),
        ({PROVIDER: "turin"}, {"labels": {PROVIDER: "milan"}}),
        ({PROVIDER: "milan"}, None),
    ],
    ids=["no label", "another label", "the label of another", "its own"],
)
def test_its_label_names_the_provider_that_its_spec_does(
    before: dict[str, str], expected: JSON | None
) -> None:
    """Whoever looks for the nodes of a provider looks for that."""
    done = completed()
    known = replace(done, metadata=replace(done.metadata, labels=before))
    for request in (creation(known), update(known, known)):
        verdict = mutate(request, STATE)
        assert (verdict.change if isinstance(verdict, Patch) else {}).get("metadata") == expected


def test_without_a_provider_there_is_nothing_to_be_labelled_with() -> None:
    nobodys = with_spec(completed(), cluster_id="")
    known = replace(nobodys, metadata=replace(nobodys.metadata, labels={}))
    assert mutate(update(known, known), STATE) == ALLOW


def replace_state(**changes: Any) -> State:
    fields = {
        "here": ROME,
        "options": OPTIONS,
        "namespace": NAMESPACE,
        "node_exists": False,
        "credential": "usable",
    }
    return State(**{**fields, **changes})


@pytest.mark.parametrize(
    ("state", "words"),
    [
        (replace_state(node_exists=True), "node milan already exists"),
        (replace_state(namespace={}), '"liqo-tenant-milan" is none'),
        (replace_state(options=None), 'no VkOptionsTemplate "liqo/virtual-kubelet-default"'),
        (replace_state(credential="missing"), 'no Secret "kubeconfig-resourceslice-milan" in'),
        (replace_state(credential="incomplete"), 'has no field "kubeconfig"'),
    ],
)
def test_what_could_never_run_is_refused(state: State, words: str) -> None:
    refused = mutate(creation(ASKED), state)
    assert isinstance(refused, Deny)
    assert words in refused.reason


def test_D06_a_reference_to_nothing_is_refused_and_one_we_may_not_follow_is_believed() -> None:
    nameless = with_spec(ASKED, kubeconfig_secret_ref=None)
    refused = mutate(creation(nameless), STATE)
    assert isinstance(refused, Deny)
    assert "spec.kubeconfigSecretRef must name the Secret" in refused.reason
    assert isinstance(mutate(creation(ASKED), replace_state(credential="unknown")), Patch)


def test_D06_a_new_reference_is_looked_at_and_an_old_one_no_more() -> None:
    gone = replace_state(credential="missing")
    other = with_spec(ASKED, kubeconfig_secret_ref=LocalReference(name="other"))
    assert isinstance(mutate(update(ASKED, other), gone), Deny)
    done = completed()
    assert mutate(update(done, done), gone) == ALLOW


SECRET = Secret(metadata=Meta(name="kubeconfig-resourceslice-milan", namespace=HOME))
GOOD = replace(SECRET, raw_data=Raw(b'{"kubeconfig":"eA=="}'))


@pytest.mark.parametrize(
    ("things", "credential"),
    [((), "missing"), ((SECRET,), "incomplete"), ((GOOD,), "usable")],
)
async def test_the_secret_is_looked_up_in_the_namespace_of_the_node(
    things: tuple[Resource, ...], credential: str
) -> None:
    state = await observe(Surroundings("rome", "liqo"), Told(things), creation(ASKED))
    assert state.credential == credential


async def test_a_secret_that_we_may_not_read_is_unknown() -> None:
    reader = Told([GOOD], frozenset({Secret.KIND}))
    assert (await observe(ROME, reader, creation(ASKED))).credential == "unknown"
    nameless = with_spec(ASKED, kubeconfig_secret_ref=None)
    assert (await observe(ROME, reader, creation(nameless))).credential == "missing"


async def test_all_that_a_review_depends_on_is_looked_up() -> None:
    network = Network(metadata=Meta(namespace="liqo"), spec=NetworkSpec(cidr="10.71.0.0/22"))
    home = Namespace(metadata=Meta(name=HOME, labels=NAMESPACE))
    node = Node(metadata=Meta(name="milan"))
    reader = Told([network, home, node, OPTIONS, GOOD])
    state = await observe(Surroundings("rome", "liqo"), reader, creation(ASKED))
    assert state == replace_state(node_exists=True)
    [(_, scope)] = reader.scopes
    assert (scope.namespace, scope.labels) == ("liqo", "ipam.liqo.io/network-type=pod-cidr")


async def test_a_virtual_node_may_name_other_options() -> None:
    other = replace(OPTIONS, metadata=Meta(name="mine", namespace=HOME))
    asked = with_spec(ASKED, vk_options_template_ref=ObjectReference(name="mine", namespace=HOME))
    assert (await observe(ROME, Told([OPTIONS, other]), creation(asked))).options == other


def test_amounts_that_no_node_may_have_are_refused_when_they_are_written() -> None:
    good = completed()
    bad = with_spec(good, resource_quota=ResourceQuota(hard={"cpu": "4", "pods": "1500m"}))
    for request in (creation(bad), update(good, bad)):
        refused = mutate(request, STATE)
        assert isinstance(refused, Deny)
        assert refused.code == 400
        assert refused.reason.startswith('spec.resourceQuota.hard: "1500m" of pods is not a whole')
    assert mutate(update(bad, bad), STATE) == ALLOW
