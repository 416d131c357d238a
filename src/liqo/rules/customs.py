"""Custom resources that are reflected: how a flag says which, and which can never be."""

from __future__ import annotations

import re

from liqo.api.meta import Kind
from liqo.api.offloading import CustomResource

WORD = re.compile(r"([a-z0-9-]+)\.(v[a-z0-9]+)\.([a-z0-9.-]+)/([A-Za-z0-9]+)")
OURS = "liqo.io"


def word(custom: CustomResource) -> str:
    """As `widgets.v1.example.org/Widget`."""
    return f"{custom.resource}.{custom.version}.{custom.group}/{custom.kind}"


def kinds(text: str) -> tuple[Kind, ...]:
    """Of such words, with commas between them; argparse makes a sentence of a ValueError."""
    return tuple(_kind(each) for each in text.split(",") if each)


def is_closed(group: str) -> bool:
    """Of Kubernetes, or our own: what of these goes is decided elsewhere, and ours would loop."""
    return "." not in group or group.endswith(".k8s.io") or f".{group}".endswith(f".{OURS}")


def _kind(text: str) -> Kind:
    found = WORD.fullmatch(text)
    if found is None or is_closed(found[3]):
        raise ValueError(text)
    plural, version, group, name = found.groups()
    return Kind(group, version, name, plural)
