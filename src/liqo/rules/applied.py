"""Whether an object is still as an apply left it, told by its metadata alone.

The API server notes which manager said which field. Who changes a field takes it from the one who
had it, and who removes one takes it from everybody. So an object that one manager alone has written
to, and whose fields it all still has, holds what that one said last.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256

import msgspec

from liqo.api.meta import JSON

MARKS = ("labels", "annotations")  # of the metadata, what a manager can own
BEGINNING = 16  # hexadecimal digits of a digest: nobody means to collide with himself


def digest(body: JSON) -> str:
    """Of what is applied; the same for what says the same."""
    return sha256(msgspec.json.encode(body, order="deterministic")).hexdigest()[:BEGINNING]


def is_untouched(managed: Sequence[JSON], manager: str, body: JSON) -> bool:
    """By anybody but the manager that applied this. A status is others' to write."""
    applied: JSON = {}
    patched: list[JSON] = []  # by the same manager: what it said in another way as well
    for each in _writers(managed):
        if each.get("manager") != manager:
            return False
        fields = each.get("fieldsV1") or {}
        if each.get("operation") == "Apply":
            applied = fields
        else:
            patched.append(fields)
    marks = {name: each for name, each in body["metadata"].items() if name in MARKS}
    is_whole = owns(applied, {**body, "metadata": marks})
    return is_whole and all(_is_within(each, applied) for each in patched)


def is_said_by_others(managed: Sequence[JSON], manager: str, path: str) -> bool:
    """Whether somebody else has said that field; of a list with keys, any of its items."""
    others = (each for each in _writers(managed) if each.get("manager") != manager)
    return any(_says(each.get("fieldsV1") or {}, path.split(".")) for each in others)


def _writers(managed: Sequence[JSON]) -> list[JSON]:
    return [each for each in managed if not each.get("subresource")]


def _says(fields: JSON, path: Sequence[str]) -> bool:
    for name in path:
        if (inner := fields.get(f"f:{name}")) is None:
            return False
        fields = inner
    return not fields or any(name.startswith("k:") for name in fields)


def _is_within(fields: JSON, others: JSON) -> bool:
    return all(
        name in others and (not others[name] or _is_within(inner, others[name]))
        for name, inner in fields.items()
        if name != "."
    )


def owns(fields: JSON, said: JSON) -> bool:
    """Whether all that is said is among these fields, as the API server writes them."""
    return all(
        (field := fields.get(f"f:{name}")) is not None and _owns(field, value)
        for name, value in said.items()
    )


def _owns(field: JSON, value: object) -> bool:
    if not field:
        return True  # all of it, whatever is inside
    match value:
        case dict():
            return owns(field, value)
        case list():
            return _owns_each(field, value)
        case _:
            return True


def _owns_each(field: JSON, items: list[JSON]) -> bool:
    """The items of a list that is merged by their keys: each entry begins with the item's."""
    entries = [
        (msgspec.json.decode(name.removeprefix("k:")), inner)
        for name, inner in field.items()
        if name.startswith("k:")
    ]
    return all(
        any(key.items() <= item.items() and owns(inner, item) for key, inner in entries)
        for item in items
    )
