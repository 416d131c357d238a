"""Who goes with whom: what is owned is deleted after its owner."""

from __future__ import annotations

from liqo.api.meta import OwnerReference, Resource


def owned_by(owner: Resource) -> OwnerReference:
    """A reference to the one object that made another and answers for it."""
    return OwnerReference(
        api_version=owner.KIND.api_version,
        kind=owner.KIND.name,
        name=owner.metadata.name,
        uid=owner.metadata.uid,
        controller=True,
        block_owner_deletion=True,
    )
