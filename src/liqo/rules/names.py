"""Every name on the wire that is derived from another one, and how long the other one may be.

Nothing is ever cut or hashed to fit: two names would become one. What is too long is refused, early
and in words.
"""

from __future__ import annotations

import re
from hashlib import sha256

AUTHENTICATION_KEYS = "authentication-keys"  # Secret with the key pair of this cluster
NONCE_SECRET = "liqo-nonce"  # on the provider
SIGNED_NONCE_SECRET = "liqo-signed-nonce"  # on the consumer
CONTROL_PLANES = "liqo.io"  # the group of all control planes, as a provider sees them

LABEL = 63  # characters of a namespace's name or of a label's value
CLUSTER_ID = 50  # characters: liqoctl names a slice after its provider
SLICE_NAME = 50  # characters: the user of a slice, 13 longer, is the value of a label
DNS_LABEL = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?")


def tenant_namespace(cluster_id: str) -> str:
    """Of this peer, unless somebody made another with the same labels."""
    return f"liqo-tenant-{cluster_id}"


def controlplane_identity(provider_id: str) -> str:
    """Also the name of the Renew that belongs to it."""
    return f"controlplane-{provider_id}"


def slice_identity(slice_name: str) -> str:
    return f"resourceslice-{slice_name}"


def kubeconfig_secret(identity: str) -> str:
    return f"kubeconfig-{identity}"


def certificate_secret(slice_name: str = "") -> str:
    """Where a provider keeps what it signed: for a slice, or for the control plane."""
    return f"liqo-remote-certificate-{slice_name}" if slice_name else "liqo-remote-certificate"


def user_of(slice_name: str, consumer_id: str) -> str:
    """Who uses a slice, as its provider sees it."""
    return f"{slice_name}-{sha256(consumer_id.encode()).hexdigest()[:12]}"


def quota(slice_name: str, consumer_id: str) -> str:
    return user_of(slice_name, consumer_id)


def binding(cluster_role: str) -> str:
    """Of a consumer's control plane, in its tenant namespace."""
    return f"liqo-binding-{cluster_role}"


def cluster_binding(cluster_role: str, consumer_id: str) -> str:
    """Of all users of a consumer, in the whole cluster."""
    return f"liqo-binding-{cluster_role}-{consumer_id}"


def signing_request(*reasons: bytes) -> str:
    """The same for the same reasons: who decides twice still asks once."""
    digest = sha256()
    for reason in reasons:
        digest.update(len(reason).to_bytes(8) + reason)
    return f"liqo-identity-{digest.hexdigest()[:20]}"


def check_cluster_id(cluster_id: str) -> str:
    """What is wrong with it, as a sentence; empty where nothing is."""
    return _check("cluster ID", cluster_id, CLUSTER_ID)


def check_slice_name(slice_name: str) -> str:
    return _check("name of the ResourceSlice", slice_name, SLICE_NAME)


def _check(what: str, name: str, longest: int) -> str:
    if not DNS_LABEL.fullmatch(name):
        return (
            f'the {what} "{name}" must consist of lower case letters, digits and hyphens, '
            "and start and end with a letter or a digit"
        )
    if len(name) > longest:
        return f'the {what} "{name}" has {len(name)} characters; at most {longest} are possible'
    return ""
