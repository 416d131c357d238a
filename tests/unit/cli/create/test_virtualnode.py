"""create virtualnode: of a slice, of a Secret, and of nothing else."""

from __future__ import annotations

import json

import msgspec
import pytest

from liqo.api.kubernetes import Node, Secret
from liqo.api.meta import JSON
from liqo.cli.create.verbs import virtualnode as command
from liqo.cli.create.virtualnode import BOTH, NEITHER, check_secret, not_ready
from liqo.errors import LiqoError
from tests import seeds
from tests.unit.cli.answers import a_home, a_secret, a_slice, answer, thing, things
from tests.unit.cli.calling import called, kubeconfig
from tests.unit.kube.scripted import a_watch, refuses

Captured = pytest.CaptureFixture[str]

HOME = things(a_home("milan"))
SLICE = "mynode --remote-cluster-id milan --resource-slice-name mypool"
SECRET = "mynode --remote-cluster-id milan --kubeconfig-secret-name mine"
GRANTED = a_slice(resources={"cpu": "4"}, conditions=[answer("Resources", "Accepted")])
OF_MILAN = {"liqo.io/remote-cluster-id": "milan"}
MINE = a_secret("liqo-tenant-milan", "mine", OF_MILAN, kubeconfig=kubeconfig("https://m").encode())
MADE = {"metadata": {"name": "mynode"}}


def a_node(**ready: str) -> JSON:
    conditions = [{"type": "Ready", **ready}] if ready else []
    return {"metadata": {"name": "mynode"}, "status": {"conditions": conditions}}


async def test_a_node_of_a_secret_is_printed_as_the_seed_shows_it(capsys: Captured) -> None:
    words = "--remote-cluster-id cool-firefly --kubeconfig-secret-name"
    name = "kubeconfig-resourceslice-mypool"
    await called(command, f"{words} {name} mynode -o yaml", things(a_home("cool-firefly")))
    assert capsys.readouterr().out == seeds.NODE_OF_SECRET


async def test_a_node_of_a_slice_has_its_resources_whatever_else_was_said(capsys: Captured) -> None:
    await called(command, f"{SLICE} --cpu 9 -o json", HOME, thing(GRANTED))
    told = capsys.readouterr()
    document = json.loads(told.out)
    assert document["spec"]["resourceQuota"] == {"hard": {"cpu": "4"}}
    assert document["status"] == {}
    assert told.err == (
        "WARN: --cpu count only with --kubeconfig-secret-name: the ResourceSlice decides\n"
    )


async def test_of_what_no_node_may_have_it_gets_what_the_first_one_does(capsys: Captured) -> None:
    """Half a device would be refused by our own webhook."""
    resources = {"cpu": "1500m", "example.com/device": "1500m"}
    granted = a_slice(resources=resources, conditions=[answer("Resources", "Accepted")])
    await called(command, f"{SLICE} -o json", HOME, thing(granted))
    hard = json.loads(capsys.readouterr().out)["spec"]["resourceQuota"]["hard"]
    assert hard == {"cpu": "1500m", "example.com/device": "1"}


async def test_a_node_of_a_share_says_what_fits_on_one_node_as_the_first_one_does(
    capsys: Captured,
) -> None:
    message = "cpu 4 = floor(0.9 × 5)\nlargest pod on one of 2 nodes: cpu 3\nfree by node: cpu 3 2"
    said = {**answer("Resources", "Accepted"), "message": message}
    granted = thing(a_slice(resources={"cpu": "4"}, conditions=[said]))
    await called(command, f"{SLICE} -o json", HOME, granted)
    spec = json.loads(capsys.readouterr().out)["spec"]
    assert spec["annotations"] == {"offloading.liqo.io/largest-pod": "cpu=3"}


async def test_classes_and_wishes_are_said_by_flags(capsys: Captured) -> None:
    words = (
        f"{SECRET} --storage-classes a,b --ingress-classes c --load-balancer-classes d "
        "--labels zone=x --node-selector disk=fast --runtime-class-name r --pods 5 "
        "--vk-options-template liqo/mine --create-node=false --disable-network-check -o json"
    )
    await called(command, words, HOME)
    spec = json.loads(capsys.readouterr().out)["spec"]
    assert spec["storageClasses"] == [
        {"default": True, "storageClassName": "a"},
        {"storageClassName": "b"},
    ]
    assert spec["ingressClasses"] == [{"default": True, "ingressClassName": "c"}]
    assert spec["loadBalancerClasses"] == [{"default": True, "loadBalancerClassName": "d"}]
    assert spec["resourceQuota"]["hard"] == {"cpu": "2", "memory": "4Gi", "pods": "5"}
    assert (spec["createNode"], spec["disableNetworkCheck"]) == (False, True)
    assert spec["vkOptionsTemplateRef"] == {"name": "mine", "namespace": "liqo"}


async def test_it_waits_until_the_node_is_ready(capsys: Captured) -> None:
    ready = things(a_node(status="True"))
    credential = things(a_secret("liqo-tenant-milan", "kubeconfig-resourceslice-mypool", {}))
    await called(command, SLICE, HOME, thing(GRANTED), credential, thing(MADE), ready)
    assert capsys.readouterr().err == (
        "Creating virtual node\n"
        "INFO: Virtual node created\n"
        "Waiting for node mynode to be Ready\n"
        "INFO: Node mynode is Ready\n"
    )


async def test_R16_the_wait_ends_and_says_what_was_missing() -> None:
    silent = a_watch(stays=True)
    script = (HOME, thing(MINE), thing(MADE), things(), silent, refuses(404))
    with pytest.raises(LiqoError, match="no such Node has appeared; see its virtual kubelet"):
        await called(command, f"{SECRET} --timeout 1s", *script)


async def test_without_a_node_there_is_nothing_to_wait_for(capsys: Captured) -> None:
    await called(command, f"{SECRET} --create-node=false", HOME, thing(MINE), thing(MADE))
    assert capsys.readouterr().err == "Creating virtual node\nINFO: Virtual node created\n"


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (f"{SLICE} --kubeconfig-secret-name x", BOTH),
        ("mynode --remote-cluster-id milan", NEITHER),
        (
            f"{SECRET} --vk-options-template mine",
            '"mine" does not say which VkOptionsTemplate is meant: --vk-options-template expects '
            "NAMESPACE/NAME",
        ),
    ],
)
async def test_a_call_that_says_too_much_or_too_little_asks_nothing(
    words: str, sentence: str
) -> None:
    with pytest.raises(LiqoError) as wrong:
        await called(command, words)
    assert str(wrong.value) == sentence


async def test_a_slice_that_is_not_there_or_not_granted_makes_no_node() -> None:
    with pytest.raises(LiqoError, match='there is no ResourceSlice "mypool" in the namespace'):
        await called(command, SLICE, HOME, refuses(404))
    with pytest.raises(LiqoError, match="are not accepted; see what its provider said"):
        await called(command, SLICE, HOME, thing(a_slice()))


async def test_a_secret_that_is_not_there_makes_no_node() -> None:
    with pytest.raises(LiqoError, match='there is no Secret "mine" in the namespace'):
        await called(command, SECRET, HOME, refuses(404))


async def test_the_secret_of_a_slice_is_waited_for_once_its_provider_has_said_yes() -> None:
    words = "mynode --remote-cluster-id milan --kubeconfig-secret-name"
    name = "kubeconfig-resourceslice-mypool"
    asked, gone = f"{words} {name} --timeout 50ms", 'there is no Secret "kubeconfig-resourceslice-'
    accepted = thing(a_slice(conditions=[answer("Authentication", "Accepted")]))
    with pytest.raises(LiqoError, match="of the slice has not come"):
        await called(command, asked, HOME, accepted, things(), a_watch())
    for unheard in (thing(a_slice()), refuses(404)):
        with pytest.raises(LiqoError, match=gone):
            await called(command, asked, HOME, unheard, refuses(404))


@pytest.mark.parametrize(
    ("labels", "content", "problem"),
    [
        (OF_MILAN, kubeconfig("https://m").encode(), ""),
        ({}, b"", "is not labelled as one of"),
        ({"liqo.io/remote-cluster-id": "turin"}, b"", "--overwrite liqo.io/remote-cluster-id=mila"),
        (OF_MILAN, b"", "has no key kubeconfig"),
        (OF_MILAN, b"\xff\xfe", "is not text"),
        (OF_MILAN, b"hello", "kubeconfig"),
        (OF_MILAN, b"current-context: a", "a"),
    ],
)
async def test_a_secret_must_be_what_a_virtual_kubelet_needs(
    labels: dict[str, str], content: bytes, problem: str
) -> None:
    made = a_secret("there", "mine", labels, **({"kubeconfig": content} if content else {}))
    secret = msgspec.json.decode(msgspec.json.encode(made), type=Secret)
    said = check_secret(secret, "milan")
    assert problem in said
    assert bool(said) == bool(problem)


@pytest.mark.parametrize(
    ("ready", "sentence"),
    [
        ({}, "its virtual kubelet has not reported yet; see: kubectl describe node mynode"),
        ({"status": "False", "reason": "NoNet", "message": "cut"}, "NoNet: cut"),
    ],
)
def test_a_node_that_is_not_ready_says_why(ready: dict[str, str], sentence: str) -> None:
    node = msgspec.json.decode(msgspec.json.encode(a_node(**ready)), type=Node)
    assert not_ready(node) == sentence
