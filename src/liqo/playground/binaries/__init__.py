"""The programs a cluster is made of: found, downloaded or compiled, and kept."""

from liqo.playground.binaries.obtaining import built_versions, must_be_made, obtain
from liqo.playground.binaries.sources import (
    KUBERNETES,
    NEEDED,
    ON_DEMAND,
    default_version,
    versions,
)

__all__ = [
    "KUBERNETES",
    "NEEDED",
    "ON_DEMAND",
    "built_versions",
    "default_version",
    "must_be_made",
    "obtain",
    "versions",
]
