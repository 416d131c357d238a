"""Why something is refused here, in the words of who refuses: a policy, a quota, a webhook."""

from __future__ import annotations

import re

from liqo.kube.errors import KubeError

LONGEST = 1000  # characters that are told
# From its beginning on: else a long word without a number is read from each of its letters.
NUMBERED = re.compile(r"\b\w*\d\w*")


def words(error: KubeError) -> str:
    return (error.said or str(error))[:LONGEST]


def are_as_before(now: str, before: str) -> bool:
    """But for numbers, those of a port or a time. What was before may have been written by others,
    and be of any length."""
    return NUMBERED.sub("", now) == NUMBERED.sub("", before[:LONGEST])
