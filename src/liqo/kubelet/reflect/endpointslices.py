"""EndpointSlices go to the provider as ShadowEndpointSlices, of which it makes its own.

Of their endpoints go those that the provider has not: its own pods it finds itself. Who they are
and how they do is told as it is at home, so that one which leaves is drained there, too (P-EP1).

Runs on   consumer, in the virtual kubelet
Watches   NamespaceMap and VirtualNode (of the provider), EndpointSlice, Service; on the provider,
          in each namespace that is ours: metadata of ShadowEndpointSlices
Writes    ShadowEndpointSlice (provider)

What is observed and decided is the same for every kind: kubelet/reflect/reflection.py.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import partial
from typing import cast

from liqo.api import labels
from liqo.api.kubernetes import Endpoint, EndpointSlice, Service
from liqo.api.meta import JSON, Key, Meta
from liqo.api.offloading import ShadowEndpointSlice, VirtualNode
from liqo.kube.cache import Caches
from liqo.kube.copy import Copy
from liqo.kube.indexes import Label
from liqo.kube.paths import Scope
from liqo.kubelet.reflect import policy, reflection
from liqo.kubelet.reflect.around import ALONE, Around
from liqo.kubelet.reflect.policy import DEFAULT, Policies, Policy, Verdict
from liqo.kubelet.reflect.reflection import Reflection, State
from liqo.kubelet.reflect.services import is_the_api_server
from liqo.kubelet.reflect.views import Views, follow_everywhere
from liqo.kubelet.site import Site
from liqo.rules.addresses import of_endpoint
from liqo.runtime.controller import Controller

WE = "endpointslice.reflection.liqo.io"  # who says what is in it, so that nobody else does
AS_IT_IS = ("conditions", "hostname", "zone", "hints")  # of an endpoint


def controller(
    here: Caches, there: Caches, site: Site, policies: Policies = DEFAULT
) -> Controller[State[EndpointSlice]]:
    return reflection.controller(follow(here, there, site), site, ENDPOINT_SLICES, policies)


def follow(here: Caches, there: Caches, site: Site) -> Views[EndpointSlice]:
    views = follow_everywhere(here, there, site, EndpointSlice, ShadowEndpointSlice)
    services = here.later(Service)
    nodes = here.of(VirtualNode, Scope(site.tenant_namespace))
    return replace(
        views,
        around=partial(around, services, nodes, site),
        beside={services: partial(endpoints_of, views), nodes: views.everything},
    )


def around(
    services: Copy[Service], nodes: Copy[VirtualNode], site: Site, local: EndpointSlice
) -> Around:
    """A virtual node is called as its VirtualNode is."""
    name = local.metadata.labels.get(labels.SERVICE_NAME, "")
    ours = (each for each in nodes if each.spec.cluster_id == site.provider)
    return Around(
        service=services.get(Key(local.metadata.namespace, name)),
        nodes=frozenset(each.metadata.name for each in ours),
    )


def endpoints_of(views: Views[EndpointSlice], service: Service) -> Iterator[Key]:
    for each in views.locals.by(Label(labels.SERVICE_NAME), service.metadata.name):
        if each.metadata.namespace == service.metadata.namespace:
            yield each.key


def content(local: EndpointSlice, site: Site, around: Around = ALONE) -> JSON:
    template: JSON = {"addressType": local.address_type}
    if ports := local.ports:
        template["ports"] = ports
    if endpoints := list(_abroad(local.endpoints, site, around)):
        template["endpoints"] = endpoints
    return {"spec": {"template": template}}


def judge(local: EndpointSlice, chosen: Policy, around: Around = ALONE) -> Verdict:
    """What its own owner says; else it goes where its Service goes."""
    if chosen == "Off" or is_the_api_server(local):
        return "stays"
    if (wish := policy.wish(local.metadata.annotations)) is not None:
        return wish
    whose = around.service or local
    return policy.verdict(whose.metadata.annotations, chosen)


def why_it_stays(local: EndpointSlice, chosen: Policy) -> str:
    """Nobody looks at slices: people are told about the Service."""
    return ""


def is_one(there: Meta) -> bool:
    return there.labels.get(labels.ENDPOINT_SLICE_MANAGED_BY) == WE


def _abroad(endpoints: Iterable[Endpoint], site: Site, around: Around) -> Iterator[JSON]:
    for each in endpoints:
        if each.get("nodeName") not in around.nodes:
            yield _endpoint(cast(JSON, each), site)


def _endpoint(here: JSON, site: Site) -> JSON:
    """Its node is the whole of our cluster: the provider has none of that name."""
    there: JSON = {field: here[field] for field in AS_IT_IS if field in here}
    there["addresses"] = [of_endpoint(address) for address in here.get("addresses", ())]
    there["nodeName"] = site.home
    if target := here.get("targetRef"):
        there["targetRef"] = {**target, "kind": f"Remote{target.get('kind', '')}"}
    return there


ENDPOINT_SLICES = Reflection(
    name="kubelet/reflect/endpointslices",
    model=EndpointSlice,
    component="liqo-endpointslice-reflection",
    content=content,
    judge=judge,
    why_it_stays=why_it_stays,
    is_one=is_one,
    twin=ShadowEndpointSlice,
    whole=("spec.template.endpoints", "spec.template.ports"),
    labels={labels.ENDPOINT_SLICE_MANAGED_BY: WE},
)
