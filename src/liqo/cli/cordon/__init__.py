"""liqoctl cordon, uncordon, drain, activate: what a provider lends from now on."""

from liqo.cli.lazy import LazyGroup, Verb, examples


def _tenant(attribute: str, summary: str) -> Verb:
    return Verb("liqo.cli.cordon.verbs", summary, attribute, aliases=("tenants",))


def _slice(attribute: str, summary: str) -> Verb:
    aliases = ("resourceslices", "rs")
    return Verb("liqo.cli.cordon.verbs", summary, attribute, aliases=aliases)


def _group(name: str, text: str, *calls: str, **verbs: Verb) -> LazyGroup:
    return LazyGroup(name=name, verbs=verbs, help=text, epilog=examples(*calls))


cordon = _group(
    "cordon",
    "Take no more of a consumer; what runs goes on.",
    "liqoctl cordon tenant rome",
    "liqoctl cordon resourceslice mypool --remote-cluster-id rome",
    tenant=_tenant("cordon_tenant", "Take no more pods and requests of a consumer"),
    resourceslice=_slice("cordon_slice", "Take no more pods of one ResourceSlice"),
)
uncordon = _group(
    "uncordon",
    "Take pods of a consumer again.",
    "liqoctl uncordon tenant rome",
    "liqoctl uncordon resourceslice mypool --remote-cluster-id rome",
    tenant=_tenant("uncordon_tenant", "Take pods and requests of a consumer again"),
    resourceslice=_slice("uncordon_slice", "Take pods of one ResourceSlice again"),
)
drain = _group(
    "drain",
    "Send away what a consumer has here.",
    "liqoctl drain tenant rome",
    tenant=_tenant("drain_tenant", "Take back all that a consumer was granted"),
)
activate = _group(
    "activate",
    "Let a consumer in again that was cordoned or drained.",
    "liqoctl activate tenant rome",
    tenant=_tenant("activate_tenant", "Let a consumer in again"),
)
