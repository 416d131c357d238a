"""Whose is what stands there in the name of a pod: a ShadowPod, and a pod that was made of one.

All virtual nodes of a provider share the names of their ShadowPods. A pod that is deleted by force
may have its next on another of these nodes before the kubelet of its own has heard of it. The next
must not wait for a kubelet that is dead, and one that hears late must not end the next. What a node
leaves there that is no more, with whatever else it made for a pod, is for those that are left.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Literal, TypeAlias

from liqo.api import labels
from liqo.api.kubernetes import Pod
from liqo.api.meta import Key, Resource
from liqo.api.offloading import ShadowPod, VirtualNode
from liqo.kube.copy import Copy
from liqo.kube.reading import O
from liqo.kubelet.pods.ending import has_started
from liqo.kubelet.pods.marks import is_for, is_of_our_node, is_ours
from liqo.kubelet.site import Site
from liqo.rules.changes import end_of

CURRENT = 75.0  # seconds: a copy in which nothing changes hears of that every minute, or so

Whose: TypeAlias = Literal["ours", "another's", "forsaken", "uncertain", "strange"]


def is_foreign(shadow: ShadowPod, local: Pod, site: Site) -> bool:
    """
    The first row that fits. What is foreign is never touched.

    made by         | for     | our pod   | made        | so it is
    ----------------+---------+-----------+-------------+----------------------------------------
    another cluster | any     | any       | any         | foreign
    our node        | any     | any       | any         | not foreign
    nobody knows    | any     | any       | any         | not foreign
    another node    | our pod | any       | any         | not foreign: somebody changed its label
    another node    | another | ran       | any         | foreign: ours had the name before it
    another node    | another | never ran | before ours | not foreign: of a pod before ours
    another node    | another | never ran | since then  | foreign: of a pod after ours; we are late

    Only the last two compare clocks of two clusters. Where the provider's is ahead, a ShadowPod
    of before may pass for a later one: it is then left to its own node, which ends what it has no
    pod for. If that node is no more, it is forsaken, and ours to end in its time.
    """
    if not is_ours(shadow, site):
        return True
    known = shadow.metadata
    if known.labels.get(labels.NODE_NAME, site.node) == site.node:
        return False
    if known.annotations.get(labels.LOCAL_POD_UID) == local.metadata.uid:
        return False
    return has_started(local.status) or not _is_older(shadow, local)


def is_in_the_way(shadow: ShadowPod, local: Pod, site: Site) -> bool:
    """Our pod cannot go out before somebody ends it. One that ran had the name first: it is told
    late of its own end."""
    return not has_started(local.status) and is_foreign(shadow, local, site)


def without_foreign(
    shadow: ShadowPod | None, remote: Pod | None, local: Pod, site: Site
) -> tuple[ShadowPod | None, Pod | None]:
    """What was made of a foreign ShadowPod is foreign, too."""
    if remote is not None and not is_ours(remote, site):
        remote = None
    if shadow is None or not is_foreign(shadow, local, site):
        return shadow, remote
    return None, remote if remote is not None and not _owns(shadow, remote) else None


def is_current(shadow: ShadowPod, local: Pod, site: Site) -> bool:
    """One that asks for an end is of a pod before this one, or of none."""
    return is_of_our_node(shadow, site) and is_for(shadow, local) and end_of(shadow) is None


def whose(there: Resource | None, nodes: Copy[VirtualNode], site: Site) -> Whose:
    """Who sees to what stands there, should it have no pod.

    made by         | its VirtualNode | so it is
    ----------------+-----------------+---------------------------------------------------
    another cluster | any             | strange; so is what is not there
    nobody knows    | any             | strange
    our node        | any             | ours
    another node    | not known (yet) | another's
    another node    | there           | another's: its own kubelet knows of its pod
    another node    | not there       | forsaken: that kubelet went with its node, so those
                    |                 | of the nodes that are left do what it would have done
    another node    | perhaps there   | uncertain, but it may be forsaken

    It is perhaps there if we cannot read it, or hear no more of what is there.
    """
    node = there.metadata.labels.get(labels.NODE_NAME) if there is not None else None
    if there is None or node is None or not is_ours(there, site):
        return "strange"
    if node == site.node:
        return "ours"
    key = Key(site.tenant_namespace, node)
    if not nodes.synced or nodes.get(key) is not None:
        return "another's"
    return "uncertain" if nodes.is_unreadable(key) or not _is_heard_of(nodes) else "forsaken"


def _is_heard_of(nodes: Copy[VirtualNode]) -> bool:
    return not nodes.refused and nodes.age() <= CURRENT


def left_by(node: VirtualNode, nodes: Copy[VirtualNode], there: Iterable[O]) -> Iterator[O]:
    """What a node left there, if it is no more. They go rarely, so that each thing is looked at."""
    if nodes.get(node.key) is None:
        name = node.metadata.name
        yield from (each for each in there if each.metadata.labels.get(labels.NODE_NAME) == name)


def is_made_of(remote: Pod, shadow: ShadowPod | None, local: Pod) -> bool:
    """Of this ShadowPod; when that is gone already, at least for this pod."""
    if shadow is None:
        return is_for(remote, local)
    return _owns(shadow, remote) and is_for(shadow, local)


def _owns(shadow: ShadowPod, remote: Pod) -> bool:
    return any(owner.uid == shadow.metadata.uid for owner in remote.metadata.owner_references)


def _is_older(shadow: ShadowPod, local: Pod) -> bool:
    there, here = shadow.metadata.creation_timestamp, local.metadata.creation_timestamp
    return (there or "") < (here or "")
