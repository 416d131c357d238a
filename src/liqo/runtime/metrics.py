"""What /metrics shows: the figures of one process, in a registry of its own."""

from __future__ import annotations

import collections
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice
from typing import Protocol, TypeAlias

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    ProcessCollector,
    generate_latest,
)
from prometheus_client.core import GaugeMetricFamily, Metric

from liqo.kube.http import Call
from liqo.runtime.failures import Failures
from liqo.runtime.queue import Queue

SHOWN_FAILURES = 20  # per controller: enough to see what it is about, whatever the outage
RECONCILE_BUCKETS = (0.0001, 0.001, 0.01, 0.05, 0.1, 0.5, 1, 5, 30)
LAG_BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5)


Tally: TypeAlias = collections.Counter[tuple[str, str]]
"""How often, for a controller and a namespace."""

KEPT = 10_000  # of these: namespaces come and go, and a process may see many more in its life


def count(tally: Tally, controller: str, namespace: str) -> None:
    """Of those least in use some begin anew; who reads counters knows that they may."""
    tally[controller, namespace] = tally.pop((controller, namespace), 0) + 1
    if len(tally) > KEPT:
        del tally[next(iter(tally))]


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
        ProcessCollector(registry=self.registry)
        self.well: Tally = collections.Counter()  # reconciles; shown by those who know what of
        self.failed: Tally = collections.Counter()
        self._more: list[Callable[[], str]] = []
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

    def show_backlogs(self, backlogs: Callable[[], Iterable[Backlog]]) -> None:
        """Asked anew each time: those of remotes come and go."""
        self.registry.register(_Backlogs(backlogs))

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

    def show_text(self, more: Callable[[], str]) -> None:
        """Figures that are written already, whenever somebody asks."""
        self._more.append(more)

    def text(self) -> bytes:
        return generate_latest(self.registry) + "".join(each() for each in self._more).encode()


class _Backlogs:
    """Read when somebody asks: a queue that counts itself would pay for every key.

    A controller that works for several remotes is shown once, with all of its queues.
    """

    def __init__(self, backlogs: Callable[[], Iterable[Backlog]]) -> None:
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
        for name, same in self._by_name().items():
            depth.add_metric([name], sum(backlog.queue.depth for backlog in same))
            failing.add_metric([name], sum(len(backlog.failures) for backlog in same))
            failures = {(str(key), why) for backlog in same for key, why in backlog.failures}
            for key, why in islice(sorted(failures), SHOWN_FAILURES):
                examples.add_metric([name, key, why], 1)
        return iter((depth, failing, examples))

    def _by_name(self) -> dict[str, list[Backlog]]:
        named: dict[str, list[Backlog]] = {}
        for backlog in self._backlogs():
            named.setdefault(backlog.name, []).append(backlog)
        return named


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
