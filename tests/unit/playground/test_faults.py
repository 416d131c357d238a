"""What a fault is done to; that it works is shown on real clusters."""

from pathlib import Path

import pytest

from liqo.playground.errors import PlaygroundError
from liqo.playground.faults import start, target, victims
from tests.unit.playground.layouts import a_site


@pytest.mark.parametrize(
    ("named", "what", "is_pod"),
    [
        ("apiserver", "kube-apiserver", False),
        ("etcd", "etcd", False),
        ("node", "node", False),
        ("default/demo", "default/demo", True),
    ],
)
def test_a_target_is_a_component_a_node_or_a_pod(
    tmp_path: Path, named: str, what: str, is_pod: bool
) -> None:
    goal = target(a_site(tmp_path, workers=1), named)
    assert (goal.what, goal.is_pod, goal.member.name) == (what, is_pod, "venice")


def test_a_target_may_be_on_another_node(tmp_path: Path) -> None:
    site = a_site(tmp_path, workers=1)
    assert target(site, "kubelet", "venice-worker-1").member.index == 1
    with pytest.raises(PlaygroundError, match='no component "etcd" on "venice-worker-1"'):
        target(site, "etcd", "venice-worker-1")


def test_a_node_that_is_not_there_is_named_with_those_that_are(tmp_path: Path) -> None:
    sentence = r'no node "pisa" in "venice" \(there: venice, venice-worker-1\)'
    with pytest.raises(PlaygroundError, match=sentence):
        target(a_site(tmp_path, workers=1), "kubelet", "pisa")


@pytest.mark.parametrize(
    ("named", "member", "sentence"),
    [
        ("etcd", "", 'etcd of "venice" is not running; .* start venice etcd -p on-paper'),
        ("node", "", 'the node "venice" is not running; .* start venice node -p on-paper'),
        ("kubelet", "venice-worker-1", "start venice kubelet --node venice-worker-1 -p on-paper"),
    ],
)
async def test_what_does_not_run_cannot_be_hit(
    tmp_path: Path, named: str, member: str, sentence: str
) -> None:
    with pytest.raises(PlaygroundError, match=sentence):
        await victims(target(a_site(tmp_path, workers=1), named, member))


async def test_a_pod_is_started_by_its_kubelet(tmp_path: Path) -> None:
    with pytest.raises(PlaygroundError, match=r"the pod default/demo .* started again by its"):
        await start(target(a_site(tmp_path), "default/demo"))
