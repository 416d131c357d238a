"""liqoctl offload, unoffload: namespaces that extend to other clusters, and come back."""

from liqo.cli.lazy import LazyGroup, Verb, examples


def _namespace(attribute: str, summary: str) -> Verb:
    return Verb("liqo.cli.offload.verbs", summary, attribute, aliases=("ns", "namespaces"))


offload = LazyGroup(
    name="offload",
    verbs={"namespace": _namespace("offload_namespace", "Extend namespaces to other clusters")},
    help="Extend a namespace, and the pods in it, to the clusters that are borrowed from.",
    epilog=examples("liqoctl offload namespace shop"),
)
unoffload = LazyGroup(
    name="unoffload",
    verbs={"namespace": _namespace("unoffload_namespace", "Take namespaces back")},
    help="Take back a namespace that was extended to other clusters.",
    epilog=examples("liqoctl unoffload namespace shop"),
)
