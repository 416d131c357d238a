"""Which requests the API server asks us about, and where: one table, two objects of Kubernetes.

What is leaving, finalizers and all, leaves without us: an uninstallation has no server left to ask.
Only of peers we always ask: a Tenant that never quite goes must not be theirs to rewrite, and what
is not their own is not theirs to delete. For them nothing is left open while nobody answers,
whatever an installation chose for the rest. And a ShadowPod that leaves may not become another on
the way: its pod still runs, and counts for whom it says.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from liqo.api import labels
from liqo.api.admission import MutatingWebhookConfiguration, ValidatingWebhookConfiguration
from liqo.api.authentication import Renew, ResourceSlice, Tenant
from liqo.api.core import ForeignCluster
from liqo.api.kubernetes import Pod, Secret
from liqo.api.meta import JSON, Kind
from liqo.api.offloading import NamespaceMap, NamespaceOffloading, ShadowPod, VirtualNode
from liqo.rules.offloading import PROBE
from liqo.webhooks.conditions import (
    BY_A_PEER,
    MAY_HAVE_SHRUNK,
    NOT_SIGNED_BY_ITS_CREATOR,
    NOT_SKIPPED_BY_US,
    OWN_COPY,
    OWN_NONCE,
    STAYS,
    STAYS_OR_CHANGES,
    all_of,
    trespass,
)

Turn: TypeAlias = Literal["mutate", "validate"]
Failure: TypeAlias = Literal["Fail", "Ignore"]  # what happens while nobody answers
Operations: TypeAlias = tuple[str, ...]

NAME = "liqo-webhook"  # of both configurations
TIMEOUT = 10  # seconds; an answer takes milliseconds, but on a crowded node it has to wait its turn
BRIEFLY = 1  # second, for what may as well not happen
WRITES: Operations = ("CREATE", "UPDATE")
SYSTEM = ("kube-system", "kube-public", "kube-node-lease")
COPIED = (ResourceSlice, Renew, NamespaceMap)  # what two peers write in the same namespace
NOT_SKIPPED: JSON = {
    "matchExpressions": [{"key": labels.WEBHOOK_SKIP, "operator": "NotIn", "values": ["true"]}]
}
MADE_OF_A_SHADOW: JSON = {"matchLabels": {labels.MANAGED_BY: "shadowpod"}}


@dataclass(frozen=True)
class Choices:
    """What an installation decides."""

    failure: Failure = "Fail"
    strip: bool = True  # remote pods of their managedFields
    enforcement: bool = True  # of quotas: a ShadowPod tells who made it, and must fit


DEFAULT = Choices()


@dataclass(frozen=True)
class Webhook:
    name: str
    turn: Turn
    path: str
    kind: Kind
    parts: tuple[str, ...] = ("",)  # subresources; empty: the object itself
    operations: Operations = WRITES
    stays: str = STAYS
    only: str = ""  # a condition beside that
    selector: JSON | None = None  # of objects
    namespaces: JSON | None = None  # a selector of theirs
    side_effects: str = "None"
    guards: bool = False  # against peers: of them it asks in any case
    failure: Failure | None = None  # None: as the installation chose
    timeout: int = TIMEOUT


def of_peers(kind: Kind, path: str, parts: tuple[str, ...], own: str) -> Webhook:
    return Webhook(
        f"{kind.name.lower()}.trespass.liqo.io",
        "validate",
        path,
        kind,
        parts=parts,
        operations=(*WRITES, "DELETE"),
        only=trespass(own),
        failure="Fail",
    )


# It makes pods cheaper, and no pod waits for it.
STRIP = Webhook(
    "remotepod.mutate.liqo.io",
    "mutate",
    "/mutate/remote-pods",
    Pod.KIND,
    operations=("CREATE",),
    selector=MADE_OF_A_SHADOW,
    failure="Ignore",
    timeout=BRIEFLY,
)
# Only consumers make ShadowPods.
CREATOR = Webhook(
    "shadowpod.mutate.liqo.io",
    "mutate",
    "/mutate/shadowpods",
    ShadowPod.KIND,
    stays=STAYS_OR_CHANGES,
    only=f"{NOT_SIGNED_BY_ITS_CREATOR} || {MAY_HAVE_SHRUNK}",
    failure="Fail",
)
WEBHOOKS = (
    Webhook(
        "fc.mutate.liqo.io",
        "mutate",
        "/mutate/foreign-cluster",
        ForeignCluster.KIND,
        selector=NOT_SKIPPED,
    ),
    Webhook(
        "tenant.mutate.liqo.io",
        "mutate",
        "/mutate/tenants",
        Tenant.KIND,
        only=NOT_SKIPPED_BY_US,
        guards=True,
    ),
    Webhook("resourceslice.mutate.liqo.io", "mutate", "/mutate/resourceslices", ResourceSlice.KIND),
    Webhook(
        "virtualnode.mutate.liqo.io",
        "mutate",
        "/mutate/virtualnodes",
        VirtualNode.KIND,
        selector=NOT_SKIPPED,
    ),
    CREATOR,
    STRIP,
    Webhook(
        "tenant.validate.liqo.io",
        "validate",
        "/validate/tenants",
        Tenant.KIND,
        only=NOT_SKIPPED_BY_US,
        guards=True,
    ),
    Webhook(
        "resourceslice.validate.liqo.io",
        "validate",
        "/validate/resourceslices",
        ResourceSlice.KIND,
        guards=True,
    ),
    Webhook(
        "nsoff.validate.liqo.io",
        "validate",
        "/validate/namespace-offloading",
        NamespaceOffloading.KIND,
        selector=NOT_SKIPPED,
        side_effects="NoneOnDryRun",  # its namespace is labelled
    ),
    Webhook(
        "shadowpod.validate.liqo.io",
        "validate",
        "/validate/shadowpods",
        ShadowPod.KIND,
        stays=STAYS_OR_CHANGES,
        failure="Fail",
        side_effects="NoneOnDryRun",  # what is admitted counts from then on
    ),
    *(
        of_peers(each.KIND, f"/validate/copies/{each.KIND.plural}", ("", "status"), OWN_COPY)
        for each in COPIED
    ),
    of_peers(Secret.KIND, "/validate/secrets", ("",), OWN_NONCE),
)


ENABLED: JSON = {"key": labels.ENABLED, "operator": "In", "values": ["true"]}
UNOPENED: JSON = {"key": labels.SCHEDULING_ENABLED, "operator": "DoesNotExist"}


def opened(home: str) -> JSON:
    """Namespaces that are offloaded."""
    marks = {labels.SCHEDULING_ENABLED: "true"}
    return {"matchLabels": marks, "matchExpressions": elsewhere(home)}


def enabled(home: str) -> JSON:
    """Those whose label says that they will be."""
    return {"matchExpressions": [ENABLED, UNOPENED, *elsewhere(home)]}


def elsewhere(home: str) -> list[JSON]:
    """Neither Kubernetes' own pods nor ours ever wait for us, whatever labels there are."""
    return [
        {"key": labels.NAMESPACE_NAME, "operator": "NotIn", "values": [*SYSTEM, home]},
        {"key": labels.TENANT_NAMESPACE, "operator": "DoesNotExist"},
    ]


def of_namespaces(home: str) -> tuple[Webhook, ...]:
    """What is asked in offloaded namespaces, and nowhere else."""
    creation = ("CREATE",)
    return (
        Webhook(
            "pod.mutate.liqo.io",
            "mutate",
            "/mutate/pod",
            Pod.KIND,
            operations=creation,
            namespaces=opened(home),
        ),
        Webhook(
            "enabled.pod.mutate.liqo.io",
            "mutate",
            "/mutate/enabled-pod",
            Pod.KIND,
            operations=creation,
            namespaces=enabled(home),
        ),
        Webhook(
            "probe.mutate.liqo.io",
            "mutate",
            "/mutate/probes",
            NamespaceOffloading.KIND,
            operations=creation,
            only=f"object.metadata.name == '{PROBE}'",
            namespaces=opened(home),
            failure="Ignore",
        ),
    )


def configurations(
    namespace: str, service: str = NAME, port: int = 9443, choices: Choices = DEFAULT
) -> list[JSON]:
    """Both, without caBundle: whoever serves fills that in."""
    where: JSON = {"namespace": namespace, "name": service, "port": port}
    turns: tuple[tuple[Kind, Turn], ...] = (
        (MutatingWebhookConfiguration.KIND, "mutate"),
        (ValidatingWebhookConfiguration.KIND, "validate"),
    )
    wanted = list(chosen(choices, (*WEBHOOKS, *of_namespaces(namespace))))
    return [
        {
            "apiVersion": kind.api_version,
            "kind": kind.name,
            "metadata": {"name": NAME, "labels": {labels.WEBHOOK: "true"}},
            "webhooks": [entry(each, where) for each in wanted if each.turn == turn],
        }
        for kind, turn in turns
    ]


def chosen(choices: Choices, webhooks: Iterable[Webhook]) -> Iterator[Webhook]:
    declined = {STRIP.name: not choices.strip, CREATOR.name: not choices.enforcement}
    for webhook in webhooks:
        if declined.get(webhook.name, False):
            continue
        if webhook.guards and choices.failure == "Ignore":
            yield from split(webhook)
        else:
            yield replace(webhook, failure=webhook.failure or choices.failure)


def split(webhook: Webhook) -> Iterator[Webhook]:
    """Silence is consent, but not to what a peer does."""
    name, only = f"peers.{webhook.name}", webhook.only
    yield replace(webhook, name=name, only=all_of(only, BY_A_PEER), failure="Fail")
    yield replace(webhook, only=all_of(only, f"!({BY_A_PEER})"), failure="Ignore")


def entry(webhook: Webhook, service: JSON) -> JSON:
    kind = webhook.kind
    selector = {"objectSelector": webhook.selector} if webhook.selector else {}
    conditions = list(conditions_of(webhook))
    # Applied anew, an empty list would count as a change.
    conditioned = {"matchConditions": conditions} if conditions else {}
    return {
        "name": webhook.name,
        "clientConfig": {"service": {**service, "path": webhook.path}},
        "rules": [
            {
                "apiGroups": [kind.group],
                "apiVersions": [kind.version],
                "resources": [f"{kind.plural}/{each}".rstrip("/") for each in webhook.parts],
                "operations": list(webhook.operations),
                "scope": "Namespaced" if kind.namespaced else "Cluster",
            }
        ],
        **conditioned,
        **selector,
        **({"namespaceSelector": webhook.namespaces} if webhook.namespaces else {}),
        "failurePolicy": webhook.failure,
        "sideEffects": webhook.side_effects,
        "timeoutSeconds": webhook.timeout,
        "admissionReviewVersions": ["v1"],
    }


def conditions_of(webhook: Webhook) -> Iterator[JSON]:
    """None where nothing is asked: for one alone the API server converts the whole object."""
    if webhook.operations != ("CREATE",):  # what is made is not leaving
        yield {"name": "stays", "expression": webhook.stays}
    if webhook.only:
        yield {"name": "concerns-us", "expression": webhook.only}
