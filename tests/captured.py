"""To compare what we make with what the Go implementation made when rome peered with milan."""

from __future__ import annotations

from typing import Any, Literal, cast

import yaml

from liqo.api.meta import JSON
from tests import wire

# What the API server, or somebody else, puts there.
OTHERS = {"creationTimestamp", "uid", "generation", "finalizers", "resourceVersion"}

# Certificates and requests, of which only a word is left.
WITHHELD = {"ca", "signedCRT", "csr"}


def captured(side: Literal["consumer", "provider"], kind: str, name: str) -> JSON:
    file = wire.HERE / "captured" / f"2-peered-{side}.yaml"
    documents = yaml.load_all(file.read_text(), yaml.CSafeLoader)
    wanted = (kind, name)
    found = next(each for each in documents if (each["kind"], each["metadata"]["name"]) == wanted)
    return cast(JSON, found)


def comparable(thing: JSON) -> JSON:
    """Without what others put there, and without what was withheld."""
    metadata = {name: value for name, value in thing["metadata"].items() if name not in OTHERS}
    references = [
        {name: value for name, value in each.items() if name != "uid"}
        for each in metadata.pop("ownerReferences", [])
    ]
    owned = {"ownerReferences": references} if references else {}
    return cast(JSON, _shown({**thing, "metadata": {**metadata, **owned}}))


def _shown(value: Any) -> Any:
    if isinstance(value, dict):
        shown = {name: _shown(inner) for name, inner in value.items()}
        shown.pop("lastTransitionTime", None)
        return {**shown, **dict.fromkeys(WITHHELD & shown.keys(), "withheld")}
    return [_shown(inner) for inner in value] if isinstance(value, list | tuple) else value
