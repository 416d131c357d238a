"""ConfigMaps go to the provider as they are; Kubernetes' own root CA goes under another name.

Runs on   consumer, in the virtual kubelet
Watches   NamespaceMap (of the provider), ConfigMap (in namespaces that go out), Pod (of our node);
          on the provider, in each namespace that is ours: ShadowPod, metadata of ConfigMaps
Writes    ConfigMap (provider)

What is observed and decided is the same for every kind: kubelet/reflect/reflection.py.
"""

from __future__ import annotations

from liqo.api.kubernetes import ConfigMap
from liqo.api.meta import JSON
from liqo.kube.cache import Caches
from liqo.kubelet.reflect import policy, reflection
from liqo.kubelet.reflect.around import ALONE, Around
from liqo.kubelet.reflect.mentions import follow_mentioned
from liqo.kubelet.reflect.policy import DEFAULT, Policies, Policy, Verdict
from liqo.kubelet.reflect.reflection import Reflection, State
from liqo.kubelet.site import Site
from liqo.rules import names
from liqo.runtime.controller import Controller


def controller(
    here: Caches, there: Caches, site: Site, policies: Policies = DEFAULT
) -> Controller[State[ConfigMap]]:
    views = follow_mentioned(here, there, site, CONFIG_MAPS, policies)
    return reflection.controller(views, site, CONFIG_MAPS, policies)


def content(local: ConfigMap, *_: object) -> JSON:
    fields = {
        "data": local.data,
        "binaryData": local.binary_data,
        "immutable": local.immutable,
    }
    return {name: value for name, value in fields.items() if value}


def judge(local: ConfigMap, chosen: Policy, around: Around = ALONE) -> Verdict:
    """Every pod mounts the root CA, so no list holds it back; only its owner may."""
    annotations = local.metadata.annotations
    if local.metadata.name == names.ROOT_CA and chosen != "Off":
        return policy.wish(annotations) or "goes"
    return policy.verdict(annotations, chosen, around)


def name_there(name: str, site: Site) -> str:
    return names.root_ca(site.home) if name == names.ROOT_CA else name


def name_here(name: str, site: Site) -> str:
    return names.ROOT_CA if name == names.root_ca(site.home) else name


CONFIG_MAPS = Reflection(
    name="kubelet/reflect/configmaps",
    model=ConfigMap,
    component="liqo-configmap-reflection",
    content=content,
    judge=judge,
    there=name_there,
    here=name_here,
    whole=("data.*", "binaryData.*"),
    final=("immutable",),
)
