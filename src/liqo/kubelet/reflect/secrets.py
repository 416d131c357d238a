"""Secrets go to the provider as they are, but for the long-lived tokens of service accounts.

Runs on   consumer, in the virtual kubelet
Watches   NamespaceMap (of the provider), Secret (in namespaces that go out), Pod (of the node); on
          the provider, in each namespace that is ours: ShadowPod, metadata of Secrets
Writes    Secret (provider)

What is observed and decided is the same for every kind: kubelet/reflect/reflection.py. The Secrets
that hold the tokens of our pods are made by kubelet/reflect/tokens.py, and not touched here.
"""

from __future__ import annotations

from liqo.api.kubernetes import Secret
from liqo.api.meta import JSON, Meta
from liqo.kube.cache import Caches
from liqo.kubelet.reflect import policy, reflection
from liqo.kubelet.reflect.around import ALONE, Around
from liqo.kubelet.reflect.marks import holds_tokens
from liqo.kubelet.reflect.mentions import follow_mentioned
from liqo.kubelet.reflect.policy import DEFAULT, Policies, Policy, Verdict
from liqo.kubelet.reflect.reflection import Reflection, State
from liqo.kubelet.site import Site
from liqo.runtime.controller import Controller

LONG_LIVED_TOKEN = "kubernetes.io/service-account-token"  # a type, and no password


def controller(
    here: Caches, there: Caches, site: Site, policies: Policies = DEFAULT
) -> Controller[State[Secret]]:
    views = follow_mentioned(here, there, site, SECRETS, policies)
    return reflection.controller(views, site, SECRETS, policies)


def content(local: Secret, *_: object) -> JSON:
    fields = {"data": local.data, "type": local.type, "immutable": local.immutable}
    return {name: value for name, value in fields.items() if value}


def judge(local: Secret, chosen: Policy, around: Around = ALONE) -> Verdict:
    if local.type == LONG_LIVED_TOKEN:
        return "stays"
    return policy.verdict(local.metadata.annotations, chosen, around)


def why_it_stays(local: Secret, chosen: Policy) -> str:
    if local.type == LONG_LIVED_TOKEN:
        return "secrets holding service account tokens"
    return policy.why_it_stays(local, chosen)


def is_one(there: Meta) -> bool:
    return not holds_tokens(there)


SECRETS = Reflection(
    name="kubelet/reflect/secrets",
    model=Secret,
    component="liqo-secret-reflection",
    content=content,
    judge=judge,
    why_it_stays=why_it_stays,
    is_one=is_one,
    whole=("data.*",),
    final=("immutable",),
)
