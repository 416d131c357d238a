"""Ingresses go to the provider with the class that it offers; that of home means nothing there.

Runs on   consumer, in the virtual kubelet
Watches   NamespaceMap (of the provider), Ingress; on the provider, in each namespace that is ours:
          metadata of Ingresses
Writes    Ingress (provider)

What is observed and decided is the same for every kind: kubelet/reflect/reflection.py.
"""

from __future__ import annotations

from liqo.api.kubernetes import Ingress
from liqo.api.meta import JSON
from liqo.kube.cache import Caches
from liqo.kubelet.reflect import policy, reflection
from liqo.kubelet.reflect.policy import DEFAULT, Policies, Policy, Verdict
from liqo.kubelet.reflect.reflection import Reflection, State
from liqo.kubelet.reflect.views import follow_everywhere
from liqo.kubelet.site import Site
from liqo.runtime.controller import Controller

TRAVELS = ("defaultBackend", "rules", "tls")
CLASS = "kubernetes.io/ingress.class"  # how it was said before there was a field for it


def controller(
    here: Caches, there: Caches, site: Site, policies: Policies = DEFAULT
) -> Controller[State[Ingress]]:
    views = follow_everywhere(here, there, site, Ingress)
    return reflection.controller(views, site, INGRESSES, policies)


def content(local: Ingress, site: Site, *_: object) -> JSON:
    spec = local.spec
    there: JSON = {field: spec[field] for field in TRAVELS if field in spec}
    if site.ingress_class:
        there["ingressClassName"] = site.ingress_class
    return {"spec": there}


def judge(local: Ingress, chosen: Policy, *_: object) -> Verdict:
    return policy.verdict(local.metadata.annotations, chosen)


INGRESSES = Reflection(
    name="kubelet/reflect/ingresses",
    model=Ingress,
    component="liqo-ingress-reflection",
    content=content,
    judge=judge,
    withheld=frozenset({CLASS}),
    whole=tuple(f"spec.{field}" for field in TRAVELS),
)
