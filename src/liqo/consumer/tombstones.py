"""Tombstones: the providers that we left unheard, one Secret for each."""

from __future__ import annotations

from functools import partial

from liqo.api import labels
from liqo.api.kubernetes import Secret
from liqo.api.meta import Key
from liqo.consumer import withdrawal
from liqo.consumer.home import Home
from liqo.consumer.withdrawal import Grave
from liqo.kube.cache import Caches
from liqo.kube.errors import Misconfigured
from liqo.kube.kubeconfig import from_secret
from liqo.runtime.remotes import Checking, Remote, Remotes, Unusable

NEVER = Checking(every=0)  # nobody asks whether they live: they are left


def withdrawals(here: Caches, home: Home) -> Remotes:
    """A remote for each tombstone, until the provider has forgotten us."""
    followed = here.of(Secret, withdrawal.tombstones(home.namespace))
    return Remotes(here, followed, partial(wanted, here, home), NEVER)


def wanted(here: Caches, home: Home) -> dict[Key, Remote | Unusable]:
    """What each tombstone gives: a remote, or the reason why not."""
    found = here.of(Secret, withdrawal.tombstones(home.namespace))
    return {secret.key: _remote(here, home, secret) for secret in found}


def _remote(here: Caches, home: Home, secret: Secret) -> Remote | Unusable:
    marks, notes = secret.metadata.labels, secret.metadata.annotations
    provider = marks.get(labels.REMOTE_CLUSTER_ID, "")
    place = notes.get(labels.REMOTE_TENANT_NAMESPACE, "")
    if not provider:
        return f"the label {labels.REMOTE_CLUSTER_ID} is missing"
    if not place:
        return f"the annotation {labels.REMOTE_TENANT_NAMESPACE} is missing"
    try:
        access = from_secret(secret)
    except Misconfigured as wrong:
        return str(wrong)
    uid = notes.get(labels.IDENTITY_UID, "")
    grave = Grave(secret.key, home.cluster_id, provider, uid, place)
    return Remote(
        provider, access, place, lambda there: (withdrawal.controller(grave, here, there),)
    )
