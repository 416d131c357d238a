"""Secrets: a peer may ask for a nonce, and plants no credential."""

from __future__ import annotations

import msgspec
import pytest
from msgspec.structs import replace

from liqo.api.kubernetes import Secret
from liqo.api.meta import Meta, OwnerReference
from liqo.webhooks.review import ALLOW, Deny, Request, User
from liqo.webhooks.reviews.secrets import REFUSED, validate
from tests.unit.webhooks.reviews.questions import (
    ADMIN,
    CONTROL_PLANE,
    PEERING_USER,
    creation,
    update,
)

PEERS = [CONTROL_PLANE, PEERING_USER, User("system:serviceaccount:liqo:liqo-peer-0123")]
LABELS = {"liqo.io/nonce": "true", "liqo.io/remote-cluster-id": "rome"}
META = Meta(name="liqo-nonce", namespace="liqo-tenant-rome", labels=LABELS)
NONCE = Secret(metadata=META, type="Opaque")
OWNER = OwnerReference(api_version="x/v1", kind="Identity", name="x", uid="1")
CONTENT = msgspec.Raw(b'{"nonce": "eA=="}')

PLANTED = [
    replace(NONCE, metadata=replace(META, name="kubeconfig-controlplane-rome")),
    replace(NONCE, metadata=replace(META, name="liqo-remote-certificate")),
    replace(NONCE, metadata=replace(META, name="liqo-signed-nonce")),
    *(
        replace(NONCE, metadata=replace(META, labels={**LABELS, label: "ControlPlane"}))
        for label in ("liqo.io/identity-type", "liqo.io/signed-nonce", "liqo.io/tombstone")
    ),
    replace(NONCE, type="kubernetes.io/service-account-token"),
    replace(NONCE, metadata=replace(META, owner_references=(OWNER,))),
    replace(NONCE, metadata=replace(META, finalizers=("evil/x",))),
    replace(NONCE, raw_data=CONTENT),
]


@pytest.mark.parametrize("user", PEERS)
@pytest.mark.parametrize("asked", [NONCE, replace(NONCE, type="")])
def test_a_peer_may_ask_for_a_nonce(user: User, asked: Secret) -> None:
    assert validate(creation(asked, user), None) == ALLOW


@pytest.mark.parametrize("user", PEERS)
@pytest.mark.parametrize("planted", PLANTED)
def test_a_peer_cannot_plant_anything_else(user: User, planted: Secret) -> None:
    assert validate(creation(planted, user), None) == Deny(REFUSED)


@pytest.mark.parametrize("user", PEERS)
def test_a_peer_changes_no_secret(user: User) -> None:
    assert validate(update(NONCE, replace(NONCE, raw_data=CONTENT), user), None) == Deny(REFUSED)
    assert validate(update(NONCE, NONCE, user), None) == Deny(REFUSED)


@pytest.mark.parametrize("user", PEERS)
def test_a_peer_deletes_a_nonce_and_nothing_else(user: User) -> None:
    full, kubeconfig = replace(NONCE, raw_data=CONTENT), PLANTED[0]
    assert validate(Request("DELETE", user, full, full), None) == ALLOW
    assert validate(Request("DELETE", user, kubeconfig, kubeconfig), None) == Deny(REFUSED)


@pytest.mark.parametrize("planted", PLANTED)
def test_whoever_is_no_peer_writes_what_they_like(planted: Secret) -> None:
    for request in (creation(planted), update(NONCE, planted)):
        assert validate(request, None) == ALLOW
    assert validate(Request("DELETE", ADMIN, planted, planted), None) == ALLOW
