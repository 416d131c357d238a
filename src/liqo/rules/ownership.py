"""Who goes with whom: what is owned is deleted after its owner, or made again by it."""

from __future__ import annotations

import msgspec

from liqo.api.meta import OwnerReference, Resource


def owned_by(owner: Resource) -> OwnerReference:
    """A reference to the one object that made another and answers for it."""
    reference = used_by(owner)
    return msgspec.structs.replace(reference, controller=True, block_owner_deletion=True)


def used_by(user: Resource) -> OwnerReference:
    """A reference to one that needs what another made: it stays until both are gone."""
    return OwnerReference(
        api_version=user.KIND.api_version,
        kind=user.KIND.name,
        name=user.metadata.name,
        uid=user.metadata.uid,
    )


def controller_of(pod: Resource) -> str:
    """The kind of what controls it; empty where nobody does."""
    owners = pod.metadata.owner_references
    return next((owner.kind for owner in owners if owner.controller), "")


def may_be_replaced(pod: Resource) -> bool:
    """Somebody makes another, and takes no offence: to a Job, a pod that is deleted has failed."""
    return controller_of(pod) not in ("", "Job")
