"""Rights that administrators add: what virtual kubelets may do beyond ours, where pods go out.

Runs on   consumer
Watches   ClusterRole (added), VirtualNode, NamespaceMap (ours), RoleBinding (of kubelets)
Writes    RoleBinding, one for each such role, virtual kubelet and mapped namespace
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from liqo.api.kubernetes import ClusterRole, RoleBinding
from liqo.api.meta import Key
from liqo.api.offloading import NamespaceMap, VirtualNode
from liqo.consumer.kubelet import forge
from liqo.consumer.kubelet.namespaces import ROLE, mapped
from liqo.kube.cache import Caches
from liqo.rules import names
from liqo.runtime import addedrights
from liqo.runtime.addedrights import Place, State, all_of, failed, plan, whose
from liqo.runtime.controller import Controller, itself
from liqo.runtime.tenants import OF_PEERS

BASE = ROLE.removeprefix("liqo-")


def controller(here: Caches) -> Controller[State]:
    return Controller(
        name="consumer/kubelet/addedrights",
        watches={
            here.of(ClusterRole): itself,
            here.of(VirtualNode): all_of(here, BASE),
            here.of(NamespaceMap): all_of(here, BASE),
            here.of(RoleBinding, OF_PEERS): whose,
        },
        observe=partial(observe, here),
        plan=plan,
        failed=failed,
    )


def observe(here: Caches, key: Key) -> State | None:
    return addedrights.observe(here, BASE, places(here), key)


def places(here: Caches) -> Iterator[Place]:
    for node in here.of(VirtualNode):
        name = names.kubelet_binding(node.metadata.name)
        [subject] = forge.bound(node, ClusterRole.KIND.name, ROLE)["subjects"]
        for namespace in mapped(here, node):
            yield Place(namespace, name, forge.marks(node), subject)
