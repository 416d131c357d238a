"""What rome claims on milan with a printed command, and what there is of it."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

from liqo.api import labels
from liqo.api.authentication import (
    PeeringClaim,
    PeeringClaimSpec,
    PeeringClaimStatus,
)
from liqo.api.kubernetes import (
    Role,
    RoleBinding,
    ServiceAccount,
)
from liqo.api.meta import Key, Meta
from liqo.kube.paths import Scope
from liqo.provider.claim import (
    Lender,
    State,
)
from liqo.rules import claims, handshake, keys, names
from liqo.runtime.clock import timestamp
from liqo.runtime.plan import Create, Manifest
from tests.unit.provider.things import (
    ADMITTED,
    HOME,
    NOW,
    OTHER,
    PEM,
    PUBLIC,
    a_home,
    raw,
    unreadable,
)

NAME = "liqo-peer-0123abcd"
KEY = Key("liqo", NAME)
MILAN = Lender("milan")
OURS = Scope(namespace="liqo", labels=labels.PEERING_CLAIM)
LIFE = 600.0
MARKS = {labels.PEERING_CLAIM: NAME}
READY = PeeringClaimStatus(phase="Ready", message=f"Go on in {HOME}", tenant_namespace=HOME)
UNREADABLE = unreadable(ADMITTED)
OTHER_PUBLIC = keys.public_pem(OTHER.public_key())


def meta(name: str = NAME, namespace: str = "liqo", **more: Any) -> Meta:
    given = {"uid": f"uid-of-{name}", "resource_version": "1", "labels": MARKS, **more}
    return Meta(name=name, namespace=namespace, **given)


def a_token(left: float = LIFE, consumer: str = "") -> ServiceAccount:
    end = timestamp(NOW + timedelta(seconds=left))
    marks = {**MARKS, labels.REMOTE_CLUSTER_ID: consumer} if consumer else MARKS
    return ServiceAccount(metadata=meta(labels=marks, annotations={labels.EXPIRES_AT: end}))


def a_claim(
    status: PeeringClaimStatus | None = None, name: str = NAME, **spec: Any
) -> PeeringClaim:
    """Of rome, with its key."""
    said = {"cluster_id": "rome", "public_key": PUBLIC}
    signed = handshake.sign(PEM, name.encode())
    return PeeringClaim(
        metadata=meta(name, labels={}),
        spec=PeeringClaimSpec(**{**said, "signature": signed, **spec}),
        status=status or PeeringClaimStatus(),
    )


def a_role(*, may_claim: bool) -> Role:
    return Role(metadata=meta(), raw_rules=raw(claims.rules(NAME, may_claim=may_claim)))


def a_binding(key: Key, role: str = NAME) -> RoleBinding:
    return RoleBinding(metadata=meta(key.name, key.namespace), raw_role_ref=raw({"name": role}))


OWN = a_binding(KEY)
GIVEN = (
    a_binding(Key(HOME, NAME), names.PEERING_USER_CLUSTER_ROLE),
    a_binding(Key("liqo", f"{NAME}-liqo-ns"), names.PEERING_USER_ROLE),
)
RIGHTS = [
    Create(Manifest(RoleBinding.KIND, body), or_apply=True)
    for body in claims.bindings(KEY, HOME).values()
]
MADE_FOR_IT = a_home(**MARKS)


def a_state(**changes: Any) -> State:
    """Rome has claimed, and nothing was done about it yet."""
    state = State(
        key=KEY,
        lender=MILAN,
        token=a_token(),
        claim=a_claim(),
        role=a_role(may_claim=False),
        bindings=(OWN,),
        home=a_home(),
        tenants=(),
        rivals=(),
        is_leaving=False,
        is_shared=False,
        is_bound=False,
        in_the_way="",
        now=NOW,
    )
    return replace(state, **changes)
