"""What our caches, all of them together, say of one object."""

from __future__ import annotations

from liqo.api.meta import Key, Kind
from liqo.kube.cache import Caches
from liqo.runtime.memory import UNFOLLOWED, Followed, View


def view(caches: Caches, kind: Kind, key: Key) -> View:
    """What one of them has is there, whether it has been told everything or not.

    One with a selector tells what it has; what it lacks may still be there.
    """
    followed = UNFOLLOWED
    for copy in caches:
        if copy.reading.kind != kind:
            continue
        found = copy.get(key)
        if found is not None:
            return Followed(found)
        if copy.covers(key):
            followed = Followed(None)
    return followed
