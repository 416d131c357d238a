"""What /metrics shows: the figures of one process, in a registry of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Protocol

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.core import GaugeMetricFamily, Metric

from liqo.kube.http import Call
from liqo.runtime.failures import Failures
from liqo.runtime.queue import Queue

SHOWN_FAILURES = 20  # per controller: enough to see what it is about, whatever the outage
RECONCILE_BUCKETS = (0.0001, 0.001, 0.01, 0.05, 0.1, 0.5, 1, 5, 30)
LAG_BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5)


class Backlog(Protocol):
    """What is known of a controller at the moment of a scrape."""

    @property
    def name(self) -> str: ...
    @property
    def queue(self) -> Queue: ...
    @property
    def failures(self) -> Failures: ...


class Aging(Protocol):
    def age(self) -> float: ...


class Metrics:
    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self.reconcile_time = Histogram(
            "liqo_reconcile_seconds",
            "Time from taking a key to its plan carried out",
            ["controller"],
            buckets=RECONCILE_BUCKETS,
            registry=self.registry,
        )
        self.reconcile_failures = Counter(
            "liqo_reconcile_failures",
            "Reconciles that failed, by the kind of error",
            ["controller", "error"],
            registry=self.registry,
        )
        self.requests = Counter(
            "liqo_requests",
            "Requests to API servers; code 0 is one without answer",
            ["cluster", "verb", "kind", "code"],
            registry=self.registry,
        )
        self.loop_lag = Histogram(
            "liqo_event_loop_lag_seconds",
            "How much later than asked the event loop woke a task",
            buckets=LAG_BUCKETS,
            registry=self.registry,
        )

    def show_backlogs(self, backlogs: Iterable[Backlog]) -> None:
        self.registry.register(_Backlogs(tuple(backlogs)))

    def show_lease(self, left: Callable[[], float]) -> None:
        gauge = Gauge("liqo_leading", "1 while we hold the lease", registry=self.registry)
        gauge.set_function(lambda: float(left() > 0))

    def show_caches(self, caches: Callable[[], Mapping[str, Aging]]) -> None:
        """Asked anew each time: caches come and go."""
        self.registry.register(_Ages(caches))

    def counting(self, cluster: str) -> Callable[[Call], None]:
        """What a Cluster tells its calls to: `Cluster(access, tell=metrics.counting("rome"))`."""

        def count(call: Call) -> None:
            self.requests.labels(cluster, call.verb, kind_in(call.path), str(call.code)).inc()

        return count

    def text(self) -> bytes:
        return generate_latest(self.registry)


class _Backlogs:
    """Read when somebody asks: a queue that counts itself would pay for every key."""

    def __init__(self, backlogs: tuple[Backlog, ...]) -> None:
        self._backlogs = backlogs

    def collect(self) -> Iterator[Metric]:
        depth = GaugeMetricFamily(
            "liqo_queue_depth", "Keys that are ready to be reconciled", labels=["controller"]
        )
        failing = GaugeMetricFamily(
            "liqo_failing_keys", "Keys whose last reconcile failed", labels=["controller"]
        )
        examples = GaugeMetricFamily(
            "liqo_failing",
            f"1 for each key whose last reconcile failed; at most {SHOWN_FAILURES} per controller",
            labels=["controller", "key", "reason"],
        )
        for backlog in self._backlogs:
            depth.add_metric([backlog.name], backlog.queue.depth)
            failing.add_metric([backlog.name], len(backlog.failures))
            for (key, reason), _ in zip(backlog.failures, range(SHOWN_FAILURES), strict=False):
                examples.add_metric([backlog.name, str(key), reason], 1)
        return iter((depth, failing, examples))


class _Ages:
    def __init__(self, caches: Callable[[], Mapping[str, Aging]]) -> None:
        self._caches = caches

    def collect(self) -> Iterator[Metric]:
        ages = GaugeMetricFamily(
            "liqo_cache_age_seconds",
            "How long ago the API server last said that this copy is current",
            labels=["cache"],
        )
        for name, cache in self._caches().items():
            ages.add_metric([name], cache.age())
        yield ages


def kind_in(path: str) -> str:
    """What a request is about: `pods/status` of `/api/v1/namespaces/rome/pods/web/status`."""
    parts = path.partition("?")[0].strip("/").split("/")
    rest = parts[2:] if parts[0] == "api" else parts[3:] if parts[0] == "apis" else []
    if len(rest) > 2 and rest[0] == "namespaces" and rest[2] not in ("status", "finalize"):
        rest = rest[2:]
    if not rest:
        return "other"
    return f"{rest[0]}/{rest[2]}" if len(rest) > 2 else rest[0]
