"""What has to change in one JSON object to make it another, as a merge patch (RFC 7396)."""

from __future__ import annotations

from liqo.api.meta import JSON


def difference(old: JSON, new: JSON) -> JSON:
    """Empty where they are the same. Lists are replaced whole; null removes."""
    changes: JSON = dict.fromkeys(old.keys() - new.keys())
    for name, value in new.items():
        before = old.get(name)
        if isinstance(value, dict) and isinstance(before, dict):
            if inner := difference(before, value):
                changes[name] = inner
        elif name not in old or before != value:
            changes[name] = value
    return changes
