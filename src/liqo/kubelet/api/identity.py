"""Who asks: by a certificate of the cluster's own authority, or by a token."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from liqo.api.meta import JSON

AUTHENTICATED = "system:authenticated"  # the group of all who are known
BEARER = "bearer "

Extra = tuple[tuple[str, tuple[str, ...]], ...]


@dataclass(frozen=True)
class User:
    name: str
    groups: tuple[str, ...] = ()
    uid: str = ""
    extra: Extra = ()


def certified(peer: Mapping[str, Any] | None) -> User | None:
    """Of a verified certificate: its name is the user, its organizations are the groups."""
    said = [pair for part in (peer or {}).get("subject", ()) for pair in part]
    names = [value for kind, value in said if kind == "commonName"]
    groups = [value for kind, value in said if kind == "organizationName"]
    return User(names[-1], (*groups, AUTHENTICATED)) if names and names[-1] else None


def token_of(authorization: str) -> str:
    """Of a header; empty where it has none."""
    is_bearer = authorization[: len(BEARER)].lower() == BEARER
    return authorization[len(BEARER) :].strip() if is_bearer else ""


def question_about(token: str) -> JSON:
    return {
        "apiVersion": "authentication.k8s.io/v1",
        "kind": "TokenReview",
        "spec": {"token": token},
    }


def reviewed(review: JSON) -> User | None:
    """What the API server says of a token."""
    status = review.get("status", {})
    user = status.get("user", {})
    if not status.get("authenticated") or not user.get("username"):
        return None
    extra = tuple(sorted((name, tuple(values)) for name, values in _items(user.get("extra"))))
    return User(user["username"], tuple(user.get("groups") or ()), user.get("uid", ""), extra)


def _items(extra: Mapping[str, list[str]] | None) -> Iterable[tuple[str, list[str]]]:
    return (extra or {}).items()
