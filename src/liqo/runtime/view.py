"""What our caches, all of them together, say of one object."""

from __future__ import annotations

from liqo.api.meta import Key, Kind
from liqo.kube.cache import Caches
from liqo.runtime.memory import UNFOLLOWED, Followed, View


def view(caches: Caches, kind: Kind, key: Key) -> View:
    """A cache with a selector tells what it has; what it lacks may still be there."""
    followed = UNFOLLOWED
    for cache in caches:
        if cache.reading.kind != kind or not cache.synced:
            continue
        found = cache.get(key)
        if found is not None:
            return Followed(found)
        scope = cache.scope
        if not scope.labels and not scope.fields and scope.namespace in ("", key.namespace):
            followed = Followed(None)
    return followed
