"""What dashboards know of virtual kubelets: how often each kind was reflected, or could not be.

The names of these are those of the wire, and have not the ending that every counter has today; so
they are written here, and not by the library that writes all others.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

from liqo.kubelet.node.health import Health
from liqo.kubelet.site import Site
from liqo.runtime.metrics import Metrics, Tally

REFLECTORS: Mapping[str, str] = {
    "kubelet/pods": "Pod",
    "kubelet/reflect/configmaps": "ConfigMap",
    "kubelet/reflect/secrets": "Secret",
    "kubelet/reflect/endpointslices": "EndpointSlice",
    "kubelet/reflect/events": "Event",
    "kubelet/reflect/events/others": "Event",
    "kubelet/reflect/ingresses": "Ingress",
    "kubelet/reflect/services": "Service",
    "kubelet/reflect/tokens": "ServiceAccount",
}
ITEMS = (
    "liqo_virtual_kubelet_reflection_item_counter",
    "Objects that are as they should be",
)
ERRORS = ("liqo_virtual_kubelet_reflection_error_counter", "Objects that could not be reflected")


FAILURES = "liqo_provider_failures"  # ours


def reachability(health: Health) -> str:
    about = "Questions in a row that the provider's API server did not answer"
    told = f'{FAILURES}{{cluster_id="{health.provider}"}} {health.failures}'
    return f"# HELP {FAILURES} {about}\n# TYPE {FAILURES} gauge\n{told}\n"


def reflections(metrics: Metrics, site: Site) -> str:
    return "".join((*_family(ITEMS, metrics.well, site), *_family(ERRORS, metrics.failed, site)))


def _family(family: tuple[str, str], tally: Tally, site: Site) -> Iterator[str]:
    name, sentence = family
    yield f"# HELP {name} {sentence}\n# TYPE {name} counter\n"
    whose = f'cluster_id="{site.provider}",node_name="{site.node}"'
    for (kind, namespace), count in by_kind(tally).items():
        marks = f'{whose},namespace="{namespace}",reflector_resource="{kind}"'
        yield f"{name}{{{marks}}} {count}\n"


def by_kind(tally: Tally) -> Mapping[tuple[str, str], int]:
    """By kind and namespace. Two may reflect one kind, and no line may be there twice."""
    counts: Counter[tuple[str, str]] = Counter()
    for (controller, namespace), count in tally.items():
        if (kind := REFLECTORS.get(controller)) is not None:
            counts[kind, namespace] += count
    return counts
