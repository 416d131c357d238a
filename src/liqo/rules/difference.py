"""From one JSON object to another: what to send so that the one becomes the other (RFC 7386)."""

from __future__ import annotations

from liqo.api.meta import JSON


def merge_patch(old: JSON, new: JSON) -> JSON:
    """Empty where nothing differs. What is no longer there is named, as null."""
    patch: JSON = {field: None for field in old if field not in new}
    for field, value in new.items():
        before = old.get(field)
        if isinstance(before, dict) and isinstance(value, dict):
            if inner := merge_patch(before, value):
                patch[field] = inner
        elif before != value:
            patch[field] = value
    return patch
