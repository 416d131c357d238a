"""Who is told that volumes stay at home."""

from __future__ import annotations

import pytest

from liqo.api.kubernetes import Pod
from liqo.api.meta import JSON, Key
from liqo.kube.paths import Scope
from liqo.kubelet.reflect.volumes import State, claiming, controller, observe, plan
from liqo.runtime.plan import NOTHING, Record, do
from tests.unit.kubelet.pods.things import BOUND, SITE, a_pod, running
from tests.unit.kubelet.reflect.things import a_copy, caches, followed

KEY = Key("shop", "web-0")


def mounting(*volumes: JSON) -> JSON:
    return {"nodeName": "milan", "containers": [{"name": "web"}], "volumes": list(volumes)}


CLAIMED: JSON = {"name": "files", "persistentVolumeClaim": {"claimName": "web"}}
GENERIC: JSON = {"name": "scratch", "ephemeral": {"volumeClaimTemplate": {}}}
EMPTY: JSON = {"name": "tmp", "emptyDir": {}}
WAITING = a_pod(BOUND, mounting(CLAIMED, GENERIC, EMPTY))


def test_the_owner_is_told_which_volumes_are_missing() -> None:
    message = (
        "volume files of claim web, volume scratch of a claim of its own: volumes are not "
        'reflected to cluster "milan" yet. Run the pod at home, or make them there by hand'
    )
    component = "liqo-persistentvolumeclaim-reflection"
    told = Record(WAITING, "VolumesNotReflected", message, type="Warning", component=component)
    assert plan(State(SITE, WAITING)) == do(told)


@pytest.mark.parametrize(
    "pod",
    [
        pytest.param(a_pod(running(), mounting(CLAIMED)), id="it runs"),
        pytest.param(a_pod(BOUND, mounting(EMPTY)), id="it has no claims"),
    ],
)
def test_nobody_else_is_told(pod: Pod) -> None:
    assert plan(State(SITE, pod)) == NOTHING


async def test_only_pods_that_mention_a_claim_are_looked_at() -> None:
    assert claiming(WAITING) == (KEY,)
    assert claiming(a_pod(BOUND, mounting(GENERIC))) == (KEY,)
    assert claiming(a_pod(BOUND, mounting(EMPTY))) == ()
    assert observe(await a_copy(Pod, [WAITING]), SITE, KEY) == State(SITE, WAITING)
    assert observe(await a_copy(Pod, []), SITE, KEY) is None


def test_it_follows_the_pods_of_its_node() -> None:
    rome = caches("rome")
    made = controller(rome, SITE)
    assert followed(made) == ["Pod"]
    rome.of(Pod, Scope(fields="spec.nodeName=milan")).take(WAITING)
    assert made.observe(KEY) == State(SITE, WAITING)
