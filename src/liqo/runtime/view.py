"""What our caches, all of them together, say of one object."""

from __future__ import annotations

from liqo.api.meta import Key, Kind, Resource
from liqo.kube.cache import Caches
from liqo.kube.store import is_newer
from liqo.runtime.memory import UNFOLLOWED, Followed, View


def view(caches: Caches, kind: Kind, key: Key) -> View:
    """What one of them has is there, whether it has been told everything or not.

    Of several the newest counts: who decided by it is not to be told by an older one that all is
    well. One with a selector tells what it has; what it lacks may still be there.
    """
    newest: Resource | None = None
    followed: View = UNFOLLOWED
    for copy in caches:
        if copy.reading.kind != kind:
            continue
        found = copy.get(key)
        if found is not None:
            newest = found if is_newer(found, newest) else newest
        elif copy.covers(key):
            followed = Followed(None)
    return followed if newest is None else Followed(newest)
