"""What people are told of a pod when a write is refused."""

from __future__ import annotations

from typing import Any

import pytest

from liqo.api import labels
from liqo.kube.errors import (
    Conflict,
    Forbidden,
    KubeError,
    NotFound,
    ServerFault,
    Throttled,
    Unauthorized,
    Unreachable,
)
from liqo.kubelet.pods.failure import failed
from liqo.kubelet.pods.plan import State
from liqo.kubelet.pods.rejection import rejected, warned
from liqo.runtime.plan import NOTHING, Plan, do
from tests.unit.kubelet.pods.things import BOUND, NOW, PLACE, SITE, SPEC, a_pod, a_shadow


def failure(error: KubeError, **state: Any) -> Plan:
    return failed(State(**{"site": SITE, "now": NOW, "place": PLACE, **state}), error)


@pytest.mark.parametrize("error", [Forbidden, NotFound, ServerFault])
def test_a_refused_offer_is_told_in_the_providers_words(error: type[KubeError]) -> None:
    local = a_pod(BOUND)
    told = failure(error("milan: peering cpu quota usage exceeded"), local=local)
    words = "peering cpu quota usage exceeded"
    assert told == do(*rejected(local, words, "FailedReflection", SITE, NOW))


def test_a_refused_change_is_told_as_an_event() -> None:
    local = a_pod()
    message = 'Error reflecting object to cluster "milan": no'
    told = do(warned(local, "FailedReflection", message))
    assert failure(Forbidden("milan: no"), local=local, shadow=a_shadow()) == told


def test_what_stands_there_in_the_name_of_another_pod_is_not_said_to_run_on_without_a_change() -> (
    None
):
    local = a_pod(spec={**SPEC, "tolerations": [{"operator": "Exists"}]})
    of_another = a_shadow(annotations={labels.LOCAL_POD_UID: "local-0"})
    told = failure(Forbidden("milan: no"), local=local, shadow=of_another)
    message = 'Error reflecting object to cluster "milan": no'
    assert told == do(warned(local, "FailedReflection", message))


def test_what_our_own_api_server_refuses_is_not_said_to_be_the_providers() -> None:
    local = a_pod()
    message = 'Error reflecting object status back from cluster "milan": rome: no'
    told = do(warned(local, "FailedReflection", message))
    assert failure(Forbidden("rome: no"), local=local, place=None) == told
    assert failure(Forbidden("rome: no"), local=local, shadow=a_shadow()) == told


def test_whose_pod_is_gone_by_force_is_told_nothing() -> None:
    gone = NotFound('rome: pods "web-0" not found')
    assert failure(gone, local=a_pod(), shadow=a_shadow()) == NOTHING


@pytest.mark.parametrize("error", [Conflict, Throttled, Unauthorized, Unreachable])
def test_what_is_not_about_the_pod_is_not_told_on_the_pod(error: type[KubeError]) -> None:
    assert failure(error("milan: later"), local=a_pod()) == NOTHING
    assert failure(Forbidden("milan: no"), local=None, shadow=a_shadow()) == NOTHING
