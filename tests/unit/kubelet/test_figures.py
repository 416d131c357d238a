"""The figures that dashboards of Liqo know."""

from __future__ import annotations

from liqo.kubelet.figures import reachability, reflections
from liqo.kubelet.node.health import Health
from liqo.runtime.metrics import Metrics
from tests.unit.kubelet.pods.things import SITE

ITEMS = "liqo_virtual_kubelet_reflection_item_counter"
ERRORS = "liqo_virtual_kubelet_reflection_error_counter"


def test_each_kind_is_counted_by_namespace_under_the_names_of_the_wire() -> None:
    metrics = Metrics()
    metrics.well["kubelet/pods", "shop"] += 2
    metrics.well["kubelet/reflect/tokens", "shop"] += 1
    metrics.well["kubelet/node/show", ""] += 5
    metrics.failed["kubelet/reflect/secrets", "bank"] += 1
    metrics.show_text(lambda: reflections(metrics, SITE))
    whose = 'cluster_id="milan",node_name="milan",namespace'
    told = [line for line in metrics.text().decode().splitlines() if "virtual_kubelet" in line]
    assert told == [
        f"# HELP {ITEMS} Objects that are as they should be",
        f"# TYPE {ITEMS} counter",
        f'{ITEMS}{{{whose}="shop",reflector_resource="Pod"}} 2',
        f'{ITEMS}{{{whose}="shop",reflector_resource="ServiceAccount"}} 1',
        f"# HELP {ERRORS} Objects that could not be reflected",
        f"# TYPE {ERRORS} counter",
        f'{ERRORS}{{{whose}="bank",reflector_resource="Secret"}} 1',
    ]


def test_what_two_reflect_of_one_kind_is_one_line_with_its_sum() -> None:
    metrics = Metrics()
    metrics.well["kubelet/reflect/events", "shop"] += 2
    metrics.well["kubelet/reflect/events/others", "shop"] += 3
    metrics.well["kubelet/reflect/events/others", "bank"] += 1
    told = [line for line in reflections(metrics, SITE).splitlines() if line.startswith(ITEMS)]
    whose = 'cluster_id="milan",node_name="milan",namespace'
    assert told == [
        f'{ITEMS}{{{whose}="shop",reflector_resource="Event"}} 5',
        f'{ITEMS}{{{whose}="bank",reflector_resource="Event"}} 1',
    ]


def test_it_is_shown_how_often_the_provider_did_not_answer() -> None:
    told = reachability(Health("milan", failures=2)).splitlines()
    assert told[-1] == 'liqo_provider_failures{cluster_id="milan"} 2'
