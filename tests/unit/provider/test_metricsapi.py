"""The API of the metric agent: there as long as somebody answers."""

from dataclasses import replace

import pytest

from liqo.api.aggregation import APIService
from liqo.api.kubernetes import Deployment
from liqo.api.meta import Key, Meta
from liqo.kube.paths import named
from liqo.kube.reading import Metadata
from liqo.provider.metricsapi import (
    API,
    State,
    agent,
    controller,
    installation,
    observe,
    plan,
    registration,
)
from liqo.runtime.plan import NOTHING, Apply, Delete, do
from tests.unit.provider.things import holding, raw

REGISTERED = APIService(
    metadata=Meta(name="v1beta1.metrics.liqo.io", uid="api-1", resource_version="1")
)


def an_agent(available: int | None = None, deleted: str | None = None) -> Deployment:
    status = {} if available is None else {"availableReplicas": available}
    return Deployment(
        metadata=Meta(
            name="liqo-metric-agent",
            namespace="liqo",
            resource_version="1",
            deletion_timestamp=deleted,
        ),
        raw_status=raw(status),
    )


def test_an_agent_that_is_available_is_registered() -> None:
    for registered in (None, REGISTERED):
        state = State("liqo", leaving=False, available=True, registered=registered)
        assert plan(state) == do(Apply(registration("liqo")))


@pytest.mark.parametrize(("leaving", "available"), [(False, False), (True, True), (True, False)])
def test_an_api_behind_which_nobody_is_or_soon_nobody_will_be_is_taken_away(
    *, leaving: bool, available: bool
) -> None:
    state = State("liqo", leaving, available, REGISTERED)
    assert plan(state) == do(Delete(REGISTERED))
    assert plan(replace(state, registered=None)) == NOTHING


def test_it_leads_to_the_service_of_the_agent() -> None:
    body = registration("peers").body
    assert body["metadata"]["name"] == API.name == "v1beta1.metrics.liqo.io"
    where = {"name": "liqo-metric-agent", "namespace": "peers", "port": 443}
    assert body["spec"]["service"] == where


@pytest.mark.parametrize(
    ("runs", "available"),
    [
        (None, False),
        (an_agent(), False),
        (an_agent(available=0), False),
        (an_agent(available=1), True),
        (an_agent(available=1, deleted="2026-11-16T00:00:00Z"), False),
    ],
)
def test_one_available_pod_is_enough(runs: Deployment | None, *, available: bool) -> None:
    here = holding()
    if runs is not None:
        agent(here, "liqo").take(runs)
    assert observe(here, "liqo", API).available is available


def test_an_installation_whose_namespace_is_deleted_is_leaving() -> None:
    for home, leaving in (
        (None, True),
        (Meta(name="liqo", resource_version="1"), False),
        (Meta(name="liqo", resource_version="1", deletion_timestamp="2026-11-16T00:00:00Z"), True),
    ):
        here = holding()
        if home is not None:
            installation(here, "liqo").take(Metadata(metadata=home))
        assert observe(here, "liqo", API).leaving is leaving


def test_all_it_depends_on_concerns_the_api() -> None:
    here = holding()
    apis = here.of(APIService, named(API))
    apis.take(REGISTERED)
    assert observe(here, "liqo", API).registered == REGISTERED
    watches = controller(here, "liqo").watches
    home = Metadata(metadata=Meta(name="liqo"))
    for cache, thing in (
        (agent(here, "liqo"), an_agent()),
        (installation(here, "liqo"), home),
        (apis, REGISTERED),
    ):
        assert list(watches[cache](thing)) == [Key("", "v1beta1.metrics.liqo.io")]
