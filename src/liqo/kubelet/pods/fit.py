"""Fit: a pod that no single node of the provider has room for, told to its owner early.

What a virtual node offers is the sum over many nodes, and the scheduler at home sees nothing but
that. Where the provider told how large a pod may be, the Node says so in an annotation. With the
flag --refuse-too-large-pods such a pod stays at home, Pending, until that annotation lets it pass:
one that failed would be made again at once by its ReplicaSet, and fail again, without an end.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime

from liqo.api import labels
from liqo.api.kubernetes import Pod
from liqo.api.meta import Key
from liqo.api.offloading import VirtualNode
from liqo.api.sizes import size_of
from liqo.kubelet.pods.rejection import refused, warned
from liqo.kubelet.site import Site
from liqo.rules.fit import Shortage, too_large
from liqo.rules.usage import requested
from liqo.runtime.plan import Action, Record

TOO_LARGE = "TooLargeForOneNode"
LOOK_AGAIN = 60.0  # seconds until the numbers that were told are told anew, where it still waits


def excess(local: Pod, node: VirtualNode | None) -> Shortage | None:
    """What of it is too much for any node of the provider; asked once, before it goes out."""
    note = node.spec.annotations.get(labels.LARGEST_POD) if node is not None else None
    return too_large(requested(size_of(local.raw_spec)), note) if note else None


def oversized(local: Pod, short: Shortage, site: Site) -> Record:
    """It goes out all the same: what is free there changes by the minute."""
    waits = "It waits there until one has; ask for less, or see"
    return warned(local, TOO_LARGE, f"{facts(short, site)}. {waits}: {next_step(site)}")


def turned_away(local: Pod, short: Shortage, site: Site, now: datetime) -> Iterator[Action]:
    """It stays Pending, as one that the provider itself refuses."""
    waits = "It goes there when one has; ask for less, or see"
    why = f"{facts(short, site)}. {waits}: {next_step(site)}"
    yield from refused(local, why, TOO_LARGE, now)


def let_pass(pods: Iterable[Pod], node: VirtualNode) -> tuple[Key, ...]:
    """Those that were turned away, and are not too large for this node as it is now."""
    mark = TOO_LARGE.encode()  # most were not, and their status need not be decoded
    away = (pod for pod in pods if mark in bytes(pod.raw_status))
    return tuple(pod.key for pod in away if excess(pod, node) is None)


def facts(short: Shortage, site: Site) -> str:
    return (
        f"it asks for {short.resource} {short.asked}, and no single node of cluster "
        f'"{site.provider}" lends more than {short.left}'
    )


def next_step(site: Site) -> str:
    return f"liqoctl explain capacity {site.node}"
