"""What the owner of a pod is told when a write that was decided for it is refused."""

from __future__ import annotations

from liqo.kube.errors import Conflict, KubeError, NotFound, Throttled, Unauthorized, Unreachable
from liqo.kubelet.pods.belonging import is_current
from liqo.kubelet.pods.plan import State, pending_changes, plan
from liqo.kubelet.pods.rejection import FAILED, FAILED_DELETION, rejected, unreflected, warned
from liqo.runtime.plan import NOTHING, Delete, Plan, do

NOT_THE_PODS_FAULT = (Conflict, Throttled, Unauthorized, Unreachable)


def failed(state: State, error: KubeError) -> Plan:
    """An error begins with its cluster's name."""
    local, provider = state.local, state.site.provider
    if local is None or isinstance(error, NOT_THE_PODS_FAULT):
        return NOTHING
    cluster, _, words = str(error).partition(": ")
    if cluster != provider:
        if isinstance(error, NotFound):
            return NOTHING  # it was deleted by force; there is nobody to tell
        if Delete(local, grace=0) in plan(state).actions:
            return do(warned(local, FAILED_DELETION, f"Error deleting local object: {error}"))
        back = f'Error reflecting object status back from cluster "{provider}": {error}'
        return do(warned(local, FAILED, back))
    if state.shadow is None:
        return do(*rejected(local, words, FAILED, state.site, state.now))
    is_its = is_current(state.shadow, local, state.site)
    pending = pending_changes(state, local, state.shadow) if is_its else ()
    about = ", ".join(word for change in pending for word in change.about)
    without = f" (the pod there runs on without the new {about})" if about else ""
    return do(warned(local, FAILED, unreflected(f"{words}{without}", state.site)))
