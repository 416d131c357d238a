"""What /metrics shows."""

from dataclasses import dataclass, field

import pytest

from liqo.api.meta import Key
from liqo.kube.errors import Invalid
from liqo.kube.http import Call
from liqo.runtime.failures import Failures
from liqo.runtime.metrics import KEPT, SHOWN_FAILURES, Metrics, count, kind_in
from liqo.runtime.queue import Queue


@dataclass(frozen=True)
class Desk:
    name: str = "provider/quota"
    queue: Queue = field(default_factory=Queue)
    failures: Failures = field(default_factory=Failures)


@dataclass(frozen=True)
class OldCopy:
    def age(self) -> float:
        return 7.5


def lines(metrics: Metrics) -> list[str]:
    return metrics.text().decode().splitlines()


def test_the_depth_of_each_queue_is_read_when_somebody_asks() -> None:
    metrics, desk = Metrics(), Desk()
    metrics.show_backlogs(lambda: [desk])
    desk.queue.add(Key("rome", "web"))
    assert 'liqo_queue_depth{controller="provider/quota"} 1.0' in lines(metrics)


def test_a_failing_key_is_named_with_its_reason() -> None:
    metrics, desk = Metrics(), Desk()
    metrics.show_backlogs(lambda: [desk])
    desk.failures.note(Key("rome", "web"), Invalid("no"))
    shown = lines(metrics)
    assert 'liqo_failing{controller="provider/quota",key="rome/web",reason="Invalid"} 1.0' in shown
    assert 'liqo_failing_keys{controller="provider/quota"} 1.0' in shown


def test_an_outage_does_not_flood_the_metrics() -> None:
    metrics, desk = Metrics(), Desk()
    metrics.show_backlogs(lambda: [desk])
    for number in range(3 * SHOWN_FAILURES):
        desk.failures.note(Key("rome", str(number)), Invalid("no"))
    shown = [line for line in lines(metrics) if line.startswith("liqo_failing{")]
    assert len(shown) == SHOWN_FAILURES


def test_of_more_namespaces_than_anybody_has_the_least_in_use_is_counted_anew() -> None:
    metrics = Metrics()
    for number in range(KEPT + 1):
        count(metrics.well, "provider/quota", str(number))
        count(metrics.well, "provider/quota", "busy")
    assert metrics.well["provider/quota", "busy"] == KEPT + 1
    assert len(metrics.well) == KEPT
    count(metrics.well, "provider/quota", "0")
    count(metrics.well, "provider/quota", "0")
    assert metrics.well["provider/quota", "0"] == 2


def test_a_controller_of_several_remotes_is_shown_once() -> None:
    metrics, milan, naples = Metrics(), Desk(), Desk()
    metrics.show_backlogs(lambda: [milan, naples])
    for desk in (milan, naples):
        desk.queue.add(Key("rome", "web"))
        desk.failures.note(Key("rome", "web"), Invalid("no"))
    shown = lines(metrics)
    assert 'liqo_queue_depth{controller="provider/quota"} 2.0' in shown
    assert 'liqo_failing_keys{controller="provider/quota"} 2.0' in shown
    assert sum(line.startswith("liqo_failing{") for line in shown) == 1


def test_the_age_of_each_cache_is_shown() -> None:
    metrics = Metrics()
    metrics.show_caches(lambda: {"rome pods": OldCopy()})
    assert 'liqo_cache_age_seconds{cache="rome pods"} 7.5' in lines(metrics)


def test_requests_are_counted_by_verb_kind_and_code() -> None:
    metrics = Metrics()
    path = "/api/v1/namespaces/a/pods/b/status?fieldManager=x"
    metrics.counting("rome")(Call("PATCH", path, 200, 0.01))
    expected = 'liqo_requests_total{cluster="rome",code="200",kind="pods/status",verb="PATCH"} 1.0'
    assert expected in lines(metrics)


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/api/v1/pods?watch=true", "pods"),
        ("/api/v1/namespaces/rome/pods", "pods"),
        ("/api/v1/namespaces/rome/pods/web", "pods"),
        ("/api/v1/namespaces/rome/pods/web/status", "pods/status"),
        ("/api/v1/namespaces", "namespaces"),
        ("/api/v1/namespaces/rome", "namespaces"),
        ("/api/v1/namespaces/rome/finalize", "namespaces/finalize"),
        ("/api/v1/nodes/milan/status", "nodes/status"),
        ("/apis/core.liqo.io/v1beta1/foreignclusters/milan", "foreignclusters"),
        ("/apis/core.liqo.io/v1beta1/namespaces/rome/x/y/status", "x/status"),
        ("/version", "other"),
        ("/api/v1", "other"),
    ],
)
def test_the_kind_is_read_from_the_path(path: str, kind: str) -> None:
    assert kind_in(path) == kind
