"""What Kubernetes tells all who serve behind its API server: whose certificates count.

It is one ConfigMap, `extension-apiserver-authentication`. Certificates of clients come from one
authority; those by which an API server is known that calls for somebody else, from another.
"""

from __future__ import annotations

from dataclasses import dataclass

import msgspec

from liqo.api.kubernetes import ConfigMap
from liqo.api.meta import Key
from liqo.kube.paths import named

TOLD = Key("kube-system", "extension-apiserver-authentication")
SCOPE = named(TOLD)


@dataclass(frozen=True)
class Front:
    """An API server that calls for others: how it is known, and how it says for whom."""

    ca: str  # PEM
    names: frozenset[str]  # common names; empty: any that the CA vouches for
    user_headers: tuple[str, ...]
    group_headers: tuple[str, ...]


def client_authority(told: ConfigMap | None) -> str:
    """In PEM; empty where there is none."""
    return told.data.get("client-ca-file", "") if told is not None else ""


def front(told: ConfigMap | None) -> Front | None:
    """None where the cluster has no front proxy, or none that can be told from others."""
    said = told.data if told is not None else {}
    ca = said.get("requestheader-client-ca-file", "")
    if not ca:
        return None
    try:
        names, users, groups = (
            msgspec.json.decode(said.get(f"requestheader-{each}", "[]"), type=list[str])
            for each in ("allowed-names", "username-headers", "group-headers")
        )
    except msgspec.DecodeError:
        return None
    return Front(ca, frozenset(names), tuple(users), tuple(groups))
