"""Who calls: an API server that shows its certificate says for whom it calls.

Whether that user may ask at all, the API server has decided by its own rules; whose figures it
gets, we decide: a consumer its own, an administrator all.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from liqo.kube.authentication import Front

ADMINISTRATORS = "system:masters"


@dataclass(frozen=True)
class Caller:
    user: str
    groups: frozenset[str]

    def may_see(self, consumer: str) -> bool:
        return consumer in self.groups or ADMINISTRATORS in self.groups


def caller(
    believed: Front, common_name: str, headers: Mapping[str, Sequence[str]]
) -> Caller | None:
    """The user behind a connection whose certificate the CA vouches for; None: not believed.

    `headers` by their names in small letters: all values of each.
    """
    if believed.names and common_name not in believed.names:
        return None
    users = [value for name in believed.user_headers for value in headers.get(name.lower(), ())]
    if not users:
        return None
    groups = (value for name in believed.group_headers for value in headers.get(name.lower(), ()))
    return Caller(users[0], frozenset(groups))
