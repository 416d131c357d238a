"""What every object has: a kind, a key, metadata.

Structs here are frozen and shared: an object from a cache is never changed, only built anew.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple, TypeAlias

import msgspec

JSON: TypeAlias = dict[str, Any]


class Key(NamedTuple):
    """Which object of a kind: what queues hold and caches are read by."""

    namespace: str  # empty for what belongs to the whole cluster
    name: str

    def __str__(self) -> str:
        return f"{self.namespace}/{self.name}" if self.namespace else self.name


@dataclass(frozen=True)
class Kind:
    """A kind as the API server serves it."""

    group: str  # empty for Kubernetes' core
    version: str
    name: str  # "ResourceSlice"
    plural: str  # "resourceslices"
    namespaced: bool = True

    @property
    def api_version(self) -> str:
        return f"{self.group}/{self.version}" if self.group else self.version

    def __str__(self) -> str:
        return f"{self.name}.{self.group}" if self.group else self.name


# Words that the wire spells in capitals: clusterID, remoteCIDRs.
INITIALISMS = {word.lower(): word for word in ("ID", "IP", "URL", "CRT", "CIDRs")}


def wire_name(field: str) -> str:
    """`cluster_id` is `clusterID` on the wire; `class_`, a word of Python's own, is `class`."""
    first, *rest = field.split("_")
    return first + "".join(INITIALISMS.get(word, word.capitalize()) for word in rest)


class Model(msgspec.Struct, frozen=True, kw_only=True, rename=wire_name, omit_defaults=True):
    """A value on the wire: camelCase there, defaults left out.

    What the wire requires has no default here and is always written, be it false, 0 or empty. Any
    other field has as default what its absence means: nothing, or the default of the schema, which
    the API server fills in. It is left out when it says no more than that; an empty part that was
    read or made on purpose (`status: {}`) is written. Where absent and false are two things, the
    field is `bool | None`.
    """


class OwnerReference(Model, frozen=True, gc=False):
    api_version: str
    kind: str
    name: str
    uid: str
    controller: bool | None = None
    block_owner_deletion: bool | None = None


class Meta(Model, frozen=True, gc=False):
    """ObjectMeta without managedFields: ten thousand of those are memory that nobody reads.

    It holds only text, so no cycle can run through it; a collector that skips it keeps the
    event loop free.
    """

    name: str = ""
    generate_name: str = ""
    namespace: str = ""
    uid: str = ""
    resource_version: str = ""
    generation: int = 0
    creation_timestamp: str | None = None
    deletion_timestamp: str | None = None
    deletion_grace_period_seconds: int | None = None
    labels: dict[str, str] = {}
    annotations: dict[str, str] = {}
    finalizers: tuple[str, ...] = ()
    owner_references: tuple[OwnerReference, ...] = ()


class Resource(Model, frozen=True, kw_only=True):
    """An object of a kind that is ours. Data without verbs: nothing saves or deletes itself."""

    KIND: ClassVar[Kind]

    metadata: Meta = Meta()

    @property
    def key(self) -> Key:
        return Key(self.metadata.namespace, self.metadata.name)
