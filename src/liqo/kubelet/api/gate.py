"""The gate before every request: who is it, and may they? Both are the API server's to say."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from http import HTTPStatus
from typing import Any

import structlog

from liqo.api.meta import JSON, Kind
from liqo.kube.cluster import Cluster
from liqo.kube.errors import KubeError
from liqo.kubelet.api.answer import Answer, said
from liqo.kubelet.api.identity import User, certified, question_about, reviewed, token_of
from liqo.kubelet.api.permission import Permission
from liqo.kubelet.api.recent import Recent
from liqo.runtime.clock import Stopwatch, boot_clock

TOKEN_REVIEW = Kind("authentication.k8s.io", "v1", "TokenReview", "tokenreviews", namespaced=False)
ACCESS_REVIEW = Kind(
    "authorization.k8s.io", "v1", "SubjectAccessReview", "subjectaccessreviews", namespaced=False
)
UNKNOWN = said(HTTPStatus.UNAUTHORIZED, "Unauthorized")

log = structlog.get_logger()


@dataclass(frozen=True)
class Visitor:
    """What one shows at the gate."""

    peer: Mapping[str, Any] | None  # a certificate that TLS has verified
    authorization: str  # the header


class Gate:
    def __init__(self, home: Cluster, node: str, clock: Stopwatch = boot_clock) -> None:
        self._home = home
        self._node = node
        self._users: Recent[str, User | None] = Recent(clock)
        self._verdicts: Recent[tuple[User, str, str], bool] = Recent(clock)

    async def refusal(self, visitor: Visitor, needed: Permission) -> Answer | None:
        """None: let them in."""
        try:
            user = certified(visitor.peer) or await self._by_token(visitor.authorization)
        except KubeError as wrong:
            log.warning("a token could not be reviewed", why=str(wrong))
            return UNKNOWN
        if user is None:
            return UNKNOWN
        try:
            if await self._may(user, needed):
                return None
        except KubeError as wrong:
            log.warning("rights could not be reviewed", user=user.name, why=str(wrong))
            about = _about(user, needed)
            return said(HTTPStatus.INTERNAL_SERVER_ERROR, f"Authorization error {about}")
        return said(HTTPStatus.FORBIDDEN, f"Forbidden {_about(user, needed)}\n")

    async def _by_token(self, authorization: str) -> User | None:
        token = token_of(authorization)
        return await self._users.of(token, partial(self._whose, token)) if token else None

    async def _whose(self, token: str) -> User | None:
        return reviewed(await self._home.create(question_about(token), kind=TOKEN_REVIEW))

    async def _may(self, user: User, needed: Permission) -> bool:
        for subresource in needed.subresources:
            question = (user, needed.verb, subresource)
            if await self._verdicts.of(question, partial(self._verdict, *question)):
                return True
        return False

    async def _verdict(self, user: User, verb: str, subresource: str) -> bool:
        asked = access_review(user, self._node, verb, subresource)
        answer = await self._home.create(asked, kind=ACCESS_REVIEW)
        return answer.get("status", {}).get("allowed") is True


def access_review(user: User, node: str, verb: str, subresource: str) -> JSON:
    spec: JSON = {
        "user": user.name,
        "groups": list(user.groups),
        "uid": user.uid,
        "extra": {name: list(values) for name, values in user.extra},
        "resourceAttributes": {
            "verb": verb,
            "version": "v1",
            "resource": "nodes",
            "subresource": subresource,
            "name": node,
        },
    }
    return {"apiVersion": ACCESS_REVIEW.api_version, "kind": ACCESS_REVIEW.name, "spec": spec}


def _about(user: User, needed: Permission) -> str:
    which = " ".join(needed.subresources)
    return f"(user={user.name}, verb={needed.verb}, resource=nodes, subresource(s)=[{which}])"
