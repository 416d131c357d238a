"""Objects of two clusters that the Go implementation joined; rome borrows from milan.

Long base64 strings are replaced by their length; so are ours before they are compared.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal, cast

import yaml

from liqo.api.meta import JSON

# What the API server, or somebody else, puts there.
OTHERS = {"creationTimestamp", "uid", "generation", "finalizers", "resourceVersion"}

# Of the lengths that the captured ones have, so that all that holds them has its length, too.
AUTHORITY = b"a" * 1112
CERTIFICATE = b"c" * 792
SLICE_CERTIFICATE = b"s" * 807
SERVER = "https://10.200.0.12:6443"


def captured(side: Literal["consumer", "provider"], kind: str, name: str) -> JSON:
    documents = yaml.safe_load_all((Path(__file__).parent / f"{side}.yaml").read_text())
    wanted = (kind, name)
    found = next(each for each in documents if (each["kind"], each["metadata"]["name"]) == wanted)
    return cast(JSON, found)


def comparable(thing: JSON) -> JSON:
    """Without what others put there, and with lengths in place of long strings."""
    metadata = {name: value for name, value in thing["metadata"].items() if name not in OTHERS}
    references = [
        {name: value for name, value in each.items() if name != "uid"}
        for each in metadata.pop("ownerReferences", [])
    ]
    owned = {"ownerReferences": references} if references else {}
    return cast(JSON, _shortened({**thing, "metadata": {**metadata, **owned}}))


def _shortened(value: Any) -> Any:
    if isinstance(value, dict):
        return {
            name: _shortened(inner) for name, inner in value.items() if name != "lastTransitionTime"
        }
    if isinstance(value, list | tuple):
        return [_shortened(inner) for inner in value]
    if isinstance(value, str) and len(value) > 250:
        return f"<base64, {len(value)} characters>"
    return value
