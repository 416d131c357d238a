"""Services go to the provider without what is of one cluster: addresses, node ports, classes.

Runs on   consumer, in the virtual kubelet
Watches   NamespaceMap (of the provider), Service; on the provider, in each namespace that is ours:
          metadata of Services
Writes    Service (provider)

What is observed and decided is the same for every kind: kubelet/reflect/reflection.py.
"""

from __future__ import annotations

from typing import cast

from liqo.api import labels
from liqo.api.kubernetes import Service
from liqo.api.meta import JSON, Key, Resource
from liqo.kube.cache import Caches
from liqo.kubelet.reflect import policy, reflection
from liqo.kubelet.reflect.policy import DEFAULT, Policies, Policy, Verdict
from liqo.kubelet.reflect.reflection import Reflection, State
from liqo.kubelet.reflect.views import follow_everywhere
from liqo.kubelet.site import Site
from liqo.runtime.controller import Controller

API_SERVER = Key("default", "kubernetes")  # each cluster has its own
# What says the same in every cluster. All else of a Service is given to it where it is.
TRAVELS = (
    "type",
    "selector",
    "externalName",
    "sessionAffinity",
    "publishNotReadyAddresses",
    "internalTrafficPolicy",
    "ipFamilyPolicy",
    "allocateLoadBalancerNodePorts",
    "loadBalancerSourceRanges",
)
LEFT_OUT_WHEN_EMPTY = (
    "selector",
    "externalName",
    "publishNotReadyAddresses",
    "loadBalancerSourceRanges",
)
OF_A_PORT = ("name", "port", "targetPort", "protocol", "appProtocol")
HEADLESS = "None"
FROM_OUTSIDE = frozenset({"NodePort", "LoadBalancer"})  # types that others reach


def controller(
    here: Caches, there: Caches, site: Site, policies: Policies = DEFAULT
) -> Controller[State[Service]]:
    views = follow_everywhere(here, there, site, Service)
    return reflection.controller(views, site, SERVICES, policies)


def content(local: Service, site: Site, *_: object) -> JSON:
    spec = cast(JSON, local.spec)
    there: JSON = {field: spec[field] for field in TRAVELS if field in spec}
    if ports := [_port(local, port) for port in spec.get("ports", ())]:
        there["ports"] = ports
    if spec.get("clusterIP") == HEADLESS:
        there["clusterIP"] = HEADLESS
    # Beside addresses of its own, which stay home, any Service may have this one.
    if spec.get("type") in FROM_OUTSIDE and "externalTrafficPolicy" in spec:
        there["externalTrafficPolicy"] = spec["externalTrafficPolicy"]
    if spec.get("type") == "LoadBalancer" and site.load_balancer_class:
        there["loadBalancerClass"] = site.load_balancer_class
    return {"spec": there}


def judge(local: Service, chosen: Policy, *_: object) -> Verdict:
    if is_the_api_server(local):
        return "stays"
    return policy.verdict(local.metadata.annotations, chosen)


def why_it_stays(local: Service, chosen: Policy) -> str:
    return "" if is_the_api_server(local) else policy.why_it_stays(local, chosen)


def is_the_api_server(local: Resource) -> bool:
    return local.key == API_SERVER


def _port(local: Service, port: JSON) -> JSON:
    """The port of every node is chosen there, unless the owner insists on ours."""
    is_forced = local.metadata.annotations.get(labels.FORCE_REMOTE_NODE_PORT) == "true"
    travels = (*OF_A_PORT, "nodePort") if is_forced else OF_A_PORT
    return {field: port[field] for field in travels if field in port}


SERVICES = Reflection(
    name="kubelet/reflect/services",
    model=Service,
    component="liqo-service-reflection",
    content=content,
    judge=judge,
    why_it_stays=why_it_stays,
    whole=tuple(f"spec.{field}" for field in LEFT_OUT_WHEN_EMPTY),
    lists=("ports",),
)
