"""Pods and nodes of which little counts: where they are, or their size. It saves memory."""

from __future__ import annotations

from typing import ClassVar

import msgspec

from liqo.api.kubernetes import Node, Pod
from liqo.api.meta import Kind, Model, Resource
from liqo.api.offloading import ShadowPod
from liqo.api.values import ResourceList


class Binding(Model, frozen=True, gc=False):
    node_name: str = ""


class Reason(Model, frozen=True, gc=False):
    reason: str = ""


class BoundPod(Resource, frozen=True, kw_only=True, gc=False):
    """A pod of which only the node counts, and why it does not run: a tenth of the memory."""

    KIND: ClassVar[Kind] = Pod.KIND

    spec: Binding = Binding()
    status: Reason = Reason()


class Sizes(Model, frozen=True, gc=False):
    requests: ResourceList | None = None
    limits: ResourceList | None = None


NO_SIZES = Sizes()


class ContainerSize(Model, frozen=True, gc=False):
    name: str = ""
    resources: Sizes | None = None
    restart_policy: str | None = None


class PodSize(Model, frozen=True, gc=False):
    node_name: str = ""
    containers: tuple[ContainerSize, ...] | None = None
    init_containers: tuple[ContainerSize, ...] | None = None
    resources: Sizes | None = None  # of the pod as a whole
    overhead: ResourceList | None = None


class Phase(Model, frozen=True, gc=False):
    phase: str = ""


class SizedPod(Resource, frozen=True, kw_only=True, gc=False):
    KIND: ClassVar[Kind] = Pod.KIND

    spec: PodSize = PodSize()
    status: Phase | None = None


class Schedulable(Model, frozen=True, gc=False):
    unschedulable: bool = False


class Claim(Model, frozen=True, gc=False):
    type: str = ""
    status: str = ""


class NodeSize(Model, frozen=True, gc=False):
    allocatable: ResourceList | None = None
    conditions: tuple[Claim, ...] = ()


class SizedNode(Resource, frozen=True, kw_only=True, gc=False):
    KIND: ClassVar[Kind] = Node.KIND

    spec: Schedulable = Schedulable()
    status: NodeSize = NodeSize()


class ShadowSize(Model, frozen=True, gc=False):
    pod: PodSize = PodSize()


class ShadowPhase(Model, frozen=True, gc=False):
    phase: str = ""
    observed_generation: int = 0


class SizedShadowPod(Resource, frozen=True, kw_only=True, gc=False):
    KIND: ClassVar[Kind] = ShadowPod.KIND

    spec: ShadowSize = ShadowSize()
    status: ShadowPhase | None = None


size_of = msgspec.json.Decoder(PodSize).decode
"""The size in the spec of a pod that was not decoded yet."""
