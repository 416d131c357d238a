"""Fit: a pod that no single node of the provider has room for, told to its owner early.

What a virtual node offers is the sum over many nodes, and the scheduler at home sees nothing but
that. Where the provider told how large a pod may be, the Node says so in an annotation.
"""

from __future__ import annotations

from liqo.api import labels
from liqo.api.kubernetes import Pod
from liqo.api.offloading import VirtualNode
from liqo.api.sizes import size_of
from liqo.kubelet.pods.rejection import warned
from liqo.kubelet.site import Site
from liqo.rules.fit import Shortage, too_large
from liqo.rules.usage import requested
from liqo.runtime.plan import PatchStatus, Record

TOO_LARGE = "TooLargeForOneNode"


def excess(local: Pod, node: VirtualNode | None) -> Shortage | None:
    """What of it is too much for any node of the provider; asked once, before it goes out."""
    note = node.spec.annotations.get(labels.LARGEST_POD) if node is not None else None
    return too_large(requested(size_of(local.raw_spec)), note) if note else None


def oversized(local: Pod, short: Shortage, site: Site) -> Record:
    """It goes out all the same: what is free there changes by the minute."""
    waits = "It waits there until one has; ask for less, or see"
    return warned(local, TOO_LARGE, f"{facts(short, site)}. {waits}: {next_step(site)}")


def turned_away(local: Pod, short: Shortage, site: Site) -> tuple[Record, PatchStatus]:
    """As any kubelet rejects what it has no room for: whoever made the pod decides what then."""
    why = f"Pod was rejected: {facts(short, site)}. Ask for less, or see: {next_step(site)}"
    status = {"phase": "Failed", "reason": f"OutOf{short.resource}", "message": why}
    return warned(local, TOO_LARGE, why), PatchStatus(local, status, form="strategic")


def facts(short: Shortage, site: Site) -> str:
    return (
        f"it asks for {short.resource} {short.asked}, and no single node of cluster "
        f'"{site.provider}" has more than {short.left} free'
    )


def next_step(site: Site) -> str:
    return f"liqoctl explain capacity {site.node}"
